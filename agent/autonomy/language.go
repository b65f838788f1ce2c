package autonomy

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// languages are those that there are concepts of.
var languages = [...]string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "cs", "tr", "fi", "hu", "ro", "id", "vi", "ru", "uk", "el", "ar", "he", "hi", "ja", "zh", "ko"}

const english = 0 // what is too short to tell is taken for it

// stopWords tell languages of one script from one another.
var stopWords = map[string]string{
	"en": "the and is to of it this that for with you not are was have on as be will from if can",
	"de": "der die das und ist nicht ich sie ein eine zu den mit auf für wird noch soll dem wenn oder bitte von im habe sind du",
	"fr": "le la les et est pas je vous une des du pour dans sur que qui avec au ce sont ai ou si il pas votre",
	"es": "el la los las y es no que una del para por con se está un lo su al he si o son como pero más",
	"it": "il la di che è non una per con sono del della ho gli le un nel si da al alla i ma se più come",
	"pt": "o a os de que não uma para com do da em um por está são no na se foi ao você mais os as e ou",
	"nl": "de het een en is niet ik van voor dat op te met zijn je u aan er naar wordt heb of ook om als dit",
	"pl": "i nie w na się jest do z że to o po za czy jak od dla są już tylko by przez ale tak",
	"sv": "och är att det inte en ett för på som med jag av har till den du vill ska om kan från jag de eller",
	"da": "og er at det ikke en et for på som med jeg af har til den du vil skal om kan fra jeg de eller",
	"cs": "a je se na v že nebo to do si pro jsem s jako není ale už po jen které jsou by z od tak",
	"tr": "ve bir bu için da de mi ne ile var değil olarak daha ama gibi çok mı sonra kadar her yok şu ben siz",
	"fi": "ja on ei se että tai mutta ovat oli ole en sen jos niin kun myös jo vain voi olen tämä kuin sekä vielä",
	"hu": "a az és nem hogy egy van is ez de ha meg már még csak vagy volt mert azt lesz kell nincs el",
	"ro": "și este nu de în la cu pe o un pentru să din că am sunt mai care se dacă a fi sau al au",
	"id": "yang dan di tidak saya untuk ini dengan dari ke itu ada apakah akan sudah bisa anda belum atau pada",
	"vi": "và là không tôi của có được cho này với các đã bạn để một trong thì khi chưa nào",
	"ru": "и не в на я что с по это как для но или вы к если уже из за от все нет только",
	"uk": "і не в на я що з по це як для але або ви до якщо вже із за від та чи є",
}

func languageNamed(name string) int { return slices.Index(languages[:], name) }

// frequentWord is one of these, by its hash, and in which languages it is among the most
// frequent.
type frequentWord struct {
	word uint32
	in   spoken
}

// frequent finds them, by the upper bits of their hashes and what follows: each word of an
// answer is looked up, and a map is slow.
var frequent = func() (t [1 << frequentBits]frequentWord) {
	for name, list := range stopWords {
		for _, w := range strings.Fields(list) {
			word := tokens(nil, []byte(w))[0].word
			at := word >> (32 - frequentBits)
			for t[at].in != 0 && t[at].word != word {
				at = (at + 1) % (1 << frequentBits)
			}
			t[at].word = word
			t[at].in |= 1 << languageNamed(name)
		}
	}
	return t
}()

const frequentBits = 12 // some five hundred words

// scripts that one language is written in, or nearly so.
var scripts = []struct {
	from, to rune
	language int
	votes    int
}{
	{0x0370, 0x0400, languageNamed("el"), 1}, {0x0400, 0x0530, languageNamed("ru"), 1}, {0x0400, 0x0530, languageNamed("uk"), 1}, {0x0590, 0x0600, languageNamed("he"), 1},
	{0x0600, 0x0700, languageNamed("ar"), 1}, {0x0900, 0x0980, languageNamed("hi"), 1}, {0x3040, 0x3100, languageNamed("ja"), 3},
	{0x4E00, 0xA000, languageNamed("zh"), 1}, {0xAC00, 0xD7A4, languageNamed("ko"), 1},
}

// wordsOfLanguage is how many words are looked at.
const wordsOfLanguage = 120

// spoken is a set of languages.
type spoken uint32

const anyLanguage = ^spoken(0)

// languageOf guesses the language of a normalised text by its first words.
func languageOf(b []byte) int {
	best, _ := languagesOf(b)
	return best
}

// languagesOf also gives those that it may be in as well, or names things in.
func languagesOf(b []byte) (int, spoken) {
	var v votes
	for n, i := 0, 0; n < wordsOfLanguage; n++ {
		t, at, ok := nextToken(b, i)
		if !ok {
			break
		}
		i = at
		v.take(t.word)
		if r, _ := utf8.DecodeLastRune(b[:at]); r >= scripts[0].from {
			for _, s := range scripts {
				if r >= s.from && r < s.to {
					v[s.language] += s.votes
				}
			}
		}
	}
	return v.count()
}

// spokenBy gives the same for a sentence whose words are known already, and none where it
// is too short to tell: answers name things, and ask, in a second language.
func spokenBy(words []token, b []byte) spoken {
	var in spoken
	if hasOtherScript(b) {
		_, in = languagesOf(b)
	} else {
		var v votes
		for _, t := range words[:min(wordsOfLanguage, len(words))] {
			v.take(t.word)
		}
		_, in = v.count()
	}
	if in == anyLanguage {
		return 0
	}
	return in
}

// hasOtherScript is whether a letter may be of one of the scripts above.
func hasOtherScript(b []byte) bool {
	const first = 0xCD // the least byte that such a letter begins with
	for _, c := range b {
		if c >= first {
			return true
		}
	}
	return false
}

// votes are those of words and letters for languages.
type votes [len(languages)]int

// take counts the languages that a word is frequent in.
func (v *votes) take(word uint32) {
	for at := word >> (32 - frequentBits); frequent[at].in != 0; at = (at + 1) % (1 << frequentBits) {
		if frequent[at].word != word {
			continue
		}
		for in := uint32(frequent[at].in); in != 0; in &= in - 1 {
			v[bits.TrailingZeros32(in)]++
		}
		return
	}
}

// count gives the language with the most votes, and those with half as many, and English.
func (v *votes) count() (int, spoken) {
	best := english
	for k := range v {
		if v[k] > v[best] {
			best = k
		}
	}
	if v[best] == 0 {
		return best, anyLanguage
	}
	near := spoken(1) << english
	for k := range v {
		if v[k]*2 >= v[best] {
			near |= 1 << k
		}
	}
	return best, near
}
