package autonomy

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"
	"unicode/utf8"
)

// The phrases, a file a language. A line is a class and its phrases, in lower
// case, with | between them. "*" behind a word stands for any ending, before it
// for any beginning; "^" holds a phrase to the beginning of a sentence.
//
//go:embed phrases/*.txt
var phraseFiles embed.FS

// class is what a phrase says of the sentence that it stands in.
type class uint64

const (
	ask      class = 1 << iota // a person has to say or do something
	wait                       // nothing goes on before somebody answers
	cond                       // waits together with self
	self                       // the model speaks of itself
	offer                      // what stands behind it is what the model would do
	addr                       // a question with it is put to somebody
	polite                     // a closing
	please                     // asks, where nothing is polite
	lmk                        // asks together with act
	act                        // what the model would do
	then                       // what follows if a question is answered with yes
	order                      // an imperative; asks together with cont
	cont                       // what the model does once it is obeyed
	need                       // of the model's; asks, where there is no plan
	plan                       // what the model needs to do by itself
	alt                        // the question names alternatives
	answer                     // the model answers its own question
	next                       // the model goes on by itself
	report                     // somebody else's words follow
	q                          // a question, with or without its mark
	menu                       // what announces options
	would                      // what stands behind it may be what the model would do
	choice                     // lets a person choose among what is listed
	compose                    // of a task: to write something
	artefact                   // of a task: something that may ask
	payment                    // and the topics
	credentials
	consent
	destructive
	// Each of the following says something only beside others of them.
	halt     // the model cannot, may not, or has not done something
	until    // what waits for resolved
	resolved // a question was answered
	lack     // something is needed, or not there
	noun     // what a person gives: an answer, leave, a code
	you      // the person is spoken of
	must     // somebody has to do something
	demand   // a page, or whoever else, wants something
	note     // no request, though it says please
	did      // the model has acted by itself
	why      // a question for a cause, that a report answers
	trouble  // a closing's condition: if something should be amiss
	wish     // what the model would do if it is wanted
	finished // a report's
	before   // what is to come first
	told     // what is behind it was said by somebody else
	person   // somebody else than the model
	decides  // somebody's decision
	arrives  // the model goes on once it has something
	shown    // what the task was to write stands here, or was sent
	behalf   // in somebody's name, or without having asked
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

const topics = payment | credentials | consent | destructive

// has is whether one of these is among the classes.
func (c class) has(any class) bool { return c&any != 0 }

// all is whether each of these is among the classes.
func (c class) all(of class) bool { return c&of == of }

// hit is what was found in a sentence.
type hit struct {
	classes class
	begins  class // those of phrases that it begins with
	own     bool  // one of them is a program's own
}

// phrases finds all of its phrases in one pass. There are two tries: one is
// entered where a word begins, the other at every letter. Neither goes back.
type phrases struct{ words, anywhere trie }

var builtIn = sync.OnceValue(func() *phrases { return builtInAnd(nil) })

// builtInAnd adds phrases of a program's own.
func builtInAnd(own map[string][]string) *phrases {
	p := &phrases{}
	files, err := phraseFiles.ReadDir("phrases")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, f := range files {
		data, err := phraseFiles.ReadFile(path.Join("phrases", f.Name()))
		if err != nil {
			panic(err)
		}
		if err := p.read(string(data), 1<<languageNamed(strings.TrimSuffix(f.Name(), path.Ext(f.Name())))); err != nil {
			panic(fmt.Sprintf("%s: %v", f.Name(), err))
		}
	}
	for name, list := range own {
		for _, phrase := range list {
			p.insert(phrase, end{class: classNames[name], own: true, in: anyLanguage})
		}
	}
	return p
}

func (p *phrases) read(file string, in spoken) error {
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
			p.add(c, phrase, in)
		}
	}
	return nil
}

func (p *phrases) add(c class, phrase string, in spoken) { p.insert(phrase, end{class: c, in: in}) }

func (p *phrases) insert(phrase string, e end) {
	phrase = strings.TrimSpace(phrase)
	in := &p.words
	if strings.HasPrefix(phrase, "*") {
		in, phrase = &p.anywhere, phrase[1:]
	}
	if strings.HasPrefix(phrase, "^") {
		e.first, phrase = true, phrase[1:]
	}
	e.open = strings.HasSuffix(phrase, "*")
	phrase = strings.TrimSuffix(phrase, "*")
	key := normalise(nil, []byte(phrase))
	if r, _ := utf8.DecodeRune(key); unspaced(r) {
		in = &p.anywhere
	}
	if r, _ := utf8.DecodeLastRune(key); !inWord(r) || unspaced(r) {
		e.open = true
	}
	in.add(key, e)
}

// find looks for all phrases in a normalised sentence. It calls each, if not nil,
// with the place behind every one.
func (p *phrases) find(b []byte, in spoken, each func(c class, start, end int)) hit {
	var h hit
	inside, begun := false, false // within a word; a letter was seen
	at := 0
	take := func(e end, n int) {
		known := each == nil && !e.own && h.classes.all(e.class) && (begun || h.begins.all(e.class))
		if known || e.in&in == 0 || e.first && begun || !e.open && !wordEnds(b, at+n) {
			return
		}
		h.classes |= e.class
		h.own = h.own || e.own
		if !begun {
			h.begins |= e.class
		}
		if each != nil {
			each(e.class, at, at+n)
		}
	}
	for at < len(b) {
		if inside {
			for at < len(b) && wordByte[b[at]] && !p.anywhere.starts(b[at:]) {
				at++ // the rest of a word
			}
			if at == len(b) {
				break
			}
		}
		r, size := rune(b[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(b[at:])
		}
		word := inWord(r)
		if (!inside || !word) && p.words.starts(b[at:]) {
			p.words.walk(b[at:], take)
		}
		if p.anywhere.starts(b[at:]) {
			p.anywhere.walk(b[at:], take)
		}
		inside = word
		begun = begun || word
		at += size
	}
	return h
}
