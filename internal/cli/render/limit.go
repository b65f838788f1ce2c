package render

import (
	"fmt"
	"time"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/plaintext"
	"github.com/go-reprise/reprise/store"
)

// Limit is a standing limit as --json prints it. Amounts are decimals.
type Limit struct {
	ID       string           `json:"id"`
	Site     string           `json:"site,omitempty"`
	Payee    string           `json:"payee,omitempty"`
	Currency string           `json:"currency,omitempty"`
	Each     string           `json:"each,omitempty"`
	Sum      string           `json:"sum,omitempty"`
	Per      store.Period     `json:"per,omitempty"`
	Spent    string           `json:"spent,omitempty"` // in the period of now
	Rest     string           `json:"rest,omitempty"`
	Until    time.Time        `json:"until,omitzero"` // when the next period begins
	By       string           `json:"by,omitempty"`
	Created  time.Time        `json:"created,omitzero"`
	Error    *failure.Failure `json:"error,omitempty"`
}

// LimitOf returns the view of a stored limit.
func LimitOf(l store.LimitSummary) Limit {
	if l.Err != nil {
		return Limit{ID: l.ID, Error: failure.Ptr(l.Err)}
	}
	v := Limit{ID: l.ID, Site: l.Site, Payee: l.Payee, Currency: l.Currency, Each: l.Each.Decimal(), Sum: l.Sum.Decimal(), Per: l.Per, By: l.By, Created: l.Created}
	if !l.Left.Until.IsZero() {
		v.Spent, v.Rest, v.Until = l.Left.Spent.Decimal(), l.Left.Rest.Decimal(), l.Left.Until
	}
	return v
}

// Limits is a table of limits.
func Limits(all []Limit) string {
	rows := [][]string{{"LIMIT", "SITE", "PAYEE", "EACH", "SUM", "PER", "SPENT", "LEFT", "BY"}}
	for _, l := range all {
		if l.Error != nil {
			rows = append(rows, []string{l.ID, unreadable(l.Error)})
			continue
		}
		rows = append(rows, []string{l.ID, l.Site, plaintext.Line(l.Payee), l.Each, l.Sum + " " + l.Currency, string(l.Per), l.Spent, l.Rest, or(l.By, "-")})
	}
	return Table(rows)
}

// LimitLine describes a limit on one line.
func LimitLine(l store.Limit) string {
	return fmt.Sprintf("%v each, %v a %s, to %s at %s", l.Each, l.Sum, l.Per, plaintext.Line(l.Payee), l.Site)
}

// LimitAdded is the line that confirms a limit.
func LimitAdded(s Style, l store.Limit) string {
	return fmt.Sprintf("%s No one is asked for %s.\n  reprise limits rm %s ends that.\n", s.Green("✓"), LimitLine(l), l.ID)
}

// Payment is an entry of the ledger as --json prints it.
type Payment struct {
	Run      string            `json:"run"`
	Step     int               `json:"step"` // index
	Site     string            `json:"site,omitempty"`
	Payee    string            `json:"payee,omitempty"`
	Amount   string            `json:"amount,omitempty"` // decimal
	Currency string            `json:"currency,omitempty"`
	Begun    time.Time         `json:"begun,omitzero"`
	State    store.LedgerState `json:"state,omitempty"`
	Error    *failure.Failure  `json:"error,omitempty"`
}

// PaymentOf returns the view of an entry.
func PaymentOf(e store.LedgerEntry) Payment {
	if e.Err != nil {
		return Payment{Run: e.Run, Step: e.Step, Error: failure.Ptr(e.Err)}
	}
	return Payment{Run: e.Run, Step: e.Step, Site: e.Site, Payee: e.Payee, Amount: e.Amount.Decimal(), Currency: e.Amount.Currency, Begun: e.Begun, State: e.State}
}

// Payments is a table of the ledger.
func Payments(all []Payment) string {
	rows := [][]string{{"BEGUN", "STATE", "AMOUNT", "PAYEE", "SITE", "RUN", "STEP"}}
	for _, p := range all {
		if p.Error != nil {
			rows = append(rows, []string{"-", "-", "-", "-", "-", p.Run, fmt.Sprint(p.Step + 1), unreadable(p.Error)})
			continue
		}
		rows = append(rows, []string{p.Begun.Local().Format(time.DateTime), string(p.State), p.Amount + " " + p.Currency, plaintext.Line(p.Payee), p.Site, p.Run, fmt.Sprint(p.Step + 1)})
	}
	return Table(rows)
}

// Paid tells what was paid without asking, and what is left.
func Paid(p store.Payment, left []store.Left) string {
	line := fmt.Sprintf("Paid %v to %s at %s without asking.", p.Amount, plaintext.Line(p.Payee), p.Site)
	for _, l := range left {
		line += fmt.Sprintf(" Left of limit %s: %v of %v until %s.", l.ID, l.Rest, l.Sum, l.Until.UTC().Format("2006-01-02 15:04 MST"))
	}
	return line
}
