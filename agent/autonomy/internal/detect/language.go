package detect

import (
	"math/bits"
	"slices"
	"strings"
)

// languages are those that there are concepts of.
var languages = [...]string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "cs", "tr", "fi", "hu", "ro", "id", "vi", "ru", "uk", "el", "ar", "he", "hi", "ja", "zh", "ko"}

const english = 0 // what is too short to decide is taken for it

// stopWords distinguish languages of one script.
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

const frequentBits = 10 // some four hundred words

// scripts that one language is written in, or nearly so.
var scripts = [...]struct {
	from, to rune
	in       spoken
	votes    uint16
}{
	{}, // that of many languages
	{0x0370, 0x0400, named("el"), 1}, {0x0400, 0x0530, named("ru", "uk"), 1}, {0x0590, 0x0600, named("he"), 1},
	{0x0600, 0x0700, named("ar"), 1}, {0x0900, 0x0980, named("hi"), 1}, {0x3040, 0x3100, named("ja"), 3},
	{0x4E00, 0xA000, named("zh"), 1}, {0xAC00, 0xD7A4, named("ko"), 1},
}

func named(names ...string) (in spoken) {
	for _, name := range names {
		in |= 1 << languageNamed(name)
	}
	return in
}

// scriptOf is the place among them of a letter's.
func scriptOf(r rune) uint8 {
	if r >= 0x4E00 && r < 0xA000 {
		return chinese // the most there is of
	}
	for i := 1; i < len(scripts) && r >= scripts[i].from; i++ {
		if r < scripts[i].to {
			return uint8(i)
		}
	}
	return 0
}

const chinese = 7 // its place among them

// wordsOfLanguage is how many words are looked at.
const wordsOfLanguage = 120

// spoken is a set of languages.
type spoken uint32

const anyLanguage = ^spoken(0)

// languageOf guesses the language of a text by its first words.
func languageOf(words []token) int {
	best, _ := languagesOf(words)
	return best
}

// languagesOf also returns those that it may be in as well, or names things in.
func languagesOf(words []token) (int, spoken) {
	var v votes
	for i := range words[:min(wordsOfLanguage, len(words))] {
		v.take(&words[i])
	}
	return v.count()
}

// spokenBy returns those that a sentence may be in besides the ones of its answer: answers name
// things, and ask, in a second language.
func spokenBy(words []token, answer spoken) spoken {
	best, in := languagesOf(words)
	if in == anyLanguage || answer&(1<<best) != 0 {
		return answer
	}
	return answer | in
}

// votes are those of words and letters for languages.
type votes struct {
	n  [len(languages)]uint16
	in spoken // those that have some
}

// take counts the languages that a word is frequent in, and those of its script.
func (v *votes) take(t *token) {
	if s := &scripts[t.script]; s.votes > 0 {
		v.add(s.in, s.votes)
	}
	for at := t.word >> (32 - frequentBits); frequent[at].in != 0; at = (at + 1) % (1 << frequentBits) {
		if frequent[at].word == t.word {
			v.add(frequent[at].in, 1)
			return
		}
	}
}

func (v *votes) add(in spoken, n uint16) {
	v.in |= in
	for x := uint32(in); x != 0; x &= x - 1 {
		v.n[bits.TrailingZeros32(x)] += n
	}
}

// count returns the language with the most votes, and those with half as many, and English.
func (v *votes) count() (int, spoken) {
	if v.in == 0 {
		return english, anyLanguage
	}
	best := english
	for x := uint32(v.in); x != 0; x &= x - 1 {
		if k := bits.TrailingZeros32(x); v.n[k] > v.n[best] {
			best = k
		}
	}
	near := spoken(1) << english
	for x := uint32(v.in); x != 0; x &= x - 1 {
		if k := bits.TrailingZeros32(x); v.n[k]*2 >= v.n[best] {
			near |= 1 << k
		}
	}
	return best, near
}
