package autonomy

import (
	"bytes"
	"math/bits"
)

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
	next  *token // the one behind that which is looked at
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

// parts looks for phrases that begin with a word that has apostrophes, with what is behind
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
