package detect

import (
	"slices"
)

// The features that name why an answer was held to ask, or not to; package autonomy
// describes them.
const (
	Question     = "question"
	Consequence  = "consequence"
	OpenQuestion = "open_question"
	Rhetorical   = "rhetorical"
	Heading      = "heading"
	Request      = "request"
	Waiting      = "waiting"
	Offer        = "offer"
	Menu         = "menu"
	Closing      = "closing"
	Deliverable  = "deliverable"
	GoesOn       = "goes_on"
	Wording      = "wording"
	CallsAPerson = "calls_a_person"
)

// The weights: how sure a feature alone would make it that an answer asks. They
// decide where a program's own phrase stands; everywhere else the rules give a
// feature its name, and what was learnt its weight (weights.go).
const (
	weightWaiting     = 0.94 // hardly ever written by one that goes on
	weightQuestion    = 0.92 // put to a person
	weightRequest     = 0.90
	weightConsequence = 0.88
	weightOffer       = 0.86
	weightLast        = 0.85 // to no one, but the last sentence
	weightMenu        = 0.60 // a list of options can be a report, too
	weightOpen        = 0.40
	weightRhetorical  = 0.15
	weightHeading     = 0.05
	weightClosing     = 0.05

	factorDeliverable = 0.15 // what is left of a question where the task is to write one
	factorGoesOn      = 0.25 // what is left of it where a tool is called
	worthALook        = 0.50 // from here on the topic of the answer is looked for
)

// weighing weighs the sentences of one answer.
type weighing struct {
	all       []sentence
	tools     bool
	composing bool
	greets    bool  // it begins as a letter does
	task      bool  // there is one
	questions int   // at its end
	last      int   // the last sentence that is no closing
	anywhere  class // what is found in any of them, at its end
	states    bool  // something there is no question
	list      int   // where the list begins that all ends with
	after     []following
}

// following is what follows a sentence. It is gathered once for all of them,
// from the last to the first, so that the time stays linear.
type following struct {
	follower *sentence // what is stated after a question and those asked with it, in the same paragraph
	acts     bool      // the model goes on, in the same paragraph
	acted    bool      // it reports what it has done
	nothing  bool      // there are only lists, other questions and closings
}

// sentencesOfEnd is how many sentences an answer is weighed by as a whole, its last ones. A
// report on a day's work speaks of everything somewhere, and asks or does not ask at its end;
// nearly all answers that weights were learnt from are no longer than this.
const sentencesOfEnd = 24

// end is where the end begins.
func (w *weighing) end() int { return max(0, len(w.all)-sentencesOfEnd) }

// survey gathers what is weighed of the answer as a whole.
func (w *weighing) survey() {
	w.last = w.lastSaid()
	w.after = slices.Grow(w.after[:0], len(w.all))[:len(w.all)]
	w.list = len(w.all)
	here := following{nothing: true}
	for i := len(w.all) - 1; i >= 0; i-- {
		s := &w.all[i]
		if i >= w.end() {
			w.anywhere |= s.classes
			w.states = w.states || !s.question
		}
		if s.kind == item && w.list == i+1 {
			w.list = i
		}
		if i+1 < len(w.all) && w.all[i+1].paragraph != s.paragraph {
			here.follower, here.acts = nil, false
		}
		w.after[i] = here
		w.include(&here, i)
	}
}

// include adds a sentence to what follows the ones before it.
func (w *weighing) include(here *following, i int) {
	s := &w.all[i]
	if !s.question && !s.classes.has(ask|wait|please|polite) {
		here.follower = s
	}
	if !s.question && !s.classes.has(ask|wait|please) && s.kind == prose && i <= w.last {
		here.nothing = false
	}
	here.acts = here.acts || s.classes.has(did|next) || s.begins.has(answer)
	here.acted = here.acted || s.classes.has(did)
}

func (w *weighing) lastSaid() int {
	for i := len(w.all) - 1; i >= 0; i-- {
		if !w.all[i].classes.has(polite) {
			return i
		}
	}
	return -1
}

// sentence weighs one of them.
func (w *weighing) sentence(i int) (string, float64) {
	s := &w.all[i]
	switch c := s.classes; {
	case c.has(trouble) && !c.has(wait) && !s.question:
		return Closing, weightClosing
	case w.waits(s):
		return Waiting, weightWaiting
	case c.has(wish) && !s.question && w.courteous():
		return Closing, weightClosing
	case c.has(polite) && !c.has(ask|before):
		return Closing, weightClosing
	case s.question:
		return w.question(i)
	case c.has(report) && !c.has(halt|need):
		return "", 0
	case w.requests(c):
		return Request, weightRequest
	case c.has(polite):
		return Closing, weightClosing
	case c.has(please) && !c.has(note):
		return Request, weightRequest
	case c.has(wish), c.has(lmk) && c.has(act):
		if w.courteous() {
			return Closing, weightClosing
		}
		return Offer, weightOffer
	case w.handsOver(i):
		return Request, weightLast
	case c.has(menu) && w.endsInList(i):
		return Menu, weightMenu
	}
	return "", 0
}

// waits reports whether a sentence states that nothing goes on before someone has answered.
func (w *weighing) waits(s *sentence) bool {
	c := s.classes
	switch {
	case c.has(wait) && (!c.has(report) || c.has(self|you|halt)):
		return true
	case s.question:
		return false
	case c.has(arrives) && w.anywhere.has(lack|halt) && !w.tools:
		return true
	}
	return c.has(cond) && c.has(self) || c.all(until|resolved) && c.has(self|halt)
}

// requests reports whether a statement asks for something.
func (w *weighing) requests(c class) bool {
	switch {
	case c.has(note):
		return false
	case c.has(ask), c.has(order) && c.has(cont|self), c.has(need) && !c.has(plan):
		return true
	}
	return c.all(lack|noun|you) || c.has(decides) && c.has(you|person) && !c.has(did) || c.all(halt|behalf) || c.all(before|noun) && c.has(lack|you|must) && !c.has(did) ||
		c.all(must|you) && (c.has(topics) || w.anywhere.has(halt) && !w.anywhere.has(finished))
}

// courteous reports whether what is offered stands after a finished report.
func (w *weighing) courteous() bool {
	return w.anywhere.has(finished) && !w.anywhere.has(halt)
}

// handsOver reports whether an answer ends with what the model cannot or has not done,
// where something that only a person may decide is demanded.
func (w *weighing) handsOver(i int) bool {
	if i < w.last || w.tools {
		return false
	}
	near := w.all[i].classes
	for j := max(0, i-reachOfHandover); j < i; j++ {
		near |= w.all[j].classes
	}
	c := w.all[i].classes
	return near.has(topics) && (c.has(halt) && near.has(demand|must) || c.has(demand) && !w.all[i].classes.has(did))
}

// reachOfHandover is how many sentences before the last may hold what is demanded.
const reachOfHandover = 2

// endsInList reports whether only a list, of at least two, stands after a sentence.
func (w *weighing) endsInList(i int) bool {
	return i+1 >= w.list && len(w.all)-i > 2
}

// question weighs a question by its words and by what follows it.
func (w *weighing) question(i int) (string, float64) {
	s, follows := &w.all[i], w.after[i].follower
	if w.isHeading(i) {
		return Heading, weightHeading
	}
	if feature, weight := w.followed(i); feature != "" {
		return feature, weight
	}
	switch {
	case s.classes.has(addr | offer | ask | please):
		return Question, weightQuestion
	case s.classes.has(alt) && (w.inLastParagraph(i) || follows == nil && !w.after[i].acted):
		return Question, weightLast
	case follows != nil && follows.classes.has(halt) && !s.classes.has(why) && !w.after[i].acts:
		return Question, weightLast
	case follows != nil:
		return Rhetorical, weightRhetorical
	case w.after[i].nothing:
		return Question, weightLast
	}
	return OpenQuestion, weightOpen
}

// isHeading reports whether a question has text under it. A bold one above
// nothing but options asks.
func (w *weighing) isHeading(i int) bool {
	s, follows := &w.all[i], w.after[i].follower
	if s.lettered && follows != nil && follows.lettered {
		return true
	}
	asks := s.classes.has(addr|offer|ask|choice) && w.after[i].nothing
	return (s.kind == heading || s.bold && !asks) && i+1 < len(w.all)
}

// followed weighs a question by what is stated after it, if that decides.
func (w *weighing) followed(i int) (string, float64) {
	s, follows := &w.all[i], w.after[i].follower
	switch {
	case follows == nil:
		return "", 0
	case s.classes.has(told):
		return Rhetorical, weightRhetorical
	case follows.begins.has(then):
		return Consequence, weightConsequence
	case follows.begins.has(answer), s.classes.has(offer) && follows.begins.has(next):
		return Rhetorical, weightRhetorical
	case s.classes.has(choice) && !s.classes.has(why) && !w.after[i].acts:
		return Question, weightQuestion
	}
	return "", 0
}

// inLastParagraph reports whether nothing but closings stands after its paragraph.
func (w *weighing) inLastParagraph(i int) bool {
	return w.last < 0 || w.all[i].paragraph >= w.all[w.last].paragraph
}

// ruled is what the rules make of a sentence in its answer.
func (w *weighing) ruled(i int) (string, float64) {
	feature, weight := w.all[i].rule, w.all[i].ruled
	if feature == "" {
		return "", 0
	}
	if w.composing && feature != Waiting && feature != Offer && w.delivered(i, weight) {
		feature, weight = Deliverable, weight*factorDeliverable
	}
	if w.tools && feature != Waiting && !(feature == Request && w.all[i].classes.has(topics) && w.all[i].classes.has(you)) {
		feature, weight = GoesOn, weight*factorGoesOn
	}
	return feature, weight
}

// delivered reports whether what asks is what the task was to write, and not a question
// about it: a part of a list, put to no one, or in an answer that is a letter or
// shows the work.
func (w *weighing) delivered(i int, weight float64) bool {
	s := &w.all[i]
	switch {
	case s.kind == item, w.greets && !s.classes.has(offer):
		return true
	case s.classes.has(offer | before | halt | wish | need | artefact), i == w.last && i > 0 && !w.all[i-1].question && (weight > weightLast || weight == weightLast && !w.anywhere.has(shown|finished)):
		return false
	}
	return weight <= weightLast || w.anywhere.has(shown|finished) || !w.states
}
