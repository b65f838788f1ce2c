package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// Limits stores the standing limits within which payments are made without asking a person, and the
// ledger of those payments. A person sets a limit; Commits.BeginPayment counts against it.
//
// A payment counts in the period in which it was begun: from then on, also while its outcome is
// unknown, and until it is known that it was not made. Periods are those of the calendar in UTC: a day,
// a week from Monday, a month.
//
// Every method returns context.Cause(ctx) once ctx is done.
type Limits interface {
	// Add stores a limit, under a new ID and with the time. An *InvalidLimitError is why it is not
	// stored.
	Add(ctx context.Context, l Limit) (Limit, error)
	// Remove removes a limit, or returns an error that is ErrNotFound. The ledger stays: what was paid
	// counts against a limit that is added later.
	Remove(ctx context.Context, id string) error
	// List returns the limits, the oldest first, each with what counts against it now. One that
	// cannot be read is listed with its reason. An error of the iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[LimitSummary, error]
	// Payments returns the ledger, the newest first. An entry that cannot be read is listed with its
	// reason. An error of the iteration itself is its last pair.
	Payments(ctx context.Context) iter.Seq2[LedgerEntry, error]
	// NoteTold notes that people were told of a state of a payment, or returns an error that is ErrNotFound.
	NoteTold(ctx context.Context, run string, step int, of LedgerState) error
}

// Limit is how much may be paid to a payee at a site without asking a person.
type Limit struct {
	ID       string
	Site     string // the origin of the page: https://shop.example
	Payee    string // as the page shows it; white space counts once
	Currency string // ISO 4217
	Each     Money  // at most this for one payment. Default: Sum
	Sum      Money  // at most this together in a period
	Per      Period // Default: PerMonth
	By       string // who has set it
	Created  time.Time
}

// Period is what the sum of a limit is for.
type Period string

// The periods.
const (
	PerDay   Period = "day"
	PerWeek  Period = "week"
	PerMonth Period = "month"
)

// Start returns when the period began that a time is in, in UTC.
func (p Period) Start(t time.Time) time.Time {
	year, month, day := t.UTC().Date()
	switch p {
	case PerDay:
	case PerWeek:
		day -= (int(t.UTC().Weekday()) + 6) % 7 // to Monday
	default:
		day = 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// End returns when the next one begins.
func (p Period) End(t time.Time) time.Time {
	start := p.Start(t)
	switch p {
	case PerDay:
		return start.AddDate(0, 0, 1)
	case PerWeek:
		return start.AddDate(0, 0, 7)
	}
	return start.AddDate(0, 1, 0)
}

// LimitSummary is a limit in a list.
type LimitSummary struct {
	Limit
	Left Left
	Err  error // why it cannot be read; then only ID is set
}

// Left is what is left of a limit.
type Left struct {
	Limit
	Spent Money     // counts against it, the unknown outcomes included
	Rest  Money     // nothing where more is spent than the limit allows by now
	Until time.Time // when the period ends
}

// Payment is what the page shows that is to be paid.
type Payment struct {
	Site   string // the origin of the page
	Payee  string
	Amount Money
}

// LedgerEntry is a payment that no one was asked about.
type LedgerEntry struct {
	Payment
	Run   string
	Step  int // index
	Begun time.Time
	State LedgerState
	Told  LedgerState // of which people were told; "" for none
	Err   error       // why it cannot be read; then only Run is set, as far as its name tells
}

// LedgerState is what became of a payment.
type LedgerState string

// The states of an entry. The first two count.
const (
	Reserved LedgerState = "reserved" // it was begun, and its outcome is unknown
	Paid     LedgerState = "paid"
	Released LedgerState = "released" // it was not made
)

// ErrNotWithinLimit is the error of BeginPayment for a payment that a person must be asked about.
var ErrNotWithinLimit = errors.New("not within a standing limit")

// NotWithinLimitError is why a payment is not within a limit. It is ErrNotWithinLimit.
type NotWithinLimitError struct {
	Payment
	Reason string
}

func (e *NotWithinLimitError) Error() string {
	return fmt.Sprintf("store: %v to %.80q at %s: %s", e.Amount, e.Payee, e.Site, e.Reason)
}

// Is makes it ErrNotWithinLimit.
func (e *NotWithinLimitError) Is(target error) bool { return target == ErrNotWithinLimit }

// InvalidLimitError is why a limit is not stored.
type InvalidLimitError struct{ Reason string }

func (e *InvalidLimitError) Error() string { return "store: the limit is not stored: " + e.Reason }

// normal returns the limit as it is compared, with its defaults, or what is wrong with it.
func (l Limit) normal() (Limit, error) {
	l.Payee, l.Currency = oneLine(l.Payee), strings.ToUpper(l.Currency)
	if l.Per == "" {
		l.Per = PerMonth
	}
	if l.Each == (Money{}) {
		l.Each = l.Sum
	}
	site, err := CheckOrigin(l.Site)
	l.Site = site
	reason := ""
	switch {
	case err != nil:
		reason = err.Error()
	case l.Payee == "" || !isText(l.Payee, maxQuestionLine):
		reason = "it names no payee, in a line of text"
	case !IsCurrency(l.Currency):
		reason = fmt.Sprintf("%.20q is no currency of ISO 4217", l.Currency)
	case l.Per != PerDay && l.Per != PerWeek && l.Per != PerMonth:
		reason = fmt.Sprintf("%.20q is no period: it is day, week or month", l.Per)
	case l.Sum.Minor <= 0 || l.Each.Minor <= 0:
		reason = "its amounts must be more than nothing"
	case l.Sum.Currency != l.Currency || l.Each.Currency != l.Currency:
		reason = "its amounts are in another currency"
	case l.Each.Minor > l.Sum.Minor:
		reason = "one payment may be more than all of them together"
	case !isText(l.By, maxQuestionLine):
		reason = "who has set it is not told in a line of text"
	default:
		return l, nil
	}
	return l, &InvalidLimitError{reason}
}

// CheckOrigin returns an origin as browsers write it, or what is wrong with it.
func CheckOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Path != "" && u.Path != "/" || strings.ContainsAny(text, "?#*") || !isText(text, maxQuestionLine) {
		return "", fmt.Errorf("%.80q is not the origin of a site, such as https://shop.example", text)
	}
	host, err := browserHost(u.Hostname())
	if err != nil {
		return "", fmt.Errorf("%.80q is not the origin of a site: %w", text, err)
	}
	origin := u.Scheme + "://" + host
	if u.Port() == "" {
		return origin, nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return "", fmt.Errorf("%.80q is not the origin of a site: its port is more than 65535", text)
	}
	if port != map[string]uint64{"https": 443, "http": 80}[u.Scheme] {
		origin += ":" + strconv.FormatUint(port, 10)
	}
	return origin, nil
}

var (
	// hostProfile is UTS #46 as browsers use it: they look up names with an underscore, too.
	hostProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))
	hostName    = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$`)
	hostNumber  = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)\.?$`) // what browsers read as an address
)

// browserHost returns a host as browsers write it. Of addresses it takes the usual form alone.
func browserHost(host string) (string, error) {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Zone() == "" && !ip.Is4In6() {
		if ip.Is6() {
			return "[" + ip.String() + "]", nil
		}
		return ip.String(), nil
	}
	name, err := hostProfile.ToASCII(host)
	switch {
	case err != nil || !hostName.MatchString(name):
		return "", fmt.Errorf("%.80q is no name of a host", host)
	case hostNumber.MatchString(name):
		return "", fmt.Errorf("%.80q is not how browsers write an address", host)
	}
	return name, nil
}

// oneLine is a text whose white space counts once.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// normal returns a payment as it is compared, or a *NotWithinLimitError.
func (p Payment) normal() (Payment, error) {
	p.Payee = oneLine(p.Payee)
	if p.Payee == "" || !isText(p.Payee, maxQuestionLine) || p.Amount.Minor <= 0 || !IsCurrency(p.Amount.Currency) {
		return p, &NotWithinLimitError{p, "what is paid to whom is not known"}
	}
	site, err := CheckOrigin(p.Site)
	if err != nil || site != p.Site {
		return p, &NotWithinLimitError{p, "its site is no origin"}
	}
	return p, nil
}

// isFor reports whether a limit is for a payment.
func (l Limit) isFor(p Payment) bool {
	return l.Site == p.Site && l.Payee == p.Payee && l.Currency == p.Amount.Currency
}

// counts reports whether an entry counts against a limit at a time. noted is whether the commit is
// noted as sent.
func (l Limit) counts(e LedgerEntry, noted bool, now time.Time) bool {
	return l.isFor(e.Payment) && (e.State == Paid || e.State == Reserved && noted) && !e.Begun.Before(l.Per.Start(now))
}

// left returns what is left of a limit of which so much is spent.
func (l Limit) left(spent int64, now time.Time) Left {
	return Left{l, Money{spent, l.Currency}, Money{max(0, l.Sum.Minor-spent), l.Currency}, l.Per.End(now)}
}

// permit returns what is left of the limits for a payment once it is made, or a *NotWithinLimitError:
// there must be a limit for it, and it must be within each of them. spent returns what counts against one.
func permit(limits []Limit, p Payment, now time.Time, spent func(Limit) (int64, error)) ([]Left, error) {
	var all []Left
	for _, l := range limits {
		if !l.isFor(p) {
			continue
		}
		if p.Amount.Minor > l.Each.Minor {
			return nil, &NotWithinLimitError{p, fmt.Sprintf("it is more than the %v that limit %s allows for one payment", l.Each, l.ID)}
		}
		sum, err := spent(l)
		if err != nil {
			return nil, err
		}
		if sum > l.Sum.Minor-p.Amount.Minor {
			return nil, &NotWithinLimitError{p, fmt.Sprintf("with the %v that are spent it is more than the %v that limit %s allows a %s", Money{sum, l.Currency}, l.Sum, l.ID, l.Per)}
		}
		all = append(all, l.left(sum+p.Amount.Minor, now))
	}
	if len(all) == 0 {
		return nil, &NotWithinLimitError{p, "there is no limit for it"}
	}
	return all, nil
}

// limitFormat is the number of the format of limits and of entries of the ledger.
const limitFormat = 1

var errLimitFormat = errors.New("not a format of limits that this version reads")

type storedLimit struct {
	Format   int       `json:"format"`
	ID       string    `json:"id"`
	Site     string    `json:"site"`
	Payee    string    `json:"payee"`
	Currency string    `json:"currency"`
	Each     string    `json:"each"` // decimal
	Sum      string    `json:"sum"`
	Per      Period    `json:"per"`
	By       string    `json:"by,omitempty"`
	Created  time.Time `json:"created"`
}

func encodeLimit(l Limit) ([]byte, error) {
	return encodeIndented(storedLimit{limitFormat, l.ID, l.Site, l.Payee, l.Currency, l.Each.Decimal(), l.Sum.Decimal(), l.Per, l.By, l.Created})
}

// decodeLimit reads what encodeLimit returns, and refuses what no store writes.
func decodeLimit(data []byte) (Limit, error) {
	var s storedLimit
	if err := json.Unmarshal(data, &s); err != nil {
		return Limit{}, err
	}
	if s.Format != limitFormat {
		return Limit{}, fmt.Errorf("%w: format %d", errLimitFormat, s.Format)
	}
	each, err := ParseDecimal(s.Each, s.Currency)
	if err != nil {
		return Limit{}, err
	}
	sum, err := ParseDecimal(s.Sum, s.Currency)
	if err != nil {
		return Limit{}, err
	}
	l := Limit{s.ID, s.Site, s.Payee, s.Currency, each, sum, s.Per, s.By, s.Created}
	normal, err := l.normal()
	if err == nil && (normal != l || !idPattern.MatchString(l.ID)) {
		err = &InvalidLimitError{"it is not as it was written"}
	}
	return l, err
}
