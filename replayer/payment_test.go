package replayer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

const (
	bill = `<p id=to>Meadow Water</p><p id=sum>12,00 €</p>`
	// readsBill asks for what bill shows.
	readsBill = `{"tool":"approve","args":{"payee":"#to","amount":"#sum"}}`
)

// paying is a document that pays a bill, by these steps.
func paying(t *testing.T, s *till, steps string) *automation.Automation {
	t.Helper()
	return document(t, s.URL, fmt.Sprintf(`%s,{"tool":"waitForNav","url":"%s/thanks"}`, steps, s.URL[len("http://"):]))
}

func TestOnePaymentIsOneQuestion(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"declared":          readsBill + `,{"tool":"click","selector":"#pay","effect":"commit"}`,
		"not declared":      readsBill + `,{"tool":"click","selector":"#pay"}`,
		"after a field":     readsBill + `,{"tool":"typeInput","selector":"[name=note]","value":{"kind":"literal","value":"thanks"}},{"tool":"click","selector":"#pay","effect":"commit"}`,
		"by a key":          readsBill + `,{"tool":"keypress","selector":"#pay","key":"Enter"}`,
		"a label that lies": readsBill + `,{"tool":"click","selector":"#more"}`,
	} {
		for _, policy := range []replayer.CommitPolicy{replayer.AskCommits, replayer.AllowCommits} {
			t.Run(name+" "+string(policy), func(t *testing.T) {
				t.Parallel()
				s := startTill(t, bill+`<form method=post action=/order><input name=note><button id=pay>Pay</button><button id=more>Show more</button></form>`)
				page := browsertest.Page(t, s.URL)
				person := &approver{yes: true}
				if _, err := replayer.Play(t.Context(), page, paying(t, s, steps), &replayer.Options{Person: person, Commit: policy, Timeout: 5 * time.Second}); err != nil {
					t.Fatal(err)
				}
				if s.orders.Load() != 1 || len(person.asked) != 1 {
					t.Fatalf("%d orders, after %d questions: %+v", s.orders.Load(), len(person.asked), person.asked)
				}
				a := person.asked[0]
				if a.Payee != "Meadow Water" || a.Amount != "12,00 €" || a.Origin != s.URL || a.Label == "" || a.Tool == "approve" {
					t.Errorf("asked was %+v", a)
				}
				if picture, err := jpeg.Decode(bytes.NewReader(a.Picture)); err != nil || picture.Bounds().Empty() || len(a.Picture) > replayer.MaxApprovalPicture {
					t.Errorf("its picture has %d bytes: %v", len(a.Picture), err)
				}
			})
		}
	}
}

// What is asked for elsewhere is asked for where it stands: the page of the step that sends may show nothing of it.
func TestAnApproveStepWhoseCommitDoesNotFollowAsksItself(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		steps string
		asked []int // steps
	}{
		"nothing follows":       {readsBill, []int{0}},
		"only reads follow":     {readsBill + `,{"tool":"waitFor","selector":"#to"}`, []int{0}},
		"another press between": {readsBill + `,{"tool":"click","selector":"#more"},{"tool":"click","selector":"#pay","effect":"commit"}`, []int{0, 2}},
		"two of them":           {readsBill + `,` + readsBill + `,{"tool":"click","selector":"#pay","effect":"commit"}`, []int{0, 2}},
		"a page between":        {readsBill + `,{"tool":"navigate","url":"%[1]s/"},{"tool":"click","selector":"#pay","effect":"commit"}`, []int{0, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, bill+`<button id=more onclick="this.disabled = true">Show more</button><form method=post action=/order><button id=pay>Pay</button></form>`)
			page := browsertest.Page(t, s.URL)
			person := &approver{yes: true}
			a := document(t, s.URL, strings.ReplaceAll(test.steps, "%[1]s", s.URL))
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: 5 * time.Second}); err != nil {
				t.Fatal(err)
			}
			var asked []int
			for _, a := range person.asked {
				asked = append(asked, a.Step)
			}
			if fmt.Sprint(asked) != fmt.Sprint(test.asked) {
				t.Errorf("asked was at %v, want %v", asked, test.asked)
			}
		})
	}
}

// attacks change, after the approval, what was approved.
var attacks = map[string]func(*browser.Page){
	"the amount": func(p *browser.Page) {
		p.Rod().MustEval(`() => { document.getElementById("sum").textContent = "1200,00 €" }`)
	},
	"the payee": func(p *browser.Page) {
		p.Rod().MustEval(`() => { document.getElementById("to").textContent = "Mallory" }`)
	},
	"the amount gone": func(p *browser.Page) { p.Rod().MustEval(`() => document.getElementById("sum").remove()`) },
	"the control": func(p *browser.Page) {
		p.Rod().MustEval(`() => { document.getElementById("pay").textContent = "Pay all" }`)
	},
	"the page": func(p *browser.Page) { p.Rod().MustEval(`() => history.pushState({}, "", "/other")`) },
	"two of the payee": func(p *browser.Page) {
		p.Rod().MustEval(`() => { const b = document.getElementById("to").cloneNode(); b.textContent = "Mallory"; document.body.prepend(b) }`)
	},
}

func TestWhatDiffersAfterTheAnswerIsNotPaid(t *testing.T) {
	t.Parallel()
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, bill+byForm)
			page := browsertest.Page(t, s.URL)
			person := &approver{yes: true, before: func() { attack(page) }}
			_, err := replayer.Play(t.Context(), page, paying(t, s, readsBill+`,{"tool":"click","selector":"#pay","effect":"commit"}`), &replayer.Options{Person: person, Timeout: 3 * time.Second})
			if err == nil || s.orders.Load() != 0 || len(person.asked) != 1 {
				t.Errorf("%d orders after %d questions, %v", s.orders.Load(), len(person.asked), err)
			}
		})
	}
}

// standing is limits that allow so many payments.
type standing struct {
	sync.Mutex
	left  int
	begun []replayer.Approval
	fail  error
}

func (s *standing) BeginPayment(_ context.Context, a replayer.Approval) error {
	s.Lock()
	defer s.Unlock()
	if s.fail != nil {
		return s.fail
	}
	if s.left == 0 {
		return replayer.ErrNotWithinLimit
	}
	s.left--
	s.begun = append(s.begun, a)
	return nil
}

func TestWhatIsWithinALimitIsPaidWithoutAsking(t *testing.T) {
	t.Parallel()
	const steps = readsBill + `,{"tool":"click","selector":"#pay","effect":"commit"}`
	for name, test := range map[string]struct {
		limits        *standing
		person        *approver
		policy        replayer.CommitPolicy
		steps         string
		orders, asked int
	}{
		"within":                  {&standing{left: 1}, &approver{}, "", steps, 1, 0},
		"within, no one to ask":   {&standing{left: 1}, nil, "", steps, 1, 0},
		"over":                    {&standing{}, &approver{yes: true}, "", steps, 1, 1},
		"over, denied":            {&standing{}, &approver{}, "", steps, 0, 1},
		"over, no one to ask":     {&standing{}, nil, "", steps, 0, 0},
		"nothing may be sent":     {&standing{left: 1}, &approver{yes: true}, replayer.RefuseCommits, steps, 0, 0},
		"the store is away":       {&standing{left: 1, fail: errors.New("away")}, &approver{yes: true}, "", steps, 0, 0},
		"sent before":             {&standing{left: 1, fail: replayer.ErrAlreadySent}, &approver{yes: true}, "", steps, 0, 0},
		"nothing tells the money": {&standing{left: 1}, &approver{yes: true}, "", `{"tool":"click","selector":"#pay","effect":"commit"}`, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, bill+byForm)
			page := browsertest.Page(t, s.URL)
			o := &replayer.Options{Limits: test.limits, Commit: test.policy, Timeout: 5 * time.Second}
			if test.person != nil {
				o.Person = test.person
			}
			_, err := replayer.Play(t.Context(), page, paying(t, s, test.steps), o)
			asked := 0
			if test.person != nil {
				asked = len(test.person.asked)
			}
			if got := int(s.orders.Load()); got != test.orders || asked != test.asked || (err == nil) != (test.orders > 0) {
				t.Errorf("%d orders, want %d; %d questions, want %d; %v", got, test.orders, asked, test.asked, err)
			}
			for _, a := range test.limits.begun {
				if a.Payee != "Meadow Water" || a.Amount != "12,00 €" || a.Origin != s.URL {
					t.Errorf("begun was %+v", a)
				}
			}
		})
	}
}

// A page may show another amount once the mouse is over the control: what is asked for, or counted, is what it shows as
// it is pressed.
func TestWhatIsPaidIsReadWithTheMouseOverTheControl(t *testing.T) {
	t.Parallel()
	const raises = ` onmouseover="document.getElementById('sum').textContent = '1200,00 €'"`
	const form = bill + `<form method=post action=/order><button id=pay` + raises + `>Pay</button></form>`
	for name, test := range map[string]struct{ html, step string }{
		"a form":    {form, `{"tool":"click","selector":"#pay","effect":"commit"}`},
		"a drag":    {form, `{"tool":"drag","selector":"#pay","args":{"to":"#pay"},"effect":"commit"}`},
		"a request": {bill + `<button id=pay` + raises + ` onclick="fetch('/order', {method: 'POST'}).then(() => location = '/thanks')">Pay</button>`, `{"tool":"click","selector":"#pay","effect":"commit"}`},
	} {
		for _, human := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", human input ", human), func(t *testing.T) {
				t.Parallel()
				for _, limits := range []*standing{{left: 1}, {}} {
					s := startTill(t, test.html)
					page := browsertest.Page(t, s.URL)
					person := &approver{yes: true}
					if _, err := replayer.Play(t.Context(), page, paying(t, s, readsBill+","+test.step), &replayer.Options{Limits: limits, Person: person, Humanize: human, Timeout: 5 * time.Second}); err != nil {
						t.Fatal(err)
					}
					read := limits.begun
					if len(read) == 0 {
						read = person.asked
					}
					if len(read) != 1 || read[0].Amount != "1200,00 €" || s.orders.Load() != 1 {
						t.Errorf("%d orders while the page showed 1200,00 €; read was %+v", s.orders.Load(), read)
					}
				}
			})
		}
	}
	t.Run("a form, requested by an agent", func(t *testing.T) {
		t.Parallel()
		s := startTill(t, form)
		page := browsertest.Page(t, s.URL)
		person := &approver{yes: true}
		session := replayer.Begin(page, &replayer.Options{Person: person, Timeout: 3 * time.Second})
		t.Cleanup(session.Close)
		click := oneStep(t, `{"tool":"click","selector":"#pay"}`)
		if _, err := session.RequestApproval(t.Context(), click, replayer.PaymentQuery{Payee: "#to", Amount: "#sum"}); err != nil {
			t.Fatal(err)
		}
		if _, err := session.Do(t.Context(), click); err != nil {
			t.Fatal(err)
		}
		if len(person.asked) != 1 || person.asked[0].Amount != "1200,00 €" || s.orders.Load() != 1 {
			t.Errorf("%d orders while the page showed 1200,00 €; asked was %+v", s.orders.Load(), person.asked)
		}
	})
}

// What a page sends as the mouse comes over the control of a payment is not approved yet.
func TestTheMouseOverAPaymentSendsNothing(t *testing.T) {
	t.Parallel()
	s := startTill(t, bill+`<form method=post action=/order><button id=pay onmouseover="fetch('/order', {method: 'POST'})">Pay</button></form>`)
	page := browsertest.Page(t, s.URL)
	person := &approver{}
	_, err := replayer.Play(t.Context(), page, paying(t, s, readsBill+`,{"tool":"click","selector":"#pay","effect":"commit"}`), &replayer.Options{Person: person, Timeout: 5 * time.Second})
	wantCode(t, err, replayer.Refused, 1)
	if s.orders.Load() != 0 || len(person.asked) == 0 {
		t.Errorf("%d orders, after %d questions", s.orders.Load(), len(person.asked))
	}
}

func TestSilenceIsNoConsent(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	for err, outcome := range map[error]string{replayer.ErrApprovalExpired: replayer.ApprovalExpired, nil: replayer.ApprovalDenied, errors.New("asleep"): ""} {
		_, failed := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Person: &approver{err: err}, Timeout: 5 * time.Second})
		if e := wantCode(t, failed, replayer.Refused, 0); e.Outcome != outcome {
			t.Errorf("%v has the outcome %q, want %q", err, e.Outcome, outcome)
		}
	}
	if s.orders.Load() != 0 {
		t.Error("it was ordered")
	}
}

// A lone caller has an approval before it presses: one question, with the money in it.
func TestARequestedApprovalIsForOnePress(t *testing.T) {
	t.Parallel()
	click := oneStep(t, `{"tool":"click","selector":"#pay"}`)
	bought := replayer.PaymentQuery{Payee: "#to", Amount: "#sum"}
	begin := func(t *testing.T, html string) (*till, *browser.Page, *approver, *replayer.Session) {
		s := startTill(t, html)
		page := browsertest.Page(t, s.URL)
		person := &approver{yes: true}
		session := replayer.Begin(page, &replayer.Options{Person: person, Timeout: 3 * time.Second})
		t.Cleanup(session.Close)
		return s, page, person, session
	}
	for name, html := range map[string]string{"a form": bill + byForm, "a request": bill + byFetch, "a label that lies": bill + `<button id=pay onclick="fetch('/order', {method: 'POST'})">Show more</button>`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, person, session := begin(t, html)
			if _, err := session.RequestApproval(t.Context(), oneStep(t, `{"tool":"click","selector":"#pay"}`), bought); err != nil {
				t.Fatal(err)
			}
			if _, err := session.Do(t.Context(), click); err != nil {
				t.Fatal(err)
			}
			if s.orders.Load() != 1 || len(person.asked) != 1 || person.asked[0].Amount != "12,00 €" || person.asked[0].Payee != "Meadow Water" || person.asked[0].Label == "" || len(person.asked[0].Picture) == 0 {
				t.Errorf("%d orders, asked %+v", s.orders.Load(), person.asked)
			}
		})
	}
	for name, attack := range attacks {
		t.Run("changed is "+name, func(t *testing.T) {
			t.Parallel()
			s, page, person, session := begin(t, bill+byForm)
			if _, err := session.RequestApproval(t.Context(), click, bought); err != nil {
				t.Fatal(err)
			}
			attack(page)
			if name == "the control" {
				person.yes = false // it is another, and asked for as one
			}
			_, err := session.Do(t.Context(), click)
			if err == nil || s.orders.Load() != 0 {
				t.Errorf("%d orders, %v", s.orders.Load(), err)
			}
		})
	}
	t.Run("a second payment", func(t *testing.T) {
		t.Parallel()
		s, _, person, session := begin(t, bill+`<button id=pay onclick="fetch('/order', {method: 'POST'})">Pay</button>`)
		if _, err := session.RequestApproval(t.Context(), click, bought); err != nil {
			t.Fatal(err)
		}
		if _, err := session.Do(t.Context(), click); err != nil {
			t.Fatal(err)
		}
		person.yes = false
		if _, err := session.Do(t.Context(), click); err == nil || s.orders.Load() != 1 || len(person.asked) != 2 {
			t.Errorf("%d orders after %d questions, %v", s.orders.Load(), len(person.asked), err)
		}
	})
	t.Run("denied", func(t *testing.T) {
		t.Parallel()
		s, _, person, session := begin(t, bill+byForm)
		person.yes = false
		if _, err := session.RequestApproval(t.Context(), click, bought); err == nil {
			t.Error("it was approved")
		}
		if _, err := session.Do(t.Context(), click); err == nil || s.orders.Load() != 0 {
			t.Errorf("%d orders, %v", s.orders.Load(), err)
		}
	})
}

// oneStep reads a step.
func oneStep(t *testing.T, text string) automation.Step {
	t.Helper()
	return document(t, "http://shop.example", text).Steps[0]
}
