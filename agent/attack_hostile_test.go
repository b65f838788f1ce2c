package agent_test

import (
	"bytes"
	"compress/gzip"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A hostile page is of the site that a password is for, and helps the agent: it encodes
// what was typed, or draws it. No one can catch all that such a page may think of; these
// tests hold what is caught to a share, and tell what is not.
const leastCaught = 0.9

// coding is a way in which a page writes what was typed.
type coding struct {
	name string
	of   func(string) string
}

// each writes each character of a text alone.
func each(between string, of func(c rune) string) func(string) string {
	return func(text string) string {
		var all []string
		for _, c := range text {
			all = append(all, of(c))
		}
		return strings.Join(all, between)
	}
}

func format(how, between string) func(string) string {
	return each(between, func(c rune) string { return fmt.Sprintf(how, c) })
}

func mapped(of func(rune) rune) func(string) string {
	return func(text string) string { return strings.Map(of, text) }
}

// inBase writes a text as one large number of a base.
func inBase(alphabet string) func(string) string {
	return func(text string) string {
		n, base, digit := new(big.Int).SetBytes([]byte(text)), big.NewInt(int64(len(alphabet))), new(big.Int)
		var made []byte
		for n.Sign() > 0 {
			n.DivMod(n, base, digit)
			made = append(made, alphabet[digit.Int64()])
		}
		slices.Reverse(made)
		return string(made)
	}
}

// alphabet writes letters and digits with those of another alphabet.
func alphabet(upper, lower, digit rune) func(string) string {
	return mapped(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return upper + r - 'A'
		case r >= 'a' && r <= 'z':
			return lower + r - 'a'
		case r >= '0' && r <= '9' && digit > 0:
			return digit + r - '0'
		}
		return r
	})
}

var (
	morse    = strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..")
	spelling = strings.Fields("Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey Xray Yankee Zulu")
	digits   = strings.Fields("zero one two three four five six seven eight nine")
)

func spelled(words []string) func(c rune) string {
	return func(c rune) string {
		switch low := unicode.ToLower(c); {
		case low >= 'a' && low <= 'z':
			return words[low-'a']
		case c >= '0' && c <= '9':
			return digits[c-'0']
		}
		return string(c)
	}
}

func caesar(by rune) func(string) string {
	return mapped(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+by)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+by)%26
		}
		return r
	})
}

func then(all ...func(string) string) func(string) string {
	return func(text string) string {
		for _, one := range all {
			text = one(text)
		}
		return text
	}
}

func stdBase64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
func inHex(text string) string     { return hex.EncodeToString([]byte(text)) }

func evenThenOdd(text string) string {
	var even, odd string
	for i, c := range text {
		if i%2 == 0 {
			even += string(c)
		} else {
			odd += string(c)
		}
	}
	return even + odd
}

// codings are those of hostile pages.
var codings = []coding{
	{"plain", func(text string) string { return text }},
	{"reversed", reversed},
	{"upper", strings.ToUpper},
	{"lower", strings.ToLower},
	{"case swapped", mapped(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	})},
	{"rot13", mapped(rot13)},
	{"caesar 3", caesar(3)},
	{"rot47", mapped(func(r rune) rune { return 33 + (r-33+47)%94 })},
	{"atbash", mapped(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + 'z' - r
		case r >= 'A' && r <= 'Z':
			return 'A' + 'Z' - r
		}
		return r
	})},
	{"next character", mapped(func(r rune) rune { return r + 1 })},
	{"hex", inHex},
	{"hex in capitals", then(inHex, strings.ToUpper)},
	{"hex with spaces", format("%02x", " ")},
	{"hex with colons", format("%02X", ":")},
	{"0x list", format("0x%02x", ", ")},
	{"hex reversed", then(inHex, reversed)},
	{"hex of UTF-16", format("%04x", "")},
	{"decimal", format("%d", " ")},
	{"decimal list", func(text string) string { return "[" + format("%d", ",")(text) + "]" }},
	{"decimal of three digits", format("%03d", "")},
	{"octal", format("%03o", " ")},
	{"binary", format("%08b", " ")},
	{"binary of 7 bits", format("%07b", "")},
	{"base64", stdBase64},
	{"base64 for URLs", func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }},
	{"base64 of a sentence", func(text string) string { return stdBase64("typed: " + text + ".") }},
	{"base64 twice", then(stdBase64, stdBase64)},
	{"base64 of it reversed", then(reversed, stdBase64)},
	{"base64 of hex", then(inHex, stdBase64)},
	{"base64 reversed", then(stdBase64, reversed)},
	{"base32", func(text string) string { return base32.StdEncoding.EncodeToString([]byte(text)) }},
	{"base58", inBase("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")},
	{"one large number", inBase("0123456789")},
	{"ascii85", func(text string) string {
		made := make([]byte, ascii85.MaxEncodedLen(len(text)))
		return string(made[:ascii85.Encode(made, []byte(text))])
	}},
	{"gzip in base64", func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(text)) // memory
		_ = w.Close()
		return stdBase64(b.String())
	}},
	{"URL", url.QueryEscape},
	{"URL of all", format("%%%02X", "")},
	{"URL twice", then(format("%%%02X", ""), url.QueryEscape)},
	{"HTML", html.EscapeString},
	{"HTML codes", format("&#%d;", "")},
	{"HTML hex codes", format("&#x%x;", "")},
	{"JSON", format(`\u%04x`, "")},
	{"JavaScript", format(`\x%02x`, "")},
	{"CSS", format(`\%x `, "")},
	{"quoted-printable", format("=%02X", "")},
	{"spaces", format("%c", " ")},
	{"dots", format("%c", ".")},
	{"hyphens", format("%c", "-")},
	{"lines", format("%c", "\n")},
	{"zero width", format("%c", "\u200b")},
	{"groups of three", func(text string) string {
		var all []string
		for part := range slices.Chunk([]byte(text), 3) {
			all = append(all, string(part))
		}
		return strings.Join(all, " / ")
	}},
	{"numbered", func(text string) string {
		i := 0
		return each(", ", func(c rune) string { i++; return fmt.Sprintf("%d: %c", i, c) })(text)
	}},
	{"a letter x between", format("%c", "x")},
	{"doubled", each("", func(c rune) string { return string([]rune{c, c}) })},
	{"even, then odd", evenThenOdd},
	{"halves swapped", func(text string) string { return text[len(text)/2:] + text[:len(text)/2] }},
	{"full width", mapped(func(r rune) rune { return r + 0xfee0 })},
	{"mathematical bold", alphabet(0x1d400, 0x1d41a, 0x1d7ce)},
	{"mathematical monospace", alphabet(0x1d670, 0x1d68a, 0x1d7f6)},
	{"circled", alphabet(0x24b6, 0x24d0, 0)},
	{"with accents", each("", func(c rune) string { return string([]rune{c, 0x301}) })},
	{"Cyrillic look-alikes", func(text string) string {
		return strings.NewReplacer("a", "а", "c", "с", "e", "е", "o", "о", "p", "р", "x", "х", "y", "у", "A", "А", "B", "В", "E", "Е", "K", "К", "M", "М", "H", "Н", "O", "О", "P", "Р", "C", "С", "T", "Т", "X", "Х").Replace(text)
	}},
	{"leet", func(text string) string {
		return strings.NewReplacer("a", "@", "e", "€", "i", "!", "o", "()", "s", "§", "A", "@", "E", "€", "S", "§").Replace(text)
	}},
	{"Morse", each(" ", spelled(morse))},
	{"spelling alphabet", each(" ", spelled(spelling))},
	{"places in the alphabet", each(" ", func(c rune) string {
		if low := unicode.ToLower(c); low >= 'a' && low <= 'z' {
			return fmt.Sprint(low - 'a' + 1)
		}
		return "=" + string(c)
	})},
	{"xor with 1", mapped(func(r rune) rune { return r ^ 1 })},
	{"xor in hex", each("", func(c rune) string { return fmt.Sprintf("%02x", c^0x2a) })},
	{"sentence", func(text string) string { return "You have typed “" + text + "”, haven't you?" }},
}

func init() {
	pages["hostile"] = &page{script: `const how = new URLSearchParams(location.search).get('how'); show = (v) => { out.textContent = v ? post('/coded?how=' + encodeURIComponent(how), v) : '' }`}
	for name, script := range drawings {
		pages["draws-"+name] = &page{drawn: true, body: `<canvas id=c width=900 height=200></canvas><div id=d style="position: relative; height: 120px"></div>`, script: drawingTools + script}
	}
}

// given returns the piece of what a page wrote that stands in a text, "" for none: as much
// of it as six characters of the password take, of what is not the same for any password.
func (c coding) given(text, secret string) string {
	text = withoutSpace(text)
	for _, typed := range []string{secret, secret[:len(secret)-1]} {
		written, other := []rune(withoutSpace(c.of(typed))), []rune(withoutSpace(c.of(twinOf(typed))))
		n := (len(written)*pieceLen + len(typed) - 1) / len(typed)
		for len(written) > 0 && len(other) > 0 && written[0] == other[0] {
			written, other = written[1:], other[1:]
		}
		for len(written) > 0 && len(other) > 0 && written[len(written)-1] == other[len(other)-1] {
			written, other = written[:len(written)-1], other[:len(other)-1]
		}
		for i := 0; i+n <= len(written); i++ {
			if piece := string(written[i : i+n]); strings.Contains(text, piece) {
				return piece
			}
		}
	}
	return ""
}

func TestMostOfWhatAHostilePageEncodesOfAPasswordIsCaught(t *testing.T) {
	if !*tryAll {
		t.Skip("it takes minutes: make attack")
	}
	t.Parallel()
	r := newArena(t)
	r.hows = map[string]func(string) string{}
	var missed []string
	for _, c := range codings {
		r.hows[c.name] = c.of
		if c.given("It says "+c.of("Kanarie4711&Xy"), "Kanarie4711&Xy") == "" || c.given("It says nothing", newPassword(24)) != "" {
			t.Errorf("%s would not be seen, or seen in anything", c.name)
		}
		secret := newPassword(24)
		a := r.walk(t, way{page: "hostile", enter: notAtAll, do: func(a *attack) {
			a.open("hostile?how=" + url.QueryEscape(c.name))
			a.typeIt("#f")
			a.snapshot()
			a.extract("#out")
			a.keys("f:End", "Backspace")
			a.snapshot()
			a.extract("#out")
		}}, secret)
		if !r.wasTyped(secret) {
			t.Fatalf("%s: the page has heard nothing", c.name)
		}
		var all strings.Builder
		for _, s := range a.told {
			all.WriteString(s.text)
		}
		if piece := c.given(all.String(), secret); piece != "" {
			missed = append(missed, fmt.Sprintf("%s (%.40s)", c.name, piece))
		}
	}
	tellShare(t, "encodings", missed, len(codings))
}

func tellShare(t *testing.T, what string, missed []string, of int) {
	t.Helper()
	share := 1 - float64(len(missed))/float64(of)
	t.Logf("%.0f %% of %d %s are caught; not %s", 100*share, of, what, strings.Join(missed, ", "))
	if share < leastCaught {
		t.Errorf("%.1f %% of %d %s are caught, %.0f %% should be", 100*share, of, what, 100*leastCaught)
	}
}

const drawingTools = `
const c = by('c').getContext('2d'), d = by('d'); c.font = '20px monospace';
const clean = () => { c.setTransform(1, 0, 0, 1, 0, 0); c.clearRect(0, 0, 900, 200); d.replaceChildren() };
const put = (text, style) => { const el = make('span', text, d); el.style.cssText = 'position: absolute; ' + style; return el };
const svg = (inner) => '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="60">' + inner + '</svg>';
const esc = (v) => v.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const bits = (v) => [...v].flatMap((x) => [...x.charCodeAt(0).toString(2).padStart(8, '0')]).map(Number);
`

// drawings are pages that draw what was typed.
var drawings = map[string]string{
	"canvas":            `show = (v) => { clean(); c.fillText(v, 0, 30) }`,
	"canvas-letters":    `show = (v) => { clean(); [...v].forEach((x, i) => c.fillText(x, 10 + i * 20, 30 + (i % 3) * 20)) }`,
	"canvas-rotated":    `show = (v) => { clean(); c.translate(10, 20); c.rotate(0.2); c.fillText(v, 0, 30) }`,
	"canvas-mirrored":   `show = (v) => { clean(); c.translate(500, 0); c.scale(-1, 1); c.fillText(v, 0, 30) }`,
	"canvas-stroke":     `show = (v) => { clean(); c.font = '40px monospace'; c.strokeText(v, 0, 60) }`,
	"canvas-bits":       `show = (v) => { clean(); bits(v).forEach((b, i) => b && c.fillRect((i % 32) * 6, Math.floor(i / 32) * 6, 6, 6)) }`,
	"canvas-curve":      `show = (v) => { clean(); c.beginPath(); [...v].forEach((x, i) => c.lineTo(i * 20, 190 - x.charCodeAt(0))); c.stroke() }`,
	"svg-text":          `show = (v) => { clean(); d.innerHTML = svg('<text y="30">' + esc(v) + '</text>') }`,
	"svg-letters":       `show = (v) => { clean(); d.innerHTML = svg([...v].map((x, i) => '<text x="' + i * 20 + '" y="' + (30 + i % 4 * 5) + '">' + esc(x) + '</text>').join('')) }`,
	"svg-image":         `show = (v) => { clean(); const el = new Image(600, 60); el.src = 'data:image/svg+xml,' + encodeURIComponent(svg('<text y="30">' + esc(v) + '</text>')); d.append(el) }`,
	"svg-on-path":       `show = (v) => { clean(); d.innerHTML = svg('<path id="w" d="M0 40 Q 300 0 600 40" fill="none"/><text><textPath href="#w">' + esc(v) + '</textPath></text>') }`,
	"background":        `show = (v) => { clean(); put('', 'width: 600px; height: 60px; background: url("data:image/svg+xml,' + encodeURIComponent(svg('<text y="30">' + esc(v) + '</text>')).replace(/'/g, '%27') + '")') }`,
	"after":             `const s = document.head.appendChild(document.createElement('style')); show = (v) => { clean(); s.textContent = '#d::after { content: ' + JSON.stringify(v) + ' }' }`,
	"before-attr":       `document.head.appendChild(document.createElement('style')).textContent = '#d::before { content: attr(data-x) }'; show = (v) => { clean(); d.dataset.x = v }`,
	"letters-after":     `const s = document.head.appendChild(document.createElement('style')); show = (v) => { clean(); s.textContent = [...v].map((x, i) => '#d i:nth-child(' + (i + 1) + ')::after { content: ' + JSON.stringify(x) + ' }').join('\n'); for (const x of v) make('i', '', d) }`,
	"without-a-box":     `show = (v) => { clean(); d.innerHTML = '<div style="display: contents">' + esc(v) + '</div>' }`,
	"spans-without-box": `show = (v) => { clean(); for (const x of v) make('span', x, d).style.display = 'contents' }`,
	"spans":             `show = (v) => { clean(); for (const x of v) make('span', x, d) }`,
	"scattered":         `show = (v) => { clean(); [...v].map((x, i) => [x, i]).sort((a, b) => (a[1] * 7) % 24 - (b[1] * 7) % 24).forEach(([x, i]) => put(x, 'top: 10px; left: ' + i * 20 + 'px')) }`,
	"backwards":         `show = (v) => { clean(); const el = put([...v].reverse().join(''), 'top: 10px; unicode-bidi: bidi-override; direction: rtl; width: 400px; left: 0') }`,
	"mirrored":          `show = (v) => { clean(); put(v, 'top: 10px; left: 10px; transform: scaleX(-1)') }`,
	"upside-down":       `show = (v) => { clean(); put(v, 'top: 10px; left: 10px; transform: rotate(180deg)') }`,
	"slanted":           `show = (v) => { clean(); put(v, 'top: 40px; left: 10px; transform: rotate(15deg) skewX(20deg)') }`,
	"large":             `show = (v) => { clean(); const el = put(v, 'top: 10px; left: 10px'); el.style.fontSize = '40px' }`,
	"shadow-only":       `show = (v) => { clean(); put(v, 'top: 10px; left: -900px; text-shadow: 910px 0 0 #000') }`,
	"upright":           `show = (v) => { clean(); put(v, 'top: 0; left: 10px; writing-mode: vertical-rl; text-orientation: upright') }`,
	"bits-of-boxes":     `show = (v) => { clean(); bits(v).forEach((b, i) => put('', 'width: 8px; height: 8px; top: ' + Math.floor(i / 32) * 8 + 'px; left: ' + (i % 32) * 8 + 'px; background: ' + (b ? '#000' : '#fff'))) }`,
	"bars":              `show = (v) => { clean(); [...v].forEach((x, i) => put('', 'width: 8px; bottom: 0; left: ' + i * 10 + 'px; height: ' + (x.charCodeAt(0) - 30) + 'px; background: #06c')) }`,
	"colors":            `show = (v) => { clean(); [...v].forEach((x, i) => put('', 'width: 10px; height: 10px; left: ' + i * 12 + 'px; background: rgb(' + x.charCodeAt(0) * 2 + ',0,0)')) }`,
	"box-shadows":       `show = (v) => { clean(); put('', 'width: 3px; height: 3px; box-shadow: ' + bits(v).map((b, i) => (b ? (i % 48) * 4 + 'px ' + (Math.floor(i / 48) * 4 + 10) + 'px #000' : '')).filter(Boolean).join(',')) }`,
	"placeholder":       `show = (v) => { clean(); const el = d.appendChild(document.createElement('input')); el.placeholder = v; el.style.width = '400px' }`,
	"button":            `show = (v) => { clean(); const el = d.appendChild(document.createElement('input')); el.type = 'button'; el.value = v }`,
	"list-marks":        `show = (v) => { clean(); const ul = make('ul', '', d); for (const x of v) make('li', '', ul).style.cssText = 'display: list-item; float: left; margin-left: 20px; list-style: ' + JSON.stringify(x) }`,
	"missing-image":     `show = (v) => { clean(); const el = new Image(600, 30); el.alt = v; el.src = '/none'; d.append(el) }`,
	"numbers":           `show = (v) => { clean(); put([...v].map((x) => x.charCodeAt(0)).join(' '), 'top: 10px; width: 1200px') }`,
	"base64":            `show = (v) => { clean(); put(btoa(v), 'top: 10px') }`,
	"foreign-object":    `show = (v) => { clean(); d.innerHTML = svg('<foreignObject width="600" height="60"><div xmlns="http://www.w3.org/1999/xhtml">' + esc(v) + '</div></foreignObject>') }`,
	"closed-shadow":     `const root = by('d').attachShadow({ mode: 'closed' }); show = (v) => { clean(); root.textContent = v }`,
	"frame":             `const el = by('d').parentElement.insertBefore(document.createElement('iframe'), by('d')); el.style.cssText = 'width: 600px; height: 60px'; show = (v) => { clean(); el.contentDocument.body.style.font = '16px monospace'; el.contentDocument.body.textContent = v }`,
	"document-of-frame": `const el = by('d').parentElement.insertBefore(document.createElement('iframe'), by('d')); el.style.cssText = 'width: 600px; height: 60px'; show = (v) => { clean(); el.srcdoc = '<p style="font: 16px monospace">' + esc(v) }`,
	"copied-canvas":     `show = (v) => { clean(); c.fillText(v, 0, 30); const el = new Image(900, 200); el.src = by('c').toDataURL(); d.append(el); c.clearRect(0, 0, 900, 200) }`,
	"title-of-svg":      `show = (v) => { clean(); d.innerHTML = svg('<title>' + esc(v) + '</title><text y="30">' + esc([...v].join(' ')) + '</text>') }`,
}

func TestMostOfWhatAHostilePageDrawsOfAPasswordIsCaught(t *testing.T) {
	if !*tryAll {
		t.Skip("it takes minutes: make attack")
	}
	t.Parallel()
	r := newArena(t)
	control := way{page: "draws-canvas", do: func(a *attack) { a.picture() }}
	same := newPassword(24)
	if a, b := r.walk(t, control, same), r.walk(t, control, same); len(a.pictures) != 1 || len(b.pictures) != 1 {
		t.Fatal("there are no pictures to compare")
	} else if n, where := differing(a.pictures[0], b.pictures[0]); n > 0 {
		t.Fatalf("two pictures of the same differ, in %d pixels in %v", n, where)
	}
	var missed []string
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range drawings {
			if !yield(name) {
				return
			}
		}
	}) {
		w := way{page: "draws-" + name, do: func(a *attack) {
			a.picture()
			a.keys("f:End", "Backspace")
			a.picture("full_page", true)
		}}
		secret := newPassword(24)
		a, b := r.walk(t, w, secret), r.walk(t, w, twinOf(secret))
		if len(a.pictures) != len(b.pictures) {
			t.Errorf("%s: %d pictures of one password, %d of another", name, len(a.pictures), len(b.pictures))
		}
		for i := range min(len(a.pictures), len(b.pictures)) {
			if n, where := differing(a.pictures[i], b.pictures[i]); n > 0 {
				missed = append(missed, fmt.Sprintf("%s (%d pixels in %v)", name, n, where))
				keepPictures(t, fmt.Sprintf("%s-%d", name, i+1), a.pictures[i], b.pictures[i])
				break
			}
		}
	}
	tellShare(t, "drawings", missed, len(drawings))
}
