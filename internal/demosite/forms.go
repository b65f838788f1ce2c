package demosite

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The limits of the plain form. The page states the same ones in its attributes, so that a recorder
// can read them there; the server is the one who decides.
const (
	maxLine     = 80
	maxNote     = 500
	maxQuantity = 20
)

// phone is what a person may type as a telephone number; the page's pattern attribute is the same.
var phone = regexp.MustCompile(`^\+?[0-9 ()\-]{6,20}$`)

var (
	countries  = []string{"Austria", "France", "Germany", "India", "Japan", "Kenya", "Norway", "Spain", "Switzerland", "United States"}
	deliveries = []string{"standard", "express", "pickup"}
)

// fields are what the form asks for, in the order of the page. A check says what is wrong with a
// value, or nothing.
var fields = []struct {
	name, label string
	check       func(string) string
}{
	{"name", "Full name", line},
	{"email", "Email", email},
	{"phone", "Phone", matches(phone, "enter a telephone number, for example +43 512 0123")},
	{"city", "City", line},
	{"country", "Country", oneOf(countries, "choose one from the list")},
	{"quantity", "Boxes", quantity},
	{"date", "Send on", date},
	{"delivery", "Delivery", oneOf(deliveries, "choose how it should reach you")},
	{"note", "Note", note},
	{"gift", "Gift", oneOf([]string{"", "yes"}, "is either chosen or not")},
	{"terms", "Terms", oneOf([]string{"accepted"}, "accept them to go on")},
}

// Submissions returns what was sent with the plain form and found valid, in order, in clear. The
// form asks for no secret.
func (s *Site) Submissions() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	copies := make([]url.Values, len(s.submissions))
	for i, v := range s.submissions {
		copies[i] = cloneValues(v)
	}
	return copies
}

// formView is what the plain form is rendered from.
type formView struct {
	base
	Values    url.Values
	Problems  []problem
	Countries []string
	Reference string
}

// problem is what is wrong with a field.
type problem struct{ Field, Label, Message string }

// Mark returns the attributes of a field that has to be looked at again.
func (v formView) Mark(field string) template.HTMLAttr {
	if slices.ContainsFunc(v.Problems, func(p problem) bool { return p.Field == field }) {
		return `aria-invalid="true" aria-describedby="form-errors"`
	}
	return ""
}

func (s *Site) form(w http.ResponseWriter, _ *http.Request) {
	render(w, http.StatusOK, "form.html", formView{Countries: countries})
}

func (s *Site) submitForm(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	if wrong := validate(r.PostForm); len(wrong) > 0 {
		render(w, http.StatusUnprocessableEntity, "form.html", formView{Values: r.PostForm, Problems: wrong, Countries: countries})
		return
	}
	s.mu.Lock()
	s.submissions = append(s.submissions, cloneValues(r.PostForm))
	reference := reference(len(s.submissions))
	s.mu.Unlock()
	http.Redirect(w, r, "/form/done?"+url.Values{"ref": {reference}}.Encode(), http.StatusSeeOther)
}

func (s *Site) formDone(w http.ResponseWriter, r *http.Request) {
	asked := r.FormValue("ref")
	n, err := strconv.Atoi(strings.TrimPrefix(asked, "M-"))
	sent := s.Submissions()
	if err != nil || n < 1 || n > len(sent) || reference(n) != asked {
		s.notFound(w, r)
		return
	}
	render(w, http.StatusOK, "done.html", formView{Values: sent[n-1], Reference: asked})
}

// reference counts, so that a first submission has the same reference on every run.
func reference(n int) string { return fmt.Sprintf("M-%05d", n) }

// validate returns what is wrong: each field at most once, and none that the form does not have.
func validate(form url.Values) []problem {
	var wrong []problem
	sent := 0
	for _, f := range fields {
		message := f.check(form.Get(f.name))
		if len(form[f.name]) > 1 {
			message = "was sent more than once"
		}
		if message != "" {
			wrong = append(wrong, problem{f.name, f.label, message})
		}
		if form.Has(f.name) {
			sent++
		}
	}
	if sent < len(form) {
		wrong = append(wrong, problem{"order", "Form", "it was sent with a field that it does not have"})
	}
	return wrong
}

func line(v string) string {
	if n := utf8.RuneCountInString(v); n < 2 || n > maxLine {
		return fmt.Sprintf("enter 2 to %d characters", maxLine)
	}
	return ""
}

func email(v string) string {
	if a, err := mail.ParseAddress(v); err != nil || a.Address != v {
		return "enter an address, for example ada@example.com"
	}
	return ""
}

func quantity(v string) string {
	if n, err := strconv.Atoi(v); err != nil || n < 1 || n > maxQuantity {
		return fmt.Sprintf("enter a number from 1 to %d", maxQuantity)
	}
	return ""
}

func date(v string) string {
	if _, err := time.Parse(time.DateOnly, v); err != nil {
		return "choose a date"
	}
	return ""
}

func note(v string) string {
	// A browser counts a line break as one character and sends two.
	if utf8.RuneCountInString(strings.ReplaceAll(v, "\r\n", "\n")) > maxNote {
		return fmt.Sprintf("write at most %d characters", maxNote)
	}
	return ""
}

func matches(pattern *regexp.Regexp, message string) func(string) string {
	return func(v string) string {
		if pattern.MatchString(v) {
			return ""
		}
		return message
	}
}

func oneOf(allowed []string, message string) func(string) string {
	return func(v string) string {
		if slices.Contains(allowed, v) {
			return ""
		}
		return message
	}
}

// Payment is a bill that was paid: the site takes each that it is sent, also a second one
// for the same bill, so that who asks knows how often someone paid.
type Payment struct {
	Reference string // of the bill, as it was typed
	Card      string // its last four digits
}

// What each bill is for.
const (
	billPayee  = "Meadow Water"
	billAmount = "€42.00"
)

var (
	billReference = regexp.MustCompile(`^[A-Z]{1,3}-[0-9]{1,12}$`)
	cardNumber    = regexp.MustCompile(`^[0-9]{13,19}$`)
)

// Payments returns what was paid, in order.
func (s *Site) Payments() []Payment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.payments)
}

// billView is what the pages of a bill are rendered from.
type billView struct {
	base
	Reference, Payee, Amount, Last4, Problem string
}

func (s *Site) bill(w http.ResponseWriter, _ *http.Request) {
	render(w, http.StatusOK, "bill.html", billView{})
}

// checkBill notes what is to be paid, and by which card, and shows it again.
func (s *Site) checkBill(w http.ResponseWriter, r *http.Request) {
	reference, card := r.PostFormValue("reference"), strings.ReplaceAll(r.PostFormValue("card"), " ", "")
	if !billReference.MatchString(reference) || !cardNumber.MatchString(card) {
		render(w, http.StatusUnprocessableEntity, "bill.html", billView{Reference: reference, Problem: "Enter the bill's reference, like W-1017, and a card number."})
		return
	}
	id := rand.Text()
	s.mu.Lock()
	s.bills[id] = Payment{reference, card[len(card)-4:]}
	s.mu.Unlock()
	setCookie(w, r, billCookie, id)
	http.Redirect(w, r, "/bill/review", http.StatusSeeOther)
}

const billCookie = "meadow-bill"

func (s *Site) known(r *http.Request) (Payment, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.bills[cookieValue(r, billCookie)]
	return p, ok
}

func (s *Site) reviewBill(w http.ResponseWriter, r *http.Request) {
	p, ok := s.known(r)
	if !ok {
		http.Redirect(w, r, "/bill", http.StatusSeeOther)
		return
	}
	render(w, http.StatusOK, "review.html", billView{Reference: p.Reference, Last4: p.Card, Payee: billPayee, Amount: billAmount})
}

// pay takes the payment, whatever was paid before.
func (s *Site) pay(w http.ResponseWriter, r *http.Request) {
	p, ok := s.known(r)
	if !ok {
		http.Error(w, "there is no bill to pay", http.StatusConflict)
		return
	}
	s.mu.Lock()
	s.payments = append(s.payments, p)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]string{"paid": "/bill/paid"}) // fails only when the browser has gone
}

func (s *Site) billPaid(w http.ResponseWriter, r *http.Request) {
	p, ok := s.known(r)
	if !ok {
		s.notFound(w, r)
		return
	}
	render(w, http.StatusOK, "paid.html", billView{Reference: p.Reference, Payee: billPayee, Amount: billAmount})
}

// A sign-in has to end within flowLife; what is older is forgotten when the next one starts.
const flowLife = 10 * time.Minute

// flow is one attempt to sign in, from the e-mail page to the session. Its token is the page's CSRF
// token: it is worth something only together with the cookie of the browser that it was given to,
// and is spent by the password that it carries, right or wrong.
type flow struct {
	token   string
	visitor string // the pre-session cookie it is bound to
	email   string // set by a successful look-up: the first step is done
	failed  bool   // the last password was wrong
	born    time.Time
	order   int
}

// flows keeps the attempts that are under way. The Site's lock guards it.
type flows struct {
	byToken  map[string]*flow
	byTicket map[string]*flow // past the password, on the way through the redirects
	visitors map[string]bool
	count    int
}

func newFlows() flows {
	return flows{byToken: map[string]*flow{}, byTicket: map[string]*flow{}, visitors: map[string]bool{}}
}

// begin starts an attempt for a visitor, and makes a new visitor of one that the site does not know.
func (f *flows) begin(visitor string, now time.Time) *flow {
	f.forgetBefore(now.Add(-flowLife))
	if !f.visitors[visitor] {
		visitor = rand.Text()
		f.visitors[visitor] = true
	}
	return f.add(&flow{visitor: visitor, born: now})
}

// find returns the attempt of a token that was given to this visitor.
func (f *flows) find(token, visitor string) (*flow, bool) {
	a, ok := f.byToken[token]
	if !ok || a.visitor != visitor {
		return nil, false
	}
	return a, true
}

// identified returns the visitor's newest attempt whose first step is done.
func (f *flows) identified(visitor string) (*flow, bool) {
	var newest *flow
	for _, a := range f.byToken {
		if a.visitor == visitor && a.email != "" && (newest == nil || a.order > newest.order) {
			newest = a
		}
	}
	return newest, newest != nil
}

// fail spends the token of an attempt with a wrong password and gives it another.
func (f *flows) fail(a *flow) {
	delete(f.byToken, a.token)
	a.failed = true
	f.add(a)
}

// pass spends the token of an attempt with the right password for a ticket to the redirects.
func (f *flows) pass(a *flow) (ticket string) {
	delete(f.byToken, a.token)
	ticket = rand.Text()
	f.byTicket[ticket] = a
	return ticket
}

// ticketed returns the attempt that a ticket was given for, if this visitor made it.
func (f *flows) ticketed(ticket, visitor string) (*flow, bool) {
	a, ok := f.byTicket[ticket]
	if !ok || a.visitor != visitor {
		return nil, false
	}
	return a, true
}

func (f *flows) add(a *flow) *flow {
	f.count++
	a.token, a.order = rand.Text(), f.count
	f.byToken[a.token] = a
	return a
}

func (f *flows) forgetBefore(limit time.Time) {
	for _, m := range []map[string]*flow{f.byToken, f.byTicket} {
		for key, a := range m {
			if a.born.Before(limit) {
				delete(m, key)
			}
		}
	}
}
