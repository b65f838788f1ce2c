package autonomy

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// What words mean, a file a language: a line is a concept and the words that speak of
// it, in lower case. "*" behind a word stands for any ending; what is quoted is several
// words.
//
//go:embed concepts/*.txt
var conceptFiles embed.FS

// concepts are those that words speak of, each a bit by its place in conceptNames.
type concepts uint64

var conceptNames = [...]string{
	"approve", "decide", "wait", "block", "missing", "need", "tell", "give", "check", "you",
	"someone", "self", "other", "resume", "ready", "ambiguous", "assume", "done", "acted", "doing",
	"later", "condition", "optional", "offer", "fail", "workaround", "quote", "document", "polite", "payment",
	"credentials", "consent", "destructive", "question", negationName, "doubt", "only", "deadline", "responsibility", "report",
}

const negationName = "negation"

var negation = concepts(1) << slices.Index(conceptNames[:], negationName)

// goesOn marks the beginning of several words.
const goesOn concepts = 1 << 63

// lexicon finds the concepts of words, by the hashes that words have anyway.
type lexicon struct {
	known [knownWords / 64]uint64 // by the upper bits of a key: whether there may be one
	table []entry                 // open addressing
	keys  int
}

type entry struct {
	key  uint32
	says concepts
}

const (
	knownBits  = 17 // most letters are asked for in vain: so few bits stay in the cache
	knownWords = 1 << knownBits
	tableBits  = 14 // English and Japanese have eight thousand keys together
	afterWord  = 0x00012345
	asPrefix   = 0x5BD1E995
)

// lexicons are made when a language is first met. English is part of each: what is
// named in it stands in answers of every language.
var lexicons = func() (all [len(languages)]func() *lexicon) {
	for i, name := range languages {
		all[i] = sync.OnceValue(func() *lexicon {
			x := &lexicon{table: make([]entry, 1<<tableBits)}
			for _, n := range slices.Compact([]string{languages[english], name}) {
				data, err := conceptFiles.ReadFile(path.Join("concepts", n+".txt"))
				if err == nil {
					err = x.read(string(data))
				}
				if err != nil {
					panic(fmt.Sprintf("%s: %v", n, err)) // they are part of the program
				}
			}
			return x
		})
	}
	return all
}()

// lexiconOf is the one for a normalised text.
func lexiconOf(b []byte) *lexicon { return lexicons[languageOf(b)]() }

func (x *lexicon) read(file string) error {
	for line := range strings.Lines(file) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		c := slices.Index(conceptNames[:], name)
		if c < 0 {
			return fmt.Errorf("%q is no concept", name)
		}
		for _, item := range conceptItems(list) {
			x.add(1<<c, item)
		}
		if x.keys > len(x.table)*3/4 {
			return fmt.Errorf("more than %d words: let tableBits be more", x.keys)
		}
	}
	return nil
}

// conceptItems splits a list at the spaces that are not quoted.
func conceptItems(list string) []string {
	var items []string
	for i, part := range strings.Split(list, `"`) {
		if i%2 == 1 {
			items = append(items, part)
		} else {
			items = append(items, strings.Fields(part)...)
		}
	}
	return items
}

func (x *lexicon) add(c concepts, item string) {
	stem, open := strings.CutSuffix(item, "*")
	key := normalise(nil, []byte(stem))
	words := tokens(nil, key)
	if open && len(words) == 1 && !words[0].wide {
		h := uint32(hashStart)
		for _, r := range string(key) {
			h = (h ^ uint32(r)) * hashPrime
		}
		x.put(h^asPrefix, c)
		return
	}
	h := uint32(afterWord)
	for i, w := range words {
		h = join(h, w.word)
		if i+1 < len(words) {
			x.put(h, goesOn)
		} else {
			x.put(h, c)
		}
	}
}

func knownAt(key uint32) (int, uint64) {
	at := key * 0x9E3779B1 >> (32 - knownBits)
	return int(at / 64), 1 << (at % 64)
}

func (x *lexicon) put(key uint32, c concepts) {
	word, mask := knownAt(key)
	x.known[word] |= mask
	at := key >> (32 - tableBits)
	for x.table[at].says != 0 && x.table[at].key != key {
		at = (at + 1) % (1 << tableBits)
	}
	if x.table[at].says == 0 {
		x.keys++
	}
	x.table[at].key = key
	x.table[at].says |= c
}

// find is what a key says.
func (x *lexicon) find(key uint32) concepts {
	if word, mask := knownAt(key); x.known[word]&mask == 0 {
		return 0
	}
	for at := key >> (32 - tableBits); x.table[at].says != 0; at = (at + 1) % (1 << tableBits) {
		if x.table[at].key == key {
			return x.table[at].says
		}
	}
	return 0
}

// prefixed is what the beginning of a word says, given its hash.
func (x *lexicon) prefixed(hash uint32) concepts { return x.find(hash ^ asPrefix) }

// whole is what a word says.
func (x *lexicon) whole(hash uint32) concepts { return x.find(join(afterWord, hash)) &^ goesOn }

// sense is what a sentence speaks of, and what of that stands behind a negation.
type sense struct{ all, denied concepts }

// listener takes in the words of a sentence, one by one.
type listener struct {
	sense
	near int       // how many words with a concept are still denied
	open [4]uint32 // several words that have begun
	n    int
}

// reachOfNegation is in words that have a concept.
const reachOfNegation = 3

// take adds a word, of which its beginnings are known.
func (s *listener) take(x *lexicon, word uint32, c concepts) {
	n := 0
	for i := 0; i <= s.n; i++ {
		h := uint32(afterWord)
		if i < s.n {
			h = s.open[i]
		}
		h = join(h, word)
		says := x.find(h)
		c |= says &^ goesOn
		if says&goesOn != 0 && n < len(s.open) {
			s.open[n] = h
			n++
		}
	}
	s.n = n
	if c == 0 {
		return
	}
	if s.near > 0 {
		s.denied |= c
	}
	s.near--
	if c&negation != 0 {
		s.near = reachOfNegation
	}
	s.all |= c
}
