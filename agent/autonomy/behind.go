package autonomy

import "slices"

// rest is what stands behind a sentence. It is gathered once for all of them,
// from the last to the first, so that the time stays linear.
type rest struct {
	follower *sentence // what is stated behind a question and those asked with it, in the same paragraph
	acts     bool      // the model goes on by itself, in the same paragraph
	acted    bool      // it tells what it has done
	nothing  bool      // there are only lists, other questions and closings
}

// sentencesOfEnd is how many sentences an answer is weighed by as a whole, its last ones. A
// report on a day's work speaks of everything somewhere, and asks or does not ask at its end;
// nearly all answers that weights were learnt from are no longer than this.
const sentencesOfEnd = 24

// end is where the end begins.
func (w *weighing) end() int { return max(0, len(w.all)-sentencesOfEnd) }

// look gathers what is weighed of the answer as a whole.
func (w *weighing) look() {
	w.last = w.lastSaid()
	w.behind = slices.Grow(w.behind[:0], len(w.all))[:len(w.all)]
	w.list = len(w.all)
	here := rest{nothing: true}
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
		w.behind[i] = here
		w.pass(&here, i)
	}
}

// pass takes a sentence into what stands behind the ones before it.
func (w *weighing) pass(here *rest, i int) {
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
