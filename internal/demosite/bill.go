package demosite

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Payment is a bill that was paid: the site takes each that it is sent, also a second one
// for the same bill, so that who asks knows how often somebody paid.
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
