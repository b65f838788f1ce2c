package detect

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The phrases, a file a language. A line is a class and its phrases, in lower
// case, with | between them. "*" after a word stands for any ending, before it
// for any beginning; "^" holds a phrase to the beginning of a sentence.
//
//go:embed phrases/*.txt
var phraseFiles embed.FS

// class is what a phrase means for the sentence that it stands in.
type class uint64

const (
	ask      class = 1 << iota // a person has to reply or do something
	wait                       // nothing goes on before someone answers
	cond                       // waits together with self
	self                       // the model speaks of itself
	offer                      // what stands after it is what the model would do
	addr                       // a question with it is put to someone
	polite                     // a closing
	please                     // asks, where nothing is polite
	lmk                        // asks together with act
	act                        // what the model would do
	then                       // what follows if a question is answered with yes
	order                      // an imperative; asks together with cont
	cont                       // what the model does once it is obeyed
	need                       // of the model's; asks, where there is no plan
	plan                       // what the model needs to do alone
	alt                        // the question names alternatives
	answer                     // the model answers its own question
	next                       // the model goes on without a person
	report                     // someone else's words follow
	q                          // a question, with or without its mark
	menu                       // what announces options
	would                      // what stands after it may be what the model would do
	choice                     // lets a person choose among what is listed
	compose                    // of a task: to write something
	artefact                   // of a task: something that may ask
	payment                    // and the topics
	credentials
	consent
	destructive
	// Each of the following means something only together with others of them.
	halt     // the model cannot, may not, or has not done something
	until    // what waits for resolved
	resolved // a question was answered
	lack     // something is needed, or not there
	noun     // what a person supplies: an answer, leave, a code
	you      // the person is spoken of
	must     // someone has to do something
	demand   // a page, or someone, wants something
	note     // no request, though with please
	did      // the model has acted
	why      // a question for a cause, that a report answers
	trouble  // a closing's condition: if something should be amiss
	wish     // what the model would do if it is wanted
	finished // a report's
	before   // what is to come first
	told     // what follows are words of someone else
	person   // someone other than the model
	decides  // someone's decision
	arrives  // the model goes on once it has something
	shown    // what the task was to write stands here, or was sent
	behalf   // in someone's name, or without having asked
)

var classNames = map[string]class{
	"ask": ask, "wait": wait, "cond": cond, "self": self, "offer": offer, "addr": addr, "polite": polite, "please": please, "lmk": lmk, "act": act,
	"order": order, "cont": cont, "need": need, "plan": plan, "alt": alt,
	"then": then, "answer": answer, "next": next, "report": report, "q": q, "menu": menu, "choice": choice, "would": would,
	"halt": halt, "until": until, "resolved": resolved, "lack": lack, "noun": noun, "you": you, "must": must, "demand": demand,
	"note": note, "did": did, "why": why, "trouble": trouble, "wish": wish, "finished": finished, "before": before, "told": told, "person": person, "decides": decides, "behalf": behalf, "shown": shown, "arrives": arrives,
	"compose": compose, "artefact": artefact,
	"payment": payment, "credentials": credentials, "consent": consent, "destructive": destructive,
}

// Classes returns the names of all classes, sorted.
func Classes() []string { return slices.Sorted(maps.Keys(classNames)) }

const topics = payment | credentials | consent | destructive

// has reports whether one of these is among the classes.
func (c class) has(any class) bool { return c&any != 0 }

// all reports whether each of these is among the classes.
func (c class) all(of class) bool { return c&of == of }

// hit is what was found in a sentence.
type hit struct {
	classes class
	begins  class // those of phrases that it begins with
	own     bool  // one of them is a program's own
}

// phrases are those of each language, and of all of them together.
type phrases struct {
	spoken [len(languages)]func() *tries // made when a language is first met
	all    func() *search
}

// tries hold phrases. One is entered where a word begins, the other at every letter.
// Neither goes back.
type tries struct{ words, anywhere trie }

var builtIn = sync.OnceValue(func() *phrases { return builtInAnd(nil) })

// builtInAnd adds phrases of a program's own.
func builtInAnd(own map[string][]string) *phrases {
	p := &phrases{}
	for i := range languages {
		p.spoken[i] = sync.OnceValue(func() *tries { return triesOf(languages[i:i+1], own) })
	}
	p.all = sync.OnceValue(func() *search {
		var s search
		s.take(triesOf(languages[:], own))
		return &s
	})
	return p
}

// triesOf reads the phrases of some languages, and adds a program's own.
func triesOf(names []string, own map[string][]string) *tries {
	t := gathered(names, own)
	t.words.seal()
	t.anywhere.seal()
	return t
}

func gathered(names []string, own map[string][]string) *tries {
	t := &tries{}
	for _, name := range names {
		data, err := phraseFiles.ReadFile(path.Join("phrases", name+".txt"))
		if err == nil {
			err = t.read(string(data))
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err)) // they are part of the program
		}
	}
	for name, list := range own {
		for _, phrase := range list {
			t.insert(phrase, end{class: classNames[name], own: true})
		}
	}
	return t
}

func (t *tries) read(file string) error {
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, list, ok := strings.Cut(line, ":")
		c := classNames[name]
		if !ok || c == 0 {
			return fmt.Errorf("%q is no class", name)
		}
		for phrase := range strings.SplitSeq(list, " | ") {
			t.insert(phrase, end{class: c})
		}
	}
	return nil
}

func (t *tries) insert(phrase string, e end) {
	phrase = strings.TrimSpace(phrase)
	in := &t.words
	if strings.HasPrefix(phrase, "*") {
		in, phrase = &t.anywhere, phrase[1:]
	}
	if strings.HasPrefix(phrase, "^") {
		e.first, phrase = true, phrase[1:]
	}
	e.open = strings.HasSuffix(phrase, "*")
	phrase = strings.TrimSuffix(phrase, "*")
	key := normalise(nil, []byte(phrase))
	if r, _ := utf8.DecodeRune(key); unspaced(r) {
		in = &t.anywhere
	}
	if r, _ := utf8.DecodeLastRune(key); !inWord(r) || unspaced(r) {
		e.open = true
	}
	in.add(key, e)
}

// search is which tries are looked through: those of some languages.
type search struct {
	of              *phrases
	in              spoken
	words, anywhere []*trie
}

// over is a search through the phrases of some languages, in the room of the one before,
// which is mostly the same.
func (s *search) over(p *phrases, in spoken) *search {
	if in == anyLanguage {
		return p.all()
	}
	if s.of == p && s.in == in {
		return s
	}
	*s = search{p, in, s.words[:0], s.anywhere[:0]}
	for x := uint32(in); x != 0; x &= x - 1 {
		s.take(p.spoken[bits.TrailingZeros32(x)]())
	}
	return s
}

func (s *search) take(t *tries) {
	s.words = append(s.words, &t.words)
	if len(t.anywhere.nodes) > 1 {
		s.anywhere = append(s.anywhere, &t.anywhere)
	}
}

// find looks for all phrases in a normalised sentence, of which the words are known. It
// calls each, if not nil, with the place of every one.
func (s *search) find(b []byte, words []token, each func(c class, start, end int)) hit {
	f := finder{search: s, b: b, each: each}
	behind := 0 // the word before
	for i := range words {
		t := &words[i]
		if t.mark {
			continue
		}
		if int(t.start) != behind+1 || b[behind] != ' ' { // no phrase begins with a space
			f.between(behind, int(t.start))
		}
		f.next = nil
		if i+1 < len(words) {
			f.next = &words[i+1]
		}
		inside := i > 0 && behind == int(t.start) // what follows a wide letter begins no word
		switch {
		case t.wide:
			f.letter(t)
		case t.parts:
			f.parts(t, inside)
		case !inside:
			f.word(s.words, t, t)
		}
		if len(s.anywhere) > 0 && !t.wide {
			f.within(t)
		}
		behind, f.begun = int(t.end), true
	}
	f.between(behind, len(b))
	return f.hit
}

// find looks in all languages.
func (p *phrases) find(b []byte, words []token, each func(c class, start, end int)) hit {
	return p.all().find(b, words, each)
}

// finder is a search through one sentence.
type finder struct {
	hit
	*search
	b     []byte
	begun bool   // a word was seen
	next  *token // the one after the current one
	each  func(c class, start, end int)
}

// word looks for phrases that begin with a word, or with a part of it that begins there.
func (f *finder) word(in []*trie, t, part *token) {
	stem, root, short := bitOf(t.stem), bitOf(t.root^ofRoot), bitOf(beginning(f.b[t.start:t.end]))
	two, partStem, all := stem, bitOf(part.stem), false
	if f.next != nil {
		two, all = bitOf(join(t.stem, f.next.stem)), f.next.parts
	}
	for _, in := range in {
		if all || in.first.has(two, stem, root, short, partStem) {
			f.walk(in, int(t.start))
		}
	}
}

// letter looks for phrases that begin with a letter of a script without spaces.
func (f *finder) letter(t *token) {
	one := bitOf(t.stem)
	two := one
	if f.next != nil {
		two = bitOf(join(t.stem, f.next.stem))
	}
	all := f.next != nil && f.next.parts
	for _, in := range f.anywhere {
		if all || (in.first.at(one)|in.first.at(two))&1 != 0 {
			f.walk(in, int(t.start))
		}
	}
}

// parts looks for phrases that begin with a word that has apostrophes, with what is after
// one, or with one.
func (f *finder) parts(t *token, inside bool) {
	for at, end := int(t.start), int(t.end); at < end; inside = false {
		n := bytes.IndexByte(f.b[at:end], '\'')
		if n < 0 {
			n = end - at
		}
		var part, rest token
		part.read(f.b[:at+n], at)
		rest.read(f.b[:end], at)
		if !inside {
			f.word(f.words, &rest, &part)
		}
		f.begun = true
		f.between(at+n, min(at+n+1, end))
		at += n + 1
	}
}

// within looks for phrases that may begin anywhere in a word.
func (f *finder) within(t *token) {
	for at := int(t.start); at < int(t.end); at++ {
		for _, in := range f.anywhere {
			if in.starts(f.b[at:]) {
				f.walk(in, at)
			}
		}
		f.begun = true
	}
}

// between looks for phrases that begin with what is no letter.
func (f *finder) between(at, end int) {
	for ; at < end; at++ {
		for _, in := range f.words {
			f.walk(in, at)
		}
		for _, in := range f.anywhere {
			f.walk(in, at)
		}
	}
}

// walk takes all phrases of a trie that begin at a place.
func (f *finder) walk(t *trie, at int) {
	if !t.begins[f.b[at]] {
		return
	}
	t.walk(f.b[at:], func(e *end, n int) {
		known := f.each == nil && !e.own && f.classes.all(e.class) && (f.begun || f.begins.all(e.class))
		if known || e.first && f.begun || !e.open && !wordEnds(f.b, at+n) {
			return
		}
		f.classes |= e.class
		f.own = f.own || e.own
		if !f.begun {
			f.begins |= e.class
		}
		if f.each != nil {
			f.each(e.class, at, at+n)
		}
	})
}
