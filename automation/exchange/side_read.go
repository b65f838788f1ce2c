package exchange

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// sideProject is a project of Selenium IDE
// (https://github.com/SeleniumHQ/selenium-ide/tree/trunk/packages/side-model).
type sideProject struct {
	ID      string      `json:"id"`
	Version string      `json:"version"`
	Name    string      `json:"name"`
	URL     string      `json:"url"`
	Tests   []sideTest  `json:"tests"`
	Suites  []sideSuite `json:"suites"`
	URLs    []string    `json:"urls"`
	Plugins []any       `json:"plugins"`
}

type sideTest struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Commands []sideCommand `json:"commands"`
}

type sideSuite struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	PersistSession bool     `json:"persistSession"`
	Parallel       bool     `json:"parallel"`
	Timeout        int      `json:"timeout"` // s
	Tests          []string `json:"tests"`
}

type sideCommand struct {
	ID            string     `json:"id"`
	Comment       string     `json:"comment"`
	Command       string     `json:"command"`
	Target        string     `json:"target"`
	Targets       [][]string `json:"targets"`
	Value         string     `json:"value"`
	Skip          bool       `json:"skip,omitempty"`
	OpensWindow   bool       `json:"opensWindow,omitempty"`
	WindowHandle  string     `json:"windowHandleName,omitempty"`
	WindowTimeout float64    `json:"windowTimeout,omitempty"` // ms
}

// sideReader reads the commands of a test.
type sideReader struct {
	*reader
	project sideProject
	stored  map[string]string // constants, by the name of the variable
	taken   map[string]bool   // variables that the flow itself reads from the page
	frame   []selectors.Path
	window  string
	blocks  int // commands in a block of a control command are passed over
	read    int // commands, of all tests that run one another
}

func readSide(r *reader, data []byte) error {
	s := &sideReader{reader: r, stored: map[string]string{"nbsp": "\u00a0"}, taken: map[string]bool{}}
	if err := json.Unmarshal(data, &s.project); err != nil {
		return r.fail(err, "not a project: %v", err)
	}
	if len(s.project.Tests) == 0 {
		return r.fail(ErrNothing, "it holds no test")
	}
	test, err := s.test(r.options.Test)
	if err != nil {
		return err
	}
	if n := len(s.project.Tests); n > 1 && r.options.Test == "" {
		r.add(Loss{Step: whole, Kind: Dropped, What: fmt.Sprintf("of %d tests the first, %q, is taken", n, shorten(test.Name)), Do: "Take another with the option for the test's name"})
	}
	r.title = test.Name
	return s.play(test, 0)
}

// test gives a test by its name, the first for "".
func (s *sideReader) test(name string) (*sideTest, error) {
	var names []string
	for i := range s.project.Tests {
		if test := &s.project.Tests[i]; name == "" || test.Name == name {
			return test, nil
		}
		names = append(names, fmt.Sprintf("%q", shorten(s.project.Tests[i].Name)))
	}
	return nil, s.fail(ErrNothing, "there is no test %q; there are %s", shorten(name), shorten(strings.Join(names, ", ")))
}

// play reads the commands of a test. Those of a test that it runs keep the place of
// the command that runs it.
func (s *sideReader) play(test *sideTest, depth int) error {
	for i := range test.Commands {
		c := &test.Commands[i]
		if s.read++; s.read > maxSteps {
			return s.fail(ErrTooLarge, "more than the %d commands allowed", maxSteps)
		}
		if depth == 0 {
			s.begin(i, c.Command)
		}
		if c.Command == "" || c.Skip || strings.HasPrefix(c.Command, "//") {
			continue
		}
		if c.Command == "run" && s.blocks == 0 {
			if err := s.run(c.Target, depth); err != nil {
				return err
			}
			continue
		}
		s.one(c)
	}
	return nil
}

// run puts the commands of another test in the place of the one that runs it.
func (s *sideReader) run(name string, depth int) error {
	if depth >= maxDepth {
		return s.fail(ErrTooLarge, "tests run one another more than %d deep", maxDepth)
	}
	other, err := s.test(name)
	if err != nil || name == "" {
		s.lose(Dropped, fmt.Sprintf("it runs the test %q, which is not there", shorten(name)), "")
		return nil
	}
	return s.play(other, depth+1)
}

// Control commands open blocks that end closes.
var (
	sideOpens  = []string{"if", "while", "times", "forEach", "do"}
	sideCloses = []string{"end", "repeatIf"}
)

// one reads a command. What is done only under a condition, or several times, is
// not taken over at all: done once and always it could be something else.
func (s *sideReader) one(c *sideCommand) {
	switch {
	case slices.Contains(sideOpens, c.Command):
		if s.blocks++; s.blocks == 1 {
			s.lose(Dropped, "conditions and loops are not taken over, nor what is in them", "Record what has to be done; a step can be optional, or have a condition")
		}
		return
	case slices.Contains(sideCloses, c.Command):
		s.blocks = max(s.blocks-1, 0)
		return
	case s.blocks > 0:
		return
	}
	read := sideCommands[c.Command]
	if read == nil {
		s.lose(Dropped, sideWhy(c.Command), "")
		return
	}
	c.Target, c.Value = s.fill(c.Target), s.fill(c.Value)
	before := len(s.steps)
	step := automation.Step{Page: s.window, Frame: slices.Clone(s.frame)}
	read(s, c, step)
	if c.OpensWindow && len(s.steps) > before {
		page, _ := s.page(c.WindowHandle)
		s.last().Expect = append(s.last().Expect, automation.Expectation{Kind: "popup", Page: page})
	}
}

// sideScripts are the commands that run what a stranger wrote.
var sideScripts = []string{"executeScript", "executeAsyncScript", "runScript"}

func sideWhy(command string) string {
	switch {
	case slices.Contains(sideScripts, command):
		return "it runs a script, and scripts of a file are never run"
	case strings.HasPrefix(command, "store"):
		return "what it stores cannot be read by a step"
	case strings.HasPrefix(command, "mouse"):
		return "moves of the mouse are not kept"
	}
	return "there is no such command here"
}

// fill puts in what the file itself has stored. What else has a hole becomes a
// variable where it is typed.
func (s *sideReader) fill(text string) string {
	const most = 4 << 10 // bytes; a stored text can be put in many times, also into itself
	if !strings.Contains(text, "${") {
		return text
	}
	filled := hole.ReplaceAllStringFunc(text, func(found string) string {
		if value, known := s.stored[found[2:len(found)-1]]; known {
			return value
		}
		return found
	})
	if len(filled) > most {
		s.lose(Changed, "what is stored makes too long a text, and is not put in", "")
		return text
	}
	return filled
}

// on puts the element of a command into a step: its target first, then the others
// that were recorded.
func (s *sideReader) on(c *sideCommand, step *automation.Step) bool {
	var found []selectors.Path
	take := func(locator string) {
		path, why := sidePath(locator)
		if why != "" {
			s.lose(Dropped, fmt.Sprintf("the locator %q: %s", shorten(locator), why), "")
		}
		if path != nil {
			found = append(found, path)
		}
	}
	take(c.Target)
	for _, target := range c.Targets {
		if len(target) > 0 && target[0] != c.Target {
			take(s.fill(target[0]))
		}
	}
	return s.element(step, found)
}

func (s *sideReader) about(c *sideCommand) string {
	words := []string{c.Target}
	for _, target := range c.Targets {
		words = append(words, target...)
	}
	return strings.Join(words, " ")
}

// address is a target of open: an address, or a part of one on the project's own.
func (s *sideReader) address(target string) string {
	base, err := url.Parse(s.project.URL)
	if err != nil || hole.MatchString(target) {
		return target
	}
	u, err := base.Parse(target)
	if err != nil {
		return target
	}
	return u.String()
}

// timeout is the value of a wait, in milliseconds.
func sideTimeout(value string) time.Duration {
	ms, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || ms <= 0 || ms > 1e9 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}
