package store

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Money is an exact amount of a currency, in its smallest unit. It has no floating point in it.
type Money struct {
	Minor    int64  `json:"minor"`    // cents, for the euro
	Currency string `json:"currency"` // ISO 4217
}

// ErrAmount is the error of a text that is not surely one amount of one currency.
var ErrAmount = errors.New("not surely an amount")

func notAnAmount(text, format string, args ...any) error {
	return fmt.Errorf("%.60q: %w: %s", text, ErrAmount, fmt.Sprintf(format, args...))
}

// currencies are the codes of ISO 4217 that are money one can pay with.
var currencies = strings.Fields(`
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP CNY COP CRC CUP
CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD
JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN
NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`)

// digitsOf are the decimal places of a currency by ISO 4217, where they are not two.
var digitsOf = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0, "UYI": 0, "VND": 0, "VUV": 0,
	"XAF": 0, "XOF": 0, "XPF": 0, "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3, "CLF": 4, "UYW": 4,
}

// placesOf returns how many decimal places a currency has.
func placesOf(code string) int {
	if n, is := digitsOf[code]; is {
		return n
	}
	return 2
}

// symbols are the currencies that each symbol is used for, in upper case. One for several is
// ambiguous without a code or an argument.
var symbols = map[string][]string{
	"€": {"EUR"}, "£": {"GBP"}, "₹": {"INR"}, "₩": {"KRW"}, "₽": {"RUB"}, "₺": {"TRY"}, "₫": {"VND"}, "₴": {"UAH"}, "₦": {"NGN"}, "₱": {"PHP"},
	"฿": {"THB"}, "₪": {"ILS"}, "₡": {"CRC"}, "₲": {"PYG"}, "₸": {"KZT"}, "₼": {"AZN"}, "₾": {"GEL"}, "₵": {"GHS"}, "ZŁ": {"PLN"}, "KČ": {"CZK"},
	"RP": {"IDR"}, "R$": {"BRL"}, "US$": {"USD"}, "CA$": {"CAD"}, "C$": {"CAD", "NIO"}, "A$": {"AUD"}, "AU$": {"AUD"}, "NZ$": {"NZD"}, "HK$": {"HKD"},
	"S$": {"SGD"}, "NT$": {"TWD"}, "MX$": {"MXN"}, "CN¥": {"CNY"}, "JP¥": {"JPY"}, "円": {"JPY"}, "元": {"CNY"}, "FT": {"HUF"}, "LEI": {"RON"},
	"$":   {"USD", "AUD", "BBD", "BMD", "BND", "BSD", "BZD", "CAD", "CLP", "COP", "DOP", "FJD", "GYD", "HKD", "JMD", "KYD", "LRD", "MXN", "NAD", "NZD", "SBD", "SGD", "SRD", "TTD", "TWD", "UYU", "XCD", "ARS", "CUP"},
	"¥":   {"JPY", "CNY"},
	"KR":  {"SEK", "NOK", "DKK", "ISK"},
	"KR.": {"DKK", "ISK"},
	"RS":  {"INR", "PKR", "LKR", "NPR", "MUR"}, "RS.": {"INR", "PKR", "LKR", "NPR", "MUR"},
}

// lakhs are the currencies whose digits may be grouped as in 1,00,000.
var lakhs = []string{"INR", "PKR", "BDT", "NPR", "LKR"}

// dotGroups are currencies of two decimal places that are written without them, and in groups by dots:
// three digits after a lone dot are a group.
var dotGroups = []string{"IDR"}

// maxDigits keeps an amount well within an int64.
const maxDigits = 15

// IsCurrency reports whether a text is a code of ISO 4217, in capitals.
func IsCurrency(code string) bool { return slices.Contains(currencies, code) }

// ParseMoney reads an amount as a page writes it: "1.234,56 €", "$1,234.56", "CHF 1'234.50". currency
// is the code of the currency that the amount is known to be in, "" where only the text tells. The
// error is ErrAmount for what is not surely one positive amount of one currency: a number that may be
// read in two ways, a symbol of several currencies, a range, several amounts, words.
func ParseMoney(text, currency string) (Money, error) {
	currency = strings.ToUpper(strings.TrimSpace(currency))
	if currency != "" && !IsCurrency(currency) {
		return Money{}, notAnAmount(text, "%.20q is no currency of ISO 4217", currency)
	}
	if len(text) > 100 {
		return Money{}, notAnAmount(text, "it is too long")
	}
	trimmed := strings.TrimFunc(text, isSpace)
	first := strings.IndexFunc(trimmed, isDigit)
	last := strings.LastIndexFunc(trimmed, isDigit)
	if first < 0 {
		return Money{}, notAnAmount(text, "it has no digits")
	}
	code, err := currencyOf(text, currency, trimmed[:first], trimmed[last+1:])
	if err != nil {
		return Money{}, err
	}
	minor, err := minorOf(text, trimmed[first:last+1], code)
	return Money{Minor: minor, Currency: code}, err
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// isSpace reports whether a character is a space of any kind, also one without a width.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff' || r == '\u200e' || r == '\u200f'
}

// currencyOf returns the one currency that what is known and what stands around a number agree on.
func currencyOf(text, known string, around ...string) (string, error) {
	var possible []string
	if known != "" {
		possible = []string{known}
	}
	for _, words := range around {
		mark := strings.ToUpper(strings.TrimFunc(words, isSpace))
		if mark == "" {
			continue
		}
		of := symbols[mark]
		switch {
		case IsCurrency(mark):
			of = []string{mark}
		case of == nil:
			return "", notAnAmount(text, "there is more than a number and a currency")
		}
		if possible == nil {
			possible = of
			continue
		}
		possible = slices.DeleteFunc(slices.Clone(possible), func(code string) bool { return !slices.Contains(of, code) })
		if len(possible) == 0 {
			return "", notAnAmount(text, "it is in two currencies")
		}
	}
	switch len(possible) {
	case 0:
		return "", notAnAmount(text, "its currency is not told")
	case 1:
		return possible[0], nil
	}
	return "", notAnAmount(text, "its symbol is that of several currencies")
}

// minorOf returns a number in the smallest unit of a currency.
func minorOf(text, number, code string) (int64, error) {
	places := placesOf(code)
	whole, fraction, grouped := number, "", ""
	dot, comma := strings.Count(number, "."), strings.Count(number, ",")
	mark := "."
	if strings.LastIndexByte(number, ',') > strings.LastIndexByte(number, '.') {
		mark = ","
	}
	at := strings.LastIndex(number, mark)
	after := len(number) - at - 1
	switch other := dot > 0 && comma > 0; {
	case dot+comma == 0:
	case dot+comma == 1 || other && strings.Count(number, mark) == 1:
		// A lone mark before three digits is that of a group or of a fraction.
		isGroup := !other && after == 3 && (places == 0 || mark == "." && slices.Contains(dotGroups, code))
		switch {
		case isGroup:
			grouped = mark
		case !other && after == 3 && !hasOther(number):
			return 0, notAnAmount(text, "%s%s may be of a group or of a fraction", mark, number[at+1:])
		default:
			whole, fraction = number[:at], number[at+1:]
			if other {
				grouped = map[string]string{".": ",", ",": "."}[mark]
			}
		}
	case !other:
		grouped = mark
	default:
		return 0, notAnAmount(text, "its separators are of no number")
	}
	if len(fraction) > places || strings.IndexFunc(fraction, func(r rune) bool { return !isDigit(r) }) >= 0 {
		return 0, notAnAmount(text, "%s has %d decimal places", code, places)
	}
	digits, ok := ungrouped(whole, grouped, slices.Contains(lakhs, code))
	if !ok {
		return 0, notAnAmount(text, "its digits are not grouped as those of a number")
	}
	if len(digits)+places > maxDigits {
		return 0, notAnAmount(text, "it is too large")
	}
	minor, err := strconv.ParseInt(digits+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	if err != nil || minor <= 0 {
		return 0, notAnAmount(text, "it is not more than nothing")
	}
	return minor, nil
}

// hasOther reports whether digits are grouped by a space or an apostrophe: what else separates them is
// then the mark of the fraction.
func hasOther(number string) bool {
	return strings.IndexFunc(number, func(r rune) bool { return !isDigit(r) && r != '.' && r != ',' }) >= 0
}

// ungrouped returns the digits of a whole number whose groups are separated by a mark, "" for spaces or
// apostrophes, or not at all.
func ungrouped(whole, mark string, lakh bool) (string, bool) {
	var groups []string
	separator, from := rune(0), 0
	for i, r := range whole {
		if isDigit(r) {
			continue
		}
		switch {
		case mark != "" && string(r) != mark:
			return "", false
		case mark == "" && r != '\'' && r != '’' && (!isSpace(r) || r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029' || r == '\v' || r == '\f' || r == '\u0085'):
			return "", false
		case separator != 0 && separator != r:
			return "", false
		}
		separator = r
		groups = append(groups, whole[from:i])
		from = i + len(string(r))
	}
	groups = append(groups, whole[from:])
	last := len(groups) - 1
	for i, g := range groups {
		switch {
		case last == 0: // not grouped
		case i == last && len(g) != 3, i == 0 && (g == "" || len(g) > 3), i > 0 && i < last && len(g) != 3 && !lakh:
			return "", false
		case lakh && i < last && last > 1 && len(groups[1]) == 2 && (i == 0 && len(g) > 2 || i > 0 && len(g) != 2):
			return "", false
		case lakh && i > 0 && i < last && len(g) != len(groups[1]):
			return "", false
		case lakh && i > 0 && i < last && len(g) != 2 && len(g) != 3:
			return "", false
		}
	}
	digits := strings.Join(groups, "")
	if digits == "" || len(digits) > 1 && digits[0] == '0' {
		return "", false
	}
	return digits, true
}

// Decimal returns the amount without its currency: "1234.50".
func (m Money) Decimal() string {
	places := placesOf(m.Currency)
	digits := strconv.FormatInt(m.Minor, 10)
	sign := ""
	if m.Minor < 0 {
		sign, digits = "-", digits[1:]
	}
	if places == 0 {
		return sign + digits
	}
	if len(digits) <= places {
		digits = strings.Repeat("0", places-len(digits)+1) + digits
	}
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}

// String returns the amount with its currency: "1234.50 EUR".
func (m Money) String() string { return m.Decimal() + " " + m.Currency }

// ParseDecimal reads what Decimal returns, of a currency in capital or small letters: "1234.50", "1234". It knows no groups: a
// person types it.
func ParseDecimal(text, currency string) (Money, error) {
	currency = strings.ToUpper(currency)
	if !IsCurrency(currency) {
		return Money{}, notAnAmount(text, "%.20q is no currency of ISO 4217", currency)
	}
	whole, fraction, has := strings.Cut(text, ".")
	places := placesOf(currency)
	plain := func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isDigit(r) }) < 0
	}
	if !plain(whole) || has && !plain(fraction) || len(fraction) > places {
		return Money{}, notAnAmount(text, "write it as 1234.50, with at most %d decimal places for %s", places, currency)
	}
	if len(strings.TrimLeft(whole, "0"))+places > maxDigits {
		return Money{}, notAnAmount(text, "it is too large")
	}
	minor, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	if err != nil || minor <= 0 {
		return Money{}, notAnAmount(text, "it is not more than nothing")
	}
	return Money{Minor: minor, Currency: currency}, nil
}
