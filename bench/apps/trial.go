package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

// How long a flow may take, and how long a back end may take to hold what it was sent.
const (
	recordTime = 3 * time.Minute
	playTime   = 4 * time.Minute
	decideTime = 6 * time.Second
)

// verdict is what became of a recording or a run.
type verdict string

const (
	right  verdict = "done-right"
	failed verdict = "failed-clearly"
	wrong  verdict = "DONE-WRONG"
)

// outcome is a verdict, and why.
type outcome struct {
	verdict verdict
	why     string
	took    time.Duration
}

// trial is an application that runs, and what was recorded of it.
type trial struct {
	app  *app
	site *site
	b    *browser.Browser
	runs int
	dump string // a directory for what was recorded, "" for none
	// signedIn leaves the sign-in out of what is recorded.
	signedIn bool
	doc      *automation.Automation
	given    map[string]string // what a variable of the document stands for: a key of values, "user" or "password"
}

// record has a user do the flow.
func (t *trial) record(ctx context.Context) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	before, err := t.site.state(ctx)
	if err != nil {
		return outcome{}, err
	}
	page, err := t.b.NewIsolatedPage(ctx, "")
	if err != nil {
		return outcome{}, err
	}
	defer page.Close(context.WithoutCancel(ctx))
	who, typed := t.site.accounts[0], t.app.values(t.runs)
	t.runs++
	p := newPerson(ctx, page)
	if t.signedIn {
		if err := t.begin(ctx, page, p, who); err != nil {
			t.picture(ctx, page)
			return outcome{}, err
		}
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "flow"})
	if err != nil {
		return outcome{}, err
	}
	if !t.signedIn {
		err = t.begin(ctx, page, p, who)
	}
	if err == nil {
		t.app.flow(p, typed)
		err = p.err
	}
	if err != nil {
		t.doc, _, _ = r.Stop(ctx) // that it failed is what matters
		t.picture(ctx, page)
		return outcome{}, fmt.Errorf("the user at %s: %w", page.URL(), err)
	}
	t.app.want(before, who, typed) // a user sees that it is saved before the recording is stopped
	diff := t.decided(ctx, before)
	began := time.Now()
	doc, integrity, err := r.Stop(ctx)
	if err != nil {
		return outcome{verdict: failed, why: err.Error()}, nil
	}
	t.doc = doc
	if err := t.match(typed); err != nil {
		return outcome{}, err
	}
	if diff != "" {
		t.picture(ctx, page)
		return outcome{}, fmt.Errorf("the user has not done what the judge wants: %s", diff)
	}
	o := outcome{verdict: right, took: time.Since(began)}
	for key := range typed {
		if !slices.Contains(slices.Collect(maps.Values(t.given)), key) {
			o.why += fmt.Sprintf("%s could not be made a variable; ", key)
		}
	}
	if len(integrity.Omitted) > 0 {
		o.why += fmt.Sprint("left out: ", integrity.Omitted)
	}
	return o, nil
}

// begin opens the application, and signs in.
func (t *trial) begin(ctx context.Context, page *browser.Page, p *person, who account) error {
	if err := page.Navigate(ctx, t.site.url); err != nil {
		return err
	}
	if t.app.signIn != nil {
		t.app.signIn(p, who)
	}
	return p.err
}

// picture writes what a page shows and is made of, where a user could not go on.
func (t *trial) picture(ctx context.Context, page *browser.Page) {
	if t.dump == "" {
		return
	}
	reply, err := page.Target().Send("Page.captureScreenshot", nil).Wait(ctx)
	var shot struct{ Data []byte }
	if err == nil {
		err = json.Unmarshal(reply, &shot)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(t.dump, t.app.name+".png"), shot.Data, 0o644)
	}
	var text struct{ Result struct{ Value string } }
	if err == nil {
		reply, err = page.Target().Send("Runtime.evaluate", map[string]any{"expression": "document.documentElement.outerHTML"}).Wait(ctx)
	}
	if err == nil {
		err = json.Unmarshal(reply, &text)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(t.dump, t.app.name+".html"), []byte(text.Result.Value), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no picture:", err)
	}
}

// match notes what the variables of the document stand for: those of the account are known by
// their names, the others by what was recorded for them.
func (t *trial) match(typed values) error {
	declared, err := t.doc.Declared()
	if err != nil {
		return err
	}
	t.given = t.known(declared.Names())
	for _, name := range declared.Names() {
		recorded, _ := declared.Default(name)
		for key, text := range typed {
			if recorded == text || isOnly(recorded, text) {
				t.given[name] = key
			}
		}
	}
	return nil
}

// known returns what variables stand for that are known by their names.
func (t *trial) known(names []string) map[string]string {
	known := map[string]string{"user": "user", "username": "user", "login": "user", "email": "user", "password": "password"}
	maps.Copy(known, t.app.named)
	given := map[string]string{}
	for _, name := range names {
		if key, ok := known[name]; ok {
			given[name] = key
		}
	}
	return given
}

// decided waits until the back end holds what is wanted, and returns how it differs.
func (t *trial) decided(ctx context.Context, want state) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decideTime)
	defer cancel()
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	for {
		now, err := t.site.state(context.WithoutCancel(ctx))
		diff := differ(now, want)
		if err != nil {
			diff = err.Error()
		}
		if diff == "" {
			return ""
		}
		select {
		case <-ask.C:
		case <-ctx.Done():
			return diff
		}
	}
}

// play plays the recording for the other account, with other values.
func (t *trial) play(ctx context.Context, m mode) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, playTime)
	defer cancel()
	who, typed := t.site.accounts[1], t.app.values(t.runs)
	t.runs++
	given, fixed, err := t.fit(who, typed)
	if err != nil {
		return outcome{verdict: failed, why: err.Error()}, nil
	}
	before, err := t.site.state(ctx)
	if err != nil {
		return outcome{}, err
	}
	page, err := t.b.NewIsolatedPage(ctx, "")
	if err != nil {
		return outcome{}, err
	}
	defer page.Close(context.WithoutCancel(ctx))
	o := &replayer.Options{Values: given, Commit: replayer.AllowCommits}
	if err := m.set(ctx, page, o); err != nil {
		return outcome{}, err
	}
	began := time.Now()
	_, played := replayer.Play(ctx, page, t.doc, o)
	took := time.Since(began)
	t.scene(m, page, played)
	if err := page.Close(context.WithoutCancel(ctx)); err != nil {
		return outcome{}, err
	}
	unchanged := maps.Clone(before)
	t.app.want(before, who, fixed)
	diff := t.decided(ctx, before)
	if played == nil && diff == "" {
		return outcome{right, "", took}, nil
	}
	if played == nil {
		return outcome{wrong, diff, took}, nil
	}
	return outcome{failed, describe(played) + "; " + t.left(ctx, unchanged, diff), took}, nil
}

// left describes what a run that failed has left in the back end.
func (t *trial) left(ctx context.Context, before state, diff string) string {
	if diff == "" {
		return "the back end has all of it"
	}
	now, err := t.site.state(context.WithoutCancel(ctx))
	if err != nil {
		return err.Error()
	}
	if differ(now, before) == "" {
		return "the back end is as it was"
	}
	return "the back end has a part: " + diff
}

// fit returns the values of the document's variables, and the values that the flow has
// then: what is no variable stays as it was recorded.
func (t *trial) fit(who account, typed values) (replayer.Map, values, error) {
	declared, err := t.doc.Declared()
	if err != nil {
		return nil, nil, err
	}
	given, fixed := replayer.Map{}, t.app.values(0)
	for _, name := range declared.Names() {
		switch key := t.given[name]; key {
		case "": // as it was recorded
		case "user":
			given[name] = who.user
		case "password":
			given[name] = who.password
		default:
			given[name], fixed[key] = typed[key], typed[key]
			if recorded, _ := declared.Default(name); isOnly(recorded, t.app.values(0)[key]) {
				given[name] = []any{typed[key]}
			}
		}
	}
	return given, fixed, nil
}

// isOnly reports whether a value is a list of one text: what was chosen in a list where there may be several.
func isOnly(value any, text string) bool {
	list, is := value.([]any)
	return is && len(list) == 1 && list[0] == text
}

// scene writes what there is of a failure: its picture, the page, and what was tried.
func (t *trial) scene(m mode, page *browser.Page, err error) {
	var failure *replayer.Error
	if t.dump == "" || !errors.As(err, &failure) {
		return
	}
	html, _ := page.Rod().Timeout(sceneTime).HTML() // a page that has gone has none
	tried, _ := json.MarshalIndent(map[string]any{"step": failure.Step + 1, "tried": failure.Tried, "considered": failure.Considered}, "", "  ")
	for ending, data := range map[string][]byte{".png": failure.Picture, ".html": []byte(html), "-tried.json": tried} {
		if len(data) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(t.dump, t.app.name+"-"+m.name+ending), data, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "the failure is not written:", err)
		}
	}
}

// sceneTime bounds how long a page may take to say what is in it.
const sceneTime = 5 * time.Second

func describe(err error) string {
	var failure *replayer.Error
	if !errors.As(err, &failure) {
		return err.Error()
	}
	return fmt.Sprintf("step %d (%s) %s: %s", failure.Step+1, failure.Tool, failure.Code, failure.Reason)
}
