package cases

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/recorder"
)

// gesture is one line of a case's actions: a verb and its words. Words with spaces
// stand in double quotes.
type gesture struct {
	line  string
	words []string
}

// player is a person before the tabs of a case, and the recorder of it.
type player struct {
	*scene
	page     *browser.Page
	tabs     []*target.Page // the one that is looked at is the last
	recorder *recorder.Recorder
	options  *recorder.Options
}

func (p *player) start(ctx context.Context) (err error) {
	p.tabs = []*target.Page{p.page.Target()}
	p.recorder, err = recorder.Start(ctx, p.page, p.options)
	return err
}

func (p *player) tab() *target.Page { return p.tabs[len(p.tabs)-1] }

func (p *player) person() *simuser.User { return simuser.At(p.tab()) }

func (s *scene) gestures(t *testing.T) []gesture { return s.parsed(t, "actions") }

func (s *scene) parsed(t *testing.T, part string) []gesture {
	t.Helper()
	text, _ := s.part(part)
	var all []gesture
	for line := range strings.Lines(s.site.names.Replace(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		words, err := split(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, gesture{line, words})
	}
	return all
}

func split(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			rest = line[len(quoted):]
			if word, err = strconv.Unquote(quoted); err != nil {
				return nil, err
			}
		}
		words, line = append(words, word), rest
	}
	return words, nil
}

func asksDialogs(all []gesture) bool {
	return slices.ContainsFunc(all, func(g gesture) bool { return g.words[0] == "answer" })
}

func (g gesture) do(ctx context.Context, p *player) error {
	v, known := verbs[g.words[0]]
	args := g.words[1:]
	if !known || len(args) < v.least {
		return errors.New("no such gesture, or too few words")
	}
	return v.do(ctx, p, args)
}

// verb is what a person can do, and with how many words at least.
type verb struct {
	least int
	do    func(ctx context.Context, p *player, args []string) error
}

// verbs are what cases are written in. PATH is a CSS selector, and leads through
// frames and shadow roots with " >>> ".
var verbs = map[string]verb{
	"click": {1, click}, // click PATH [middle|right] [Shift+Alt] [2]
	"point": {3, func(ctx context.Context, p *player, a []string) error {
		return p.person().ClickAt(ctx, a[0], number(a[1]), number(a[2]))
	}}, // point PATH DX DY: pixels from its middle
	"twin": {2, func(ctx context.Context, p *player, a []string) error { return p.person().ClickTwin(ctx, a[0], a[1]) }}, // twin PATH FRAME: in a frame that looks like that of PATH
	"hold": {2, func(ctx context.Context, p *player, a []string) error {
		return p.person().Hold(ctx, a[0], milliseconds(a[1]))
	}}, // hold PATH MS
	"hover": {1, func(ctx context.Context, p *player, a []string) error { return p.person().Hover(ctx, a[0]) }},
	"swipe": {3, func(ctx context.Context, p *player, a []string) error {
		return p.person().Swipe(ctx, a[0], number(a[1]), number(a[2]))
	}}, // swipe PATH DX DY
	"tap":      {1, func(ctx context.Context, p *player, a []string) error { return p.person().Tap(ctx, a[0]) }},
	"type":     {1, func(ctx context.Context, p *player, a []string) error { return p.person().Type(ctx, a[0]) }},
	"fill":     {2, func(ctx context.Context, p *player, a []string) error { return p.person().Fill(ctx, a[0], a[1]) }},
	"press":    {1, press}, // press KEY [ControlOrMeta+Shift]
	"keys":     {1, keys},  // keys KEY KEY...
	"until":    {2, until}, // until PART KEY: presses it until the address holds the part
	"altgraph": {1, func(ctx context.Context, p *player, a []string) error { return p.person().AltGraph(ctx, a[0]) }},
	"compose":  {1, func(ctx context.Context, p *player, a []string) error { return p.person().Compose(ctx, a[0], a[1:]...) }}, // compose CHOSEN SHOWN...
	"insert":   {1, func(ctx context.Context, p *player, a []string) error { return p.person().Insert(ctx, a[0]) }},
	"drag":     {2, drag(false)}, // drag FROM TO [DX DY]
	"grab":     {2, drag(true)},  // the same, where the browser itself drags
	"choose": {2, func(ctx context.Context, p *player, a []string) error {
		return p.person().Choose(ctx, a[0], p.own(a[1:])...)
	}},
	"drop": {2, func(ctx context.Context, p *player, a []string) error {
		return p.person().Drop(ctx, a[0], p.own(a[1:])...)
	}},
	"answer":  {2, answer}, // answer PATH yes|no|=TEXT...: presses it, and answers the dialogs
	"see":     {1, func(ctx context.Context, p *player, a []string) error { return p.person().See(ctx, a[0]) }},
	"find":    {1, find},                                                                                                    // find PATH: waits for it
	"tab":     {0, newTab},                                                                                                  // goes on in the tab that was opened last
	"main":    {0, func(_ context.Context, p *player, _ []string) error { p.tabs = p.tabs[:1]; return nil }},                // goes on in the first
	"goto":    {1, func(ctx context.Context, p *player, a []string) error { return p.tab().Navigate(ctx, "http://"+a[0]) }}, // the address bar
	"back":    {0, func(ctx context.Context, p *player, _ []string) error { return p.travel(ctx, -1) }},
	"forward": {0, func(ctx context.Context, p *player, _ []string) error { return p.travel(ctx, 1) }},
	"reload":  {0, func(ctx context.Context, p *player, _ []string) error { return p.person().Reload(ctx) }},
	"load": {0, func(ctx context.Context, p *player, _ []string) error {
		_, err := p.tab().WaitDownload(ctx, 0)
		return err
	}}, // waits for a download
	"heard":   {1, heard},   // heard TEXT: waits until the server has heard it
	"worked":  {0, worked},  // waits until all that was done is recorded: people are slower
	"restart": {0, restart}, // ends the recording, and begins another in the same page
}

func number(word string) float64 {
	n, _ := strconv.ParseFloat(word, 64) // 0 where it is none: the case shows it
	return n
}

func milliseconds(word string) time.Duration {
	return time.Duration(number(word)) * time.Millisecond
}

func click(ctx context.Context, p *player, args []string) error {
	b := input.Button{}
	for _, word := range args[1:] {
		switch n, err := strconv.Atoi(word); {
		case err == nil:
			b.Count = n
		case word == "middle" || word == "right":
			b.Name = word
		default:
			b.Modifiers = strings.Split(word, "+")
		}
	}
	return p.person().ClickWith(ctx, args[0], b)
}

func press(ctx context.Context, p *player, args []string) error {
	var modifiers []string
	if len(args) > 1 {
		modifiers = strings.Split(args[1], "+")
	}
	return p.person().Press(ctx, args[0], modifiers...)
}

func keys(ctx context.Context, p *player, args []string) error {
	for _, key := range args {
		if err := p.person().Press(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// glance is how long a person looks whether a key had any effect.
const glance = 500 * time.Millisecond

// until presses a key again and again: pickers open in their own time.
func until(ctx context.Context, p *player, args []string) error {
	for {
		if err := p.person().Press(ctx, args[1]); err != nil {
			return err
		}
		look, cancel := context.WithTimeout(ctx, glance)
		err := p.person().See(look, args[0])
		cancel()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func drag(native bool) func(context.Context, *player, []string) error {
	return func(ctx context.Context, p *player, args []string) error {
		dx, dy := 0.0, 0.0
		if len(args) == 4 {
			dx, dy = number(args[2]), number(args[3])
		}
		return p.person().Drag(ctx, args[0], args[1], dx, dy, native)
	}
}

func answer(ctx context.Context, p *player, args []string) error {
	var answers []simuser.Answer
	for _, word := range args[1:] {
		text, typed := strings.CutPrefix(word, "=")
		if !typed {
			text = ""
		}
		answers = append(answers, simuser.Answer{Accept: word != "no", Text: text})
	}
	return p.person().ClickAndAnswer(ctx, args[0], answers...)
}

func find(ctx context.Context, p *player, args []string) error {
	_, _, err := p.person().Find(ctx, args[0])
	return err
}

func newTab(ctx context.Context, p *player, _ []string) error {
	seen := len(p.tab().Popups())
	popup, err := p.tab().WaitPopup(ctx, max(seen-1, 0))
	if err == nil {
		p.tabs = append(p.tabs, popup)
	}
	return err
}

// travel goes through the history as the browser's own buttons do.
func (p *player) travel(ctx context.Context, by int) error {
	return p.person().Travel(ctx, by)
}

func heard(ctx context.Context, p *player, args []string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !slices.Contains(p.site.said(), args[0]) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("heard only %q: %w", p.site.said(), context.Cause(ctx))
		}
	}
	return nil
}

func worked(ctx context.Context, p *player, _ []string) error {
	return errors.Join(p.recorder.Pause(ctx), p.recorder.Resume(ctx))
}

func restart(ctx context.Context, p *player, _ []string) error {
	if _, _, err := p.recorder.Stop(ctx); err != nil {
		return err
	}
	return p.start(ctx)
}

// own are the paths of the person's files.
func (p *player) own(names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(p.folder, name)
	}
	return paths
}
