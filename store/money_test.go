package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
)

func TestAmountsAreReadAsPagesWriteThem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, currency, want string }{
		{"1.234,56 €", "", "1234.56 EUR"},
		{"$1,234.56", "USD", "1234.56 USD"},
		{"$1,234.56 CAD", "", "1234.56 CAD"},
		{"US$ 12.5", "", "12.50 USD"},
		{"CHF 1'234.50", "", "1234.50 CHF"},
		{"CHF 1’234’567.50", "", "1234567.50 CHF"},
		{"JPY 1,200", "", "1200 JPY"},
		{"¥1,200", "JPY", "1200 JPY"},
		{"1,200円", "", "1200 JPY"},
		{"Rp 10.000", "", "10000.00 IDR"},
		{"Rp10.000,50", "", "10000.50 IDR"},
		{"₹1,00,000.00", "", "100000.00 INR"},
		{"₹12,34,567", "", "1234567.00 INR"},
		{"₹1,234,567.00", "", "1234567.00 INR"},
		{"€ 42", "", "42.00 EUR"},
		{"42", "EUR", "42.00 EUR"},
		{"0,05 €", "", "0.05 EUR"},
		{"1 234,56 €", "", "1234.56 EUR"},
		{"1\u00a0234,56\u00a0€", "", "1234.56 EUR"},
		{"1\u202f234\u202f567,00\u202f€", "", "1234567.00 EUR"},
		{"\u20071\u2009234 kr", "SEK", "1234.00 SEK"},
		{"1,234,567 €", "", "1234567.00 EUR"},
		{"1.234.567 €", "", "1234567.00 EUR"},
		{"12,5 zł", "", "12.50 PLN"},
		{"KWD 1,234.567", "", "1234.567 KWD"},
		{"€12.00 EUR", "eur", "12.00 EUR"},
	} {
		got, err := store.ParseMoney(test.text, test.currency)
		if err != nil || got.String() != test.want {
			t.Errorf("%q in %q is %s, %v, want %s", test.text, test.currency, got, err, test.want)
		}
	}
}

// What may be read in two ways is not read at all: it would be counted wrongly.
func TestWhatIsNotSurelyAnAmountIsNotOne(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, currency string }{
		{"1.234", "EUR"}, {"1,234", "USD"}, {"KWD 1.234", ""}, {"1,234 €", ""}, {"$12.00", ""}, {"¥1200", ""}, {"12 kr", ""}, {"12.00", ""},
		{"-12.00 €", ""}, {"−12.00 €", ""}, {"(12.00) €", ""}, {"12.00- €", ""}, {"+12.00 €", ""}, {"12-15 €", ""}, {"12 – 15 €", ""},
		{"12.00 € 13.00 €", ""}, {"12.00 13.00 €", ""}, {"12 € or 13 €", ""}, {"12 13 €", ""}, {"100\n200 €", ""}, {"100\t200 €", ""},
		{"Total 12.00 €", ""}, {"12.00 € per month", ""}, {"€ 12.00 USD", ""}, {"€12.00", "USD"}, {"12.00", "XYZ"}, {"12.00", "euro"},
		{"1,2,3 €", ""}, {"1.23.456 €", ""}, {"12.345.67 €", ""}, {"1.234,567 €", ""}, {"1,234.567 €", ""}, {"1,00,000.00 €", ""}, {"₹1,00,00", ""},
		{"₹1,000,00,000", ""}, {"₹123,45,678", ""}, {"1.2345 €", ""}, {"JPY 12.50", ""}, {"JPY 0,120", ""}, {"012 €", ""}, {"00 €", ""}, {"0 €", ""}, {"0.00 €", ""},
		{"0,123", "EUR"}, {"1e5 €", ""}, {"0x12 €", ""}, {"١٢ €", ""}, {"１２ €", ""}, {"1½ €", ""}, {"", "EUR"}, {"€", ""}, {"free", "EUR"}, {"12. €", ""}, {".5 €", ""},
		{"1'23 €", ""}, {"1'234 567 €", ""}, {"1,234'567 €", ""}, {"12,34.5.6 €", ""}, {"9999999999999999999 €", ""}, {"12\u202e34 €", ""},
		{"12.00 €" + strings.Repeat(" ", 200), ""}, {"12.00 BTC", ""}, {"5%", "EUR"}, {"1.234,5.6 €", ""},
	} {
		if got, err := store.ParseMoney(test.text, test.currency); !errors.Is(err, store.ErrAmount) {
			t.Errorf("%q in %q is %s, %v, want ErrAmount", test.text, test.currency, got, err)
		}
	}
}

func TestAmountsThatPeopleType(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"50", "50.5", "50.50", "0050.50"} {
		if got, err := store.ParseDecimal(text, "EUR"); err != nil || got.Minor != 5050 && got.Minor != 5000 {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-5", "5,5", "5.555", "5.", ".5", "1e3", "9999999999999999"} {
		if got, err := store.ParseDecimal(text, "EUR"); !errors.Is(err, store.ErrAmount) {
			t.Errorf("%q is %v, %v, want ErrAmount", text, got, err)
		}
	}
}

// FuzzParseMoney holds what is read to what is written: an amount is positive, of a known currency, has
// the digits of its text and no others, and is read again as it is written.
func FuzzParseMoney(f *testing.F) {
	for _, seed := range []string{"1.234,56 €", "$1,234.56", "CHF 1'234.50", "JPY 1,200", "Rp 10.000", "₹1,00,000.00", "-1 €", "1 2 €", "12-15 €", "\u202f1"} {
		f.Add(seed, "")
		f.Add(seed, "USD")
	}
	f.Fuzz(func(t *testing.T, text, currency string) {
		m, err := store.ParseMoney(text, currency)
		if err != nil {
			if !errors.Is(err, store.ErrAmount) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if m.Minor <= 0 || !store.IsCurrency(m.Currency) {
			t.Fatalf("%q is %+v", text, m)
		}
		again, err := store.ParseDecimal(m.Decimal(), m.Currency)
		if err != nil || again != m {
			t.Fatalf("%q is %s, which is read as %v, %v", text, m, again, err)
		}
		digits := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, text)
		if written := strings.ReplaceAll(m.Decimal(), ".", ""); strings.TrimRight(strings.TrimLeft(digits, "0"), "0") != strings.TrimRight(strings.TrimLeft(written, "0"), "0") {
			t.Fatalf("%q is %s: other digits", text, m)
		}
	})
}

func TestPeriodsAreThoseOfTheCalendarInUTC(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		t.Helper()
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, test := range []struct {
		per            store.Period
		at, start, end string
	}{
		{store.PerDay, "2026-11-30T23:59:59Z", "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z"},
		{store.PerDay, "2026-12-01T01:00:00+02:00", "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z"},
		{store.PerWeek, "2026-11-29T12:00:00Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"}, // a Sunday
		{store.PerWeek, "2026-11-30T00:00:00Z", "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z"}, // a Monday
		{store.PerMonth, "2026-12-31T23:59:59Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{store.PerMonth, "2028-02-29T00:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"},
	} {
		if start, end := test.per.Start(at(test.at)), test.per.End(at(test.at)); !start.Equal(at(test.start)) || !end.Equal(at(test.end)) {
			t.Errorf("the %s of %s is %v to %v", test.per, test.at, start, end)
		}
	}
}
