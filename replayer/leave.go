package replayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/commit"
	"github.com/go-reprise/reprise/internal/target"
)

// CommitPolicy says what becomes of a step that commits somebody to something: that
// pays, orders, sends or deletes.
type CommitPolicy string

// The policies. The default asks, and refuses where there is nobody to ask.
const (
	AskCommits    CommitPolicy = "ask"    // Options.Person is asked before each
	AllowCommits  CommitPolicy = "allow"  // they are done
	RefuseCommits CommitPolicy = "refuse" // the run ends before the first
)

// effects, weakest first.
var effects = []automation.Effect{"", automation.Read, automation.Write, automation.Commit}

// stronger is the stronger of two effects.
func stronger(a, b automation.Effect) automation.Effect {
	return effects[max(slices.Index(effects, a), slices.Index(effects, b))]
}

// errDry ends a dry run before what commits.
var errDry = errors.New("it commits to something, and a dry run ends before it")

// needApproval is the error of a call that a person must say yes to first: it is
// made again with their answer, and what is there must be the same then.
type needApproval struct{ Approval }

func (needApproval) Error() string { return "it needs an approval" }

// declared is mayCommit for a tool or a step that says itself that it commits; those
// that press or type a key look at what the control says, and ask then.
func (c *call) declared(ctx context.Context, t tool) error {
	c.effect = stronger(c.effect, stronger(t.effect, c.step.Effect))
	if c.effect != automation.Commit || c.dry || c.looksItself() {
		return nil
	}
	return c.mayCommit(ctx, c.page.Main(), commit.Evidence{})
}

// looksItself says which tools look at what a control says before they use it.
func (c *call) looksItself() bool { return pressing(c.step.Tool) }

func pressing(tool string) bool {
	switch tool {
	case "click", "check", "drag", "keypress":
		return true
	}
	return false
}

// mayCommit is called right before something is sent off, with the evidence of the
// control that sends it. It returns nil for what does not commit, and for what may: then
// it has been noted that it is sent. What the document declares can only raise it.
func (c *call) mayCommit(ctx context.Context, f *target.Frame, e commit.Evidence) error {
	verdict := commit.Judge(e)
	if verdict != commit.Harmless && c.leadsOn(e) {
		verdict = commit.Harmless
	}
	if c.looksItself() && c.step.Tool != "check" {
		c.effect = stronger(c.effect, automation.Write)
	}
	if verdict == commit.Commits {
		c.effect = automation.Commit
	}
	label := c.run.scrub.text(e.Label)
	if c.effect != automation.Commit || c.sent { // what a step is made of is sent with it
		c.pressedIn, c.sendsForm = f, e.Action != "" && !(e.Beside && e.Method == "")
		c.run.hold.begin(c, commit.Press{Verdict: verdict, SignsIn: e.SignsIn(), Recorded: c.wasRecorded()}, label)
		return nil
	}
	switch {
	case c.run.options.DryRun:
		return errDry
	}
	asked := Approval{
		Run: c.run.id, Step: c.index, Tool: c.step.Tool, Intent: c.step.Intent,
		Says: label, Origin: origin(f.Address()), URL: c.run.scrub.text(shown(c.page.URL())),
	}
	if err := c.permitted(asked); err != nil {
		return err
	}
	if err := c.run.isWho(ctx, false); err != nil {
		return err
	}
	if err := c.sending(ctx, f); err != nil {
		return err
	}
	c.pressedIn = f
	c.run.hold.begin(c, commit.Press{Verdict: verdict}, label)
	return nil
}

// leadsOn reports whether a control leads on by its label, as Continue does before the step that
// pays, and the document goes on to press something. What its request goes to is looked at all the same.
func (c *call) leadsOn(e commit.Evidence) bool {
	if c.run.lone || c.effect == automation.Commit || !commit.LeadsOn(e.Label) {
		return false
	}
	later := c.run.automation.Steps[c.index+1:]
	return slices.ContainsFunc(later, func(step automation.Step) bool { return pressing(step.Tool) })
}

// wasRecorded reports whether a recorder has seen what the step sets off, and took it for
// something that does not commit. What an agent calls, or another tool has written, says
// nothing of the kind.
func (c *call) wasRecorded() bool {
	return !c.run.lone && c.step.Effect == automation.Write && c.step.Fingerprint != nil
}

// permitted says whether the caller, or a person, lets it be sent.
func (c *call) permitted(asked Approval) error {
	switch policy := c.run.options.Commit; {
	case policy == AllowCommits:
		return nil
	case policy == RefuseCommits:
		return c.refusedCommit(asked, "and this run may not commit to anything")
	case c.run.options.Person == nil:
		return c.refusedCommit(asked, "and there is nobody to ask: give the run a Person, or say that it may (Commit: AllowCommits)")
	case c.approved == nil:
		return needApproval{asked}
	case *c.approved != asked:
		return c.refusedCommit(asked, fmt.Sprintf("and what was approved was %s", c.approved.what()))
	}
	return nil
}

func (c *call) refusedCommit(a Approval, why string) *Error {
	return &Error{Code: Refused, Reason: fmt.Sprintf("it commits (%s), %s", a.what(), why), Suggestion: suggest("request_human", "approval")}
}

func (a Approval) what() string {
	if a.Request != "" {
		pressed := ""
		if a.Says != "" {
			pressed = fmt.Sprintf("%q sends ", strings.ReplaceAll(a.Says, "\n", " / "))
		}
		return fmt.Sprintf("%s%s %s, %d bytes of %s", pressed, a.Method, a.Request, a.Size, cmp.Or(a.Type, "an unknown type"))
	}
	if a.Says == "" {
		return fmt.Sprintf("the step says so, on %s", a.Origin)
	}
	return fmt.Sprintf("%q on %s", strings.ReplaceAll(a.Says, "\n", " / "), a.Origin)
}
