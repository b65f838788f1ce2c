package replayer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// Consequences are what pages of a Session did because of a call, or meanwhile, that no result of
// the call shows. The zero value is nothing.
type Consequences struct {
	Opened    []Tab       `json:"opened,omitempty"`     // tabs that pages opened
	Dialogs   []DialogBox `json:"dialogs,omitempty"`    // that pages showed
	Navigated string      `json:"navigated,omitempty"`  // where the tab of the call has gone, without its query
	NotLoaded string      `json:"not_loaded,omitempty"` // why the tab shows nothing there
	Scope     []string    `json:"scope,omitempty"`      // origins on which the session acts from now on, as its press has led there
}

// Tab is one of a Session, by the name under which steps find it (Page).
type Tab struct {
	Name  string `json:"tab,omitempty"` // "" is the first
	URL   string `json:"url"`           // without its query
	Title string `json:"title,omitempty"`
}

// DialogBox is a dialog that a page showed, and how it was answered: "accepted" or "dismissed", or
// "" while it is open.
type DialogBox struct {
	Tab     string `json:"tab,omitempty"` // that it is of, "" is the first
	Kind    string `json:"kind"`          // "alert", "confirm", "prompt" or "beforeunload"
	Message string `json:"message,omitempty"`
	Answer  string `json:"answer,omitempty"`
}

const (
	// maxPopups are the tabs opened by pages that a session takes in: a page may open any number.
	maxPopups = 20
	// maxDialogs and maxDialogText bound what is told of dialogs: a page may ask without end.
	maxDialogs    = 10
	maxDialogText = 300
	popupPrefix   = "popup"
)

// led is what calls of a session led to and what was not told yet.
type led struct {
	opened  []string // the names of tabs
	dialogs int      // how many were told
	page    *target.Page
	at      string // where that was before the call
	leads   map[*target.Page]lead
	scope   []string // was extended to these
}

// lead is the last press of a session in a tab, which may lead it elsewhere.
type lead struct {
	mark target.Mark // before it
	end  time.Time   // when it was done; zero while it is
}

// leadsFor is how soon after a press a document must have come to be where it has led: for as long a browser takes what a
// page does as asked for by its user (https://html.spec.whatwg.org/multipage/interaction.html#transient-activation-duration).
const leadsFor = 5 * time.Second

// begin notes the moment before a call.
func (l *led) begin(r *run, step automation.Step) {
	l.page = nil
	page := r.tabs.named[step.Page]
	if page == nil {
		return
	}
	if step.Tool == "navigate" || step.Tool == "tab" {
		delete(l.leads, page)
		return
	}
	l.page, l.at = page, shown(page.URL())
	if tools[step.Tool].presses {
		l.leads[page] = lead{mark: page.Main().Mark()}
	}
}

// pressed notes that a call is over.
func (l *led) pressed() {
	if p, is := l.leads[l.page]; is && p.end.IsZero() {
		p.end = time.Now()
		l.leads[l.page] = p
	}
}

// extendScope has the session act where its presses have led: in their tabs, and in those that these have opened.
func (s *Session) extendScope() {
	for page, p := range s.led.leads {
		if page.IsClosed() {
			delete(s.led.leads, page)
			continue
		}
		came, since := page.Main().Came(p.mark)
		if !since || !p.end.IsZero() && came.After(p.end.Add(leadsFor)) {
			continue
		}
		url := page.URL()
		s.run.tabs.first.Tree().Do(func() { // dialogs ask it there
			if at := s.run.scope.extend(url); at != "" {
				s.led.scope = append(s.led.scope, at)
			}
		})
	}
}

// namePopups takes in the tabs that pages of the session have opened, each by a name that is
// free, and drops those that are closed.
func (s *Session) namePopups() {
	t := s.run.tabs
	maps.DeleteFunc(t.named, func(name string, page *target.Page) bool {
		return name != "" && page.IsClosed()
	})
	inUse := map[*target.Page]bool{}
	for _, page := range t.named {
		inUse[page] = true
	}
	for _, opener := range slices.Sorted(maps.Keys(t.named)) {
		for _, popup := range t.named[opener].Popups() {
			if inUse[popup] || popup.IsClosed() || len(t.named) > maxPopups {
				continue
			}
			inUse[popup] = true
			name := t.freeName()
			if p, is := s.led.leads[t.named[opener]]; is {
				s.led.leads[popup] = lead{end: p.end} // as what a page opens on its own has come later, or is not let
			}
			t.named[name], t.marks[popup] = popup, target.Mark{}
			s.led.opened = append(s.led.opened, name)
		}
	}
}

func (t *tabs) freeName() string {
	for n := 1; ; n++ {
		if name := popupPrefix + strconv.Itoa(n); t.named[name] == nil {
			return name
		}
	}
}

// hasTab returns an error where a call names a tab that is not there and that it does not open.
func (s *Session) hasTab(step automation.Step) error {
	var args struct{ Action string }
	if step.Tool == "tab" {
		if err := decodeArgs(step, &args); err != nil {
			return err
		}
		if args.Action == "" || args.Action == "open" {
			return nil
		}
	}
	_, err := s.tabNamed(step.Page)
	return err
}

// tabNamed returns a tab by its name; the error says which there are.
func (s *Session) tabNamed(name string) (*target.Page, error) {
	if s.run.tabs.named[name] == nil {
		known := "the first, which has no name"
		for _, name := range slices.Sorted(maps.Keys(s.run.tabs.named))[1:] { // the first has the first name
			known += ", " + name
		}
		return nil, &Error{Code: NotFound, Reason: fmt.Sprintf("there is no tab %q; there are: %s", name, known)}
	}
	return s.run.tabs.open(name)
}

// Tabs are the tabs of the session: the first, those that calls opened, and those that pages
// opened. Secrets in their titles are redacted.
func (s *Session) Tabs(ctx context.Context) ([]Tab, error) {
	if s.err != nil {
		return nil, s.err
	}
	s.namePopups()
	var all []Tab
	for _, name := range slices.Sorted(maps.Keys(s.run.tabs.named)) {
		tab := s.tabOf(name)
		tab.Title = s.titleOf(ctx, name)
		all = append(all, tab)
	}
	return all, nil
}

func (s *Session) tabOf(name string) Tab {
	return Tab{Name: name, URL: s.run.secrets.redact(shown(s.run.tabs.named[name].URL()))}
}

// titleOf asks the browser for a title, as a page may be stopped.
func (s *Session) titleOf(ctx context.Context, name string) string {
	var told struct {
		Info struct {
			Title string `json:"title"`
			URL   string `json:"url"`
		} `json:"targetInfo"`
	}
	reply, err := s.run.tabs.named[name].Send("Target.getTargetInfo", nil).Wait(ctx)
	if err != nil || json.Unmarshal(reply, &told) != nil || strings.Contains(told.Info.URL, told.Info.Title) || told.Info.Title == "about:blank" { // one without has its address there, or that of before
		return ""
	}
	return s.run.secrets.redact(told.Info.Title)
}

// Consequences are what pages have done since the last call of Consequences. It waits until the
// navigations that were asked for have begun a document, for a second at most.
func (s *Session) Consequences(ctx context.Context) Consequences {
	var c Consequences
	if s.err != nil {
		return c
	}
	s.namePopups()
	s.awaitAnswer(ctx)
	s.namePopups() // those of documents that have come since
	for _, name := range s.led.opened {
		if s.run.tabs.named[name] != nil {
			c.Opened = append(c.Opened, s.tabOf(name)) // its title may be still to come
		}
	}
	s.led.opened = nil
	s.extendScope()
	c.Scope, s.led.scope = s.led.scope, nil
	c.Dialogs = s.dialogBoxes(ctx)
	if page := s.led.page; page != nil && !page.IsClosed() {
		if at := shown(page.URL()); at != s.led.at {
			c.Navigated = s.run.secrets.redact(at)
		}
		if unloaded := page.Main().Unloaded(); unloaded != nil && c.Navigated != "" {
			c.Navigated, c.NotLoaded = s.run.secrets.redact(shown(unloaded.URL)), inWords(unloaded.Reason)
		}
	}
	s.led.page = nil
	return c
}

// dialogBoxes are the dialogs that were not told of, once they are answered.
func (s *Session) dialogBoxes(ctx context.Context) []DialogBox {
	t := s.run.tabs
	ctx, cancel := load.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var seen []shownDialog
	_ = t.first.Tree().Wait(ctx, func() (bool, error) { // one that is open still is told as such
		seen = slices.Clone(t.dialogs.seen[s.led.dialogs:])
		return !slices.ContainsFunc(seen, func(d shownDialog) bool { return d.answer == nil }), nil
	})
	s.led.dialogs += len(seen)
	var all []DialogBox
	for _, d := range seen[:min(len(seen), maxDialogs)] {
		box := DialogBox{Kind: d.Type, Message: s.run.secrets.redact(d.Message)}
		if runes := []rune(box.Message); len(runes) > maxDialogText {
			box.Message = string(runes[:maxDialogText]) + "…"
		}
		for name, page := range t.named {
			if page == d.page {
				box.Tab = name
			}
		}
		if d.answer != nil {
			box.Answer = map[bool]string{true: "accepted", false: "dismissed"}[d.answer.Accepted]
		}
		all = append(all, box)
	}
	return all
}
