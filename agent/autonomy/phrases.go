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
