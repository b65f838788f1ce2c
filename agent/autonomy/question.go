package autonomy

// question weighs a question by what it says and by what follows it.
func (w *weighing) question(i int) (Feature, float64) {
	s, follows := &w.all[i], w.behind[i].follower
	if w.isHeading(i) {
		return Heading, weightHeading
	}
	if feature, weight := w.followed(i); feature != "" {
		return feature, weight
	}
	switch {
	case s.classes.has(addr | offer | ask | please):
		return Question, weightQuestion
	case s.classes.has(alt) && (w.inLastParagraph(i) || follows == nil && !w.behind[i].acted):
		return Question, weightLast
	case follows != nil && follows.classes.has(halt) && !s.classes.has(why) && !w.behind[i].acts:
		return Question, weightLast
	case follows != nil:
		return Rhetorical, weightRhetorical
	case w.behind[i].nothing:
		return Question, weightLast
	}
	return OpenQuestion, weightOpen
}

// isHeading is whether something is said under a question. A bold one above
// nothing but options asks.
func (w *weighing) isHeading(i int) bool {
	s, follows := &w.all[i], w.behind[i].follower
	if s.lettered && follows != nil && follows.lettered {
		return true
	}
	asks := s.classes.has(addr|offer|ask|choice) && w.behind[i].nothing
	return (s.kind == heading || s.bold && !asks) && i+1 < len(w.all)
}

// followed weighs a question by what is stated behind it, if that decides.
func (w *weighing) followed(i int) (Feature, float64) {
	s, follows := &w.all[i], w.behind[i].follower
	switch {
	case follows == nil:
		return "", 0
	case s.classes.has(told):
		return Rhetorical, weightRhetorical
	case follows.begins.has(then):
		return Consequence, weightConsequence
	case follows.begins.has(answer), s.classes.has(offer) && follows.begins.has(next):
		return Rhetorical, weightRhetorical
	case s.classes.has(choice) && !s.classes.has(why) && !w.behind[i].acts:
		return Question, weightQuestion
	}
	return "", 0
}

// inLastParagraph is whether nothing but closings stands behind its paragraph.
func (w *weighing) inLastParagraph(i int) bool {
	return w.last < 0 || w.all[i].paragraph >= w.all[w.last].paragraph
}
