package automation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What callers test for. Each comes inside an *Error that says where.
var (
	ErrTooLarge      = errors.New("larger than an automation may be")
	ErrFormat        = errors.New("not a document format that this version reads")
	ErrInvalidIntent = errors.New("INVALID_INTENT")
)

// Error is one thing that is wrong with a document. A document with several is
// refused with all of them joined; Problems takes them apart again.
type Error struct {
	Path   string // steps[3].value.name; "" is the document
	Reason string
	Err    error // a sentinel of this package, or nil
}

func (e *Error) Error() string {
	if e.Path == "" {
		return "automation: " + e.Reason
	}
	return e.Path + ": " + e.Reason
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// Problems lists every *Error in err, in the order of the document.
func Problems(err error) []*Error {
	switch e := err.(type) {
	case nil:
		return nil
	case *Error:
		return []*Error{e}
	case interface{ Unwrap() []error }:
		var all []*Error
		for _, one := range e.Unwrap() {
			all = append(all, Problems(one)...)
		}
		return all
	}
	return Problems(errors.Unwrap(err))
}

// maxProblems is what is worth reading: a document with more is not a document
// with slips but something else, and a hostile one must not cost memory.
const maxProblems = 50

// problems collects what is wrong. One place has one problem: the first found
// is the cause, and what follows from it would only confuse.
type problems struct {
	list   []error
	seen   map[string]bool
	closed map[string]bool // places that hold nothing to look into
}

func (p *problems) add(at *place, format string, args ...any) {
	p.addError(at, nil, format, args...)
}

func (p *problems) addError(at *place, sentinel error, format string, args ...any) {
	path := at.String()
	if p.seen[path] || len(p.list) >= maxProblems || p.within(at) {
		return
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[path] = true
	p.list = append(p.list, &Error{Path: path, Reason: fmt.Sprintf(format, args...), Err: sentinel})
}

// close adds a problem after which nothing can be said about what is inside.
func (p *problems) close(at *place, format string, args ...any) {
	p.add(at, format, args...)
	if p.closed == nil {
		p.closed = map[string]bool{}
	}
	p.closed[at.String()] = true
}

func (p *problems) within(at *place) bool {
	if len(p.closed) == 0 {
		return false
	}
	for ; at != nil; at = at.parent {
		if p.closed[at.String()] {
			return true
		}
	}
	return false
}

func (p *problems) err() error {
	switch len(p.list) {
	case 0:
		return nil
	case 1:
		return p.list[0]
	}
	return errors.Join(p.list...)
}

// place is where in the document something stands. It becomes text only when
// there is something to say about it.
type place struct {
	parent *place
	key    string
	index  int // of an item, where key is ""
}

func (p *place) field(key string) *place { return &place{parent: p, key: key} }
func (p *place) item(i int) *place       { return &place{parent: p, index: i} }

func (p *place) String() string {
	if p == nil {
		return ""
	}
	before := p.parent.String()
	switch {
	case p.key == "":
		return before + "[" + strconv.Itoa(p.index) + "]"
	case before == "":
		return shorten(p.key)
	}
	return before + "." + shorten(p.key)
}

// shorten keeps a message to a line, whatever the document holds.
func shorten(s string) string {
	const most = 60
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
