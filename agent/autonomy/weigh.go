package autonomy

// Feature names what in an answer has spoken for or against its asking.
type Feature string

// The features of a verdict's reasons.
const (
	Question     Feature = "question"       // put to a person, or with nothing behind it
	Consequence  Feature = "consequence"    // a question, and what is done if it is answered with yes
	OpenQuestion Feature = "open_question"  // in the middle, to nobody
	Rhetorical   Feature = "rhetorical"     // answered, or gone on from, by the model itself
	Heading      Feature = "heading"        // a question as a heading, as in a list of questions and answers
	Request      Feature = "request"        // for a decision, leave or information, without a question
	Waiting      Feature = "waiting"        // says that it waits
	Offer        Feature = "offer"          // lets the person say whether it goes on
	Menu         Feature = "menu"           // ends with options
	Closing      Feature = "closing"        // polite, behind a finished report
	Deliverable  Feature = "deliverable"    // the task is to write what asks
	GoesOn       Feature = "goes_on"        // a tool is called in the same answer
	Wording      Feature = "wording"        // no rule, but words that ask elsewhere
	CallsAPerson Feature = "calls_a_person" // by the tool that is there for it
)

// The weights: how sure a feature alone would make it that an answer asks. They
// decide where a program's own phrase stands; everywhere else the rules give a
// feature its name, and what was learnt its weight (learnt.go).
const (
	weightWaiting     = 0.94 // hardly ever said by one that goes on
	weightQuestion    = 0.92 // put to a person
	weightRequest     = 0.90
	weightConsequence = 0.88
	weightOffer       = 0.86
	weightLast        = 0.85 // to nobody, but the last thing that is said
	weightMenu        = 0.60 // a list of options can be a report, too
	weightOpen        = 0.40
	weightRhetorical  = 0.15
	weightHeading     = 0.05
	weightClosing     = 0.05

	factorDeliverable = 0.15 // what is left of a question where the task is to write one
	factorGoesOn      = 0.25 // what is left of it where a tool is called
	worthALook        = 0.50 // from here on it is told what the answer is about
)

// weighing weighs the sentences of one answer.
type weighing struct {
	all       []sentence
	tools     bool
	composing bool
	greets    bool  // it begins as a letter does
	task      bool  // it was told what to do
	questions int   // at its end
	last      int   // the last sentence that says something, but closings
	anywhere  class // what is found in any of them, at its end
	states    bool  // something there is no question
	list      int   // where the list begins that all ends with
	behind    []rest
}

// ruled is what the rules make of a sentence in its answer.
func (w *weighing) ruled(i int) (Feature, float64) {
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

// delivered is whether what asks is what the task was to write, and not a question
// about it: a part of a list, put to nobody, or in an answer that is a letter or
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

func (w *weighing) lastSaid() int {
	for i := len(w.all) - 1; i >= 0; i-- {
		if !w.all[i].classes.has(polite) {
			return i
		}
	}
	return -1
}

// sentence weighs one of them.
func (w *weighing) sentence(i int) (Feature, float64) {
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

// waits is whether it says that nothing goes on before somebody has answered.
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

// requests is whether a statement asks for something.
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

// courteous is whether what is offered stands behind a finished report.
func (w *weighing) courteous() bool {
	return w.anywhere.has(finished) && !w.anywhere.has(halt)
}

// handsOver is whether an answer ends with what the model cannot or has not done,
// where something that only a person may settle is demanded.
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

// reachOfHandover is how many sentences before the last may tell what is demanded.
const reachOfHandover = 2

// endsInList is whether only a list, of at least two, stands behind a sentence.
func (w *weighing) endsInList(i int) bool {
	return i+1 >= w.list && len(w.all)-i > 2
}
