package replayer_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// approver answers as the test sets it, and stores what it was asked.
type approver struct {
	yes     bool
	err     error
	before  func() // the answer
	asked   []replayer.Approval
	handed  []replayer.Handoff
	taking  func()
	refuses error
	returns replayer.Returned
}

func (s *approver) Approve(_ context.Context, a replayer.Approval) (bool, error) {
	s.asked = append(s.asked, a)
	if s.before != nil {
		s.before()
	}
	return s.yes, s.err
}

func (s *approver) TakeOver(_ context.Context, h replayer.Handoff) (replayer.Returned, error) {
	s.handed = append(s.handed, h)
	if s.taking != nil {
		s.taking()
	}
	return s.returns, s.refuses
}

func TestAStepAsksForWhatThePageShows(t *testing.T) {
	t.Parallel()
	server := serve(t, `<b id=to>Meadow Water</b><i id=sum>€42.00</i>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"approve","args":{"payee":"#to","amount":"#sum","currency":"EUR"}}`)
	_, err := replayer.Play(t.Context(), page, a, nil)
	wantCode(t, err, replayer.Refused, 0)
	yes := &approver{yes: true}
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: yes, Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if len(yes.asked) != 1 || yes.asked[0].Payee != "Meadow Water" || yes.asked[0].Amount != "€42.00" || yes.asked[0].Currency != "EUR" || yes.asked[0].Origin != server.URL {
		t.Errorf("asked for %+v", yes.asked)
	}
	moving := &approver{yes: true, before: func() { page.Rod().MustEval(`() => { document.getElementById("sum").textContent = "€4200.00" }`) }}
	_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Person: moving, Timeout: 5 * time.Second})
	wantCode(t, err, replayer.Refused, 0)
	elsewhere := document(t, server.URL, `{"tool":"approve","args":{"origin":"https://bank.example"}}`)
	_, err = replayer.Play(t.Context(), page, elsewhere, &replayer.Options{Person: yes})
	wantCode(t, err, replayer.Refused, 0)
}

func TestARunEndsWithWhomItIsFor(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p id=who>Hello, ADA@example.com!</p>`)
	page := browsertest.Page(t, server.URL)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"email":{"type":"string"}},"required":["email"]},
		"identity":{"selector":"#who","value":{"kind":"variable","name":"email"}},
		"steps":[{"tool":"waitFor","selector":"#who"}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	for email, ok := range map[string]bool{"ada@example.com": true, "grace@example.com": false} {
		_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"email": email}, Timeout: 5 * time.Second})
		if ok && err != nil {
			t.Errorf("%s: %v", email, err)
		} else if !ok {
			wantCode(t, err, replayer.OutOfScope, -1)
		}
	}
}

// leaving is an approver who is still asked when the run is cancelled.
type leaving struct{ cancel context.CancelCauseFunc }

func (l leaving) Approve(ctx context.Context, _ replayer.Approval) (bool, error) {
	l.cancel(errors.New("they went home"))
	return true, nil
}

func (l leaving) TakeOver(ctx context.Context, _ replayer.Handoff) (replayer.Returned, error) {
	l.cancel(errors.New("they went home"))
	return replayer.Returned{}, errors.New("interrupted")
}

func TestARunThatIsCancelledWhileAPersonIsAskedIsCancelled(t *testing.T) {
	t.Parallel()
	server := serve(t, `<b id=to>Meadow Water</b>`)
	page := browsertest.Page(t, server.URL)
	for _, step := range []string{`{"tool":"approve","args":{"payee":"#to"}}`, `{"tool":"handoff"}`} {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := replayer.Play(ctx, page, document(t, server.URL, step), &replayer.Options{Person: leaving{cancel}, Timeout: 5 * time.Second})
		wantCode(t, err, replayer.Cancelled, 0)
	}
}

func TestAStepHandsOverToAPerson(t *testing.T) {
	t.Parallel()
	server := serve(t, `<script>document.title = ""</script><button id=y onclick="document.title += 'y'">y</button>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"handoff","args":{"reason":"captcha","message":"please"}},{"tool":"click","selector":"#y"}`)
	_, err := replayer.Play(t.Context(), page, a, nil)
	wantCode(t, err, replayer.Blocked, 0)
	person := &approver{taking: func() { page.Rod().MustEval(`() => { document.title += "p" }`) }}
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "py" || len(person.handed) != 1 || person.handed[0].Reason != "captcha" {
		t.Errorf("%q, and handed over %+v", title, person.handed)
	}
}

func TestNoOnePaysAsAnother(t *testing.T) {
	t.Parallel()
	s := startTill(t, `<p data-email>Signed in as Ada@Example.com</p>`+byForm)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"email":{"type":"string"}},"required":["email"]},
		"identity":{"selector":"[data-email]","value":{"kind":"variable","name":"email"}},
		"steps":[{"tool":"click","selector":"#pay"}]}`, s.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, s.URL)
	_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"email": "grace@example.com"}, Commit: replayer.AllowCommits, Timeout: 2 * time.Second})
	wantCode(t, err, replayer.OutOfScope, 0)
	if s.orders.Load() != 0 {
		t.Error("someone else has paid")
	}
}

func TestTheTimeOfARunStandsStillWhileAPersonIsWaitedFor(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p id=here>here`)
	page := browsertest.Page(t, server.URL)
	const limit = 2 * time.Second
	person := &approver{taking: func() { <-time.After(limit + limit/2) }}
	a := document(t, server.URL, `{"tool":"handoff"},{"tool":"waitFor","selector":"#here"}`)
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, RunTimeout: limit}); err != nil {
		t.Error(err)
	}
	late := document(t, server.URL, `{"tool":"handoff"},{"tool":"waitFor","selector":"#nothing"}`)
	_, err := replayer.Play(t.Context(), page, late, &replayer.Options{Person: &approver{}, RunTimeout: limit})
	wantCode(t, err, replayer.Timeout, 1)
}
