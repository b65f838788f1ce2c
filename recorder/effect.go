package recorder

import "github.com/go-reprise/reprise/automation"

// effectOf is what a step does to the world, as far as its recording shows: a
// control that says that it pays, orders, sends or deletes commits; any other that
// sets something off writes, unless it only led elsewhere; setting a value reads. It
// is a proposal: the person knows better. What scripts send is not looked at, as the
// browser would tell of it with all that it carries.
func (en *entry) effectOf() automation.Effect {
	switch {
	case en.step.Tool == "waitForNav":
		return "" // waits for what another step did
	case en.step.Tool == "upload", en.step.Tool == "drag":
		return automation.Write // a page may send, or keep, what it is given at once
	case !en.acts():
		return automation.Read
	case automation.SaysCommit(en.says()):
		return automation.Commit
	case en.led == "formSubmissionPost":
		return automation.Write
	case en.led == "formSubmissionGet", en.el != nil && en.el.role == "link", en.step.Key == "Tab", en.step.Key == "Shift+Tab":
		return automation.Read
	}
	return automation.Write
}

// acts reports whether the step sets something off, and not only a value.
func (en *entry) acts() bool { return en.step.Tool == "click" || en.step.Tool == "keypress" }

// says is what the control says that the step uses.
func (en *entry) says() string {
	switch {
	case en.submit != "":
		return en.submit
	case en.el != nil && !en.el.editable:
		return en.el.label
	}
	return ""
}
