package replayer_test

import (
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	pagescript "github.com/go-reprise/reprise/internal/page"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// trees makes pages of bytes, changes them, and reports what is wrong with a click.
//
//go:embed testdata/trees.js
var treesScript string

const (
	// treesTried is how many pages a plain run of the tests makes, treesAtOnce on how many tabs.
	treesTried  = 180
	treesAtOnce = 6
	// treeTimeout is enough to see that a page rests and to weigh all that is on
	// it; an element that is gone is waited for as long.
	treeTimeout = 600 * time.Millisecond
	// treeKey is that of the hashes: the same, so that a failure comes again.
	treeKey = "7472656573"
)

// grove is a tab in which one tree after the other is grown.
type grove struct {
	page    *browser.Page
	url     string
	context int // of the world that describes
}

func plant(t testing.TB, url string) *grove {
	t.Helper()
	g := &grove{page: browsertest.Page(t, url), url: url}
	var world struct {
		Context int `json:"executionContextId"`
	}
	params := map[string]any{"frameId": g.page.Target().Main().ID(), "worldName": "describer"}
	if err := g.send(t.Context(), "Page.createIsolatedWorld", params, &world); err != nil {
		t.Fatal(err)
	}
	g.context = world.Context
	err := g.eval(t.Context(), nil, pagescript.Script+";0", g.context)
	if err == nil {
		err = g.eval(t.Context(), nil, treesScript+";0", 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *grove) send(ctx context.Context, method string, params any, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	reply, err := g.page.Target().Send(method, params).Wait(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(reply, out)
}

// eval evaluates an expression in a world, 0 being the page's own.
func (g *grove) eval(ctx context.Context, out any, expression string, world int) error {
	params := map[string]any{"expression": expression, "returnByValue": true}
	if world != 0 {
		params["contextId"] = world
	}
	var reply struct {
		Result    struct{ Value json.RawMessage }
		Exception *struct{ Exception struct{ Description string } } `json:"exceptionDetails"`
	}
	if err := g.send(ctx, "Runtime.evaluate", params, &reply); err != nil {
		return err
	}
	if reply.Exception != nil {
		return fmt.Errorf("%.60s: %s", expression, reply.Exception.Exception.Description)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(reply.Result.Value, out)
}

// ask calls a function of the script that grows trees.
func (g *grove) ask(ctx context.Context, out any, function string, args ...any) error {
	texts := make([]string, len(args))
	for i, arg := range args {
		data, err := json.Marshal(arg)
		if err != nil {
			return err
		}
		texts[i] = string(data)
	}
	return g.eval(ctx, out, fmt.Sprintf("trees.%s(%s)", function, strings.Join(texts, ",")), 0)
}

// describeAt describes the element at a place as the recorder would.
const describeAt = `(() => {
	let at = document;
	for (const step of %s) at = step === "s" ? at.shadowRoot : at.children[step];
	return __reprise.call("", "describe", at, %q).value;
})()`

// recorded is a step that presses what stands at a place.
func (g *grove) recorded(ctx context.Context, place []any) (automation.Step, error) {
	at, err := json.Marshal(place)
	if err != nil {
		return automation.Step{}, err
	}
	var d struct {
		Candidates  [][]string
		Fingerprint *selectors.Fingerprint
	}
	if err := g.eval(ctx, &d, fmt.Sprintf(describeAt, at, treeKey), g.context); err != nil {
		return automation.Step{}, err
	}
	var paths []selectors.Path
	for _, parts := range d.Candidates {
		path, err := selectors.ParsePath(parts...)
		if err != nil {
			return automation.Step{}, fmt.Errorf("the page gave %q: %w", parts, err)
		}
		paths = append(paths, path)
	}
	paths = selectors.Rank(paths)
	if len(paths) == 0 {
		return automation.Step{}, fmt.Errorf("no selector was found for the target: %q", d.Candidates)
	}
	return automation.Step{Tool: "click", Selector: paths[0], Alternatives: paths[1:], Fingerprint: d.Fingerprint}, nil
}

// fate is what became of a tree, as its page reports it.
type fate struct {
	Clicks  int
	Faults  []string
	On      string // what was clicked
	Right   bool   // it was the recorded element
	Gone    bool   // which cannot be clicked any more
	Log     []string
	Was, Is string
	Target  string

	refused error // what the run said
}

func (f *fate) fault(format string, args ...any) {
	f.Faults = append(f.Faults, fmt.Sprintf(format, args...))
}

func (f *fate) String() string {
	return fmt.Sprintf("%s\nrecorded %s\nclicked %s (right: %t)\nchanges:\n  %s\nrecorded on:\n%s\nclicked on:\n%s", strings.Join(f.Faults, "\n"), f.Target, f.On, f.Right, strings.Join(f.Log, "\n  "), f.Was, f.Is)
}

// grow makes a tree, records its target, changes the tree and plays; nil where
// there was nothing to press.
func (g *grove) grow(ctx context.Context, seed []byte) (*fate, error) {
	numbers := make([]int, len(seed))
	for i, b := range seed {
		numbers[i] = int(b)
	}
	var place []any
	if err := g.ask(ctx, &place, "build", numbers); err != nil || place == nil {
		return nil, err
	}
	step, err := g.recorded(ctx, place)
	if err != nil {
		return nil, err
	}
	if err := g.ask(ctx, nil, "change"); err != nil {
		return nil, err
	}
	a := &automation.Automation{Name: "tree", Match: automation.Scope{URLs: []string{strings.TrimPrefix(g.url, "http://") + "/*"}}, Steps: []automation.Step{step}}
	result, played := replayer.Play(ctx, g.page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: treeTimeout})
	f := &fate{}
	if err := g.ask(ctx, f, "outcome"); err != nil {
		return nil, err
	}
	f.refused = played
	if err := g.compare(ctx, f, result); err != nil || f.Clicks != 1 {
		return f, err
	}
	return f, g.repeat(ctx, f, a)
}

// repeat plays once more on the page as it was at the press: what is found then must
// be what was pressed.
func (g *grove) repeat(ctx context.Context, f *fate, a *automation.Automation) error {
	var changed, same bool
	if err := g.ask(ctx, &changed, "again"); err != nil || changed {
		return err
	}
	_, refused := replayer.Play(ctx, g.page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: treeTimeout})
	if err := g.ask(ctx, &same, "isSame"); err != nil {
		return err
	}
	if !same {
		f.fault("played again on the same page it did not click the same (%v)", refused)
	}
	return nil
}

// compare adds what a run reports of its click and the page has seen otherwise.
func (g *grove) compare(ctx context.Context, f *fate, result *replayer.Result) error {
	var refusal *replayer.Error
	switch {
	case errors.As(f.refused, &refusal) && !isExpected(refusal.Code):
		f.fault("the run ended by %v", refusal)
	case f.refused != nil && f.Clicks > 0:
		f.fault("it was clicked, and the run says that it refused: %v", f.refused)
	case f.refused == nil && f.Clicks != 1:
		f.fault("%d clicks, and the run says that it did one", f.Clicks)
	}
	if f.refused != nil || f.Clicks == 0 {
		return nil
	}
	for _, path := range named(result) {
		var is *bool
		if err := g.ask(ctx, &is, "isNamed", path.Strings()); err != nil {
			return err
		}
		if is != nil && !*is {
			f.fault("the run names %s, which is another than the clicked one", path)
		}
	}
	return nil
}

// isExpected reports whether a random page can be the reason of a refusal.
func isExpected(code replayer.Code) bool {
	switch code {
	case replayer.NotFound, replayer.Ambiguous, replayer.Changed, replayer.NotActionable:
		return true
	}
	return false
}

// named are the selectors by which a run reports what it clicked.
func named(result *replayer.Result) []selectors.Path {
	var paths []selectors.Path
	if last := result.Steps[len(result.Steps)-1]; len(last.Selector) > 0 {
		paths = append(paths, last.Selector)
	}
	for _, d := range result.Drift {
		paths = append(append(paths, d.Proposed.Selector), d.Proposed.Alternatives...)
	}
	return paths
}

// tally counts fates.
type tally struct {
	sync.Mutex
	right, wrong, refused, missed int
}

func (c *tally) add(f *fate) {
	c.Lock()
	defer c.Unlock()
	switch {
	case f.Clicks > 0 && f.Right:
		c.right++
	case f.Clicks > 0:
		c.wrong++
	case f.Gone:
		c.refused++
	default:
		c.missed++
	}
}

// A click goes to what was recorded or to nothing, whatever the page has become.
func TestNoClickIsSentThatTheRulesRefuse(t *testing.T) {
	t.Parallel()
	url := serve(t, "<body>").URL
	var count tally
	var tabs sync.WaitGroup
	for first := range treesAtOnce {
		g := plant(t, url)
		tabs.Go(func() {
			for i := first; i < treesTried; i += treesAtOnce {
				seed := binary.LittleEndian.AppendUint32(nil, uint32(i)*2654435761) // spreads the small numbers
				f, err := g.grow(t.Context(), seed)
				switch {
				case err != nil:
					t.Errorf("seed %v: %v", seed, err)
					return
				case f == nil:
					continue
				case len(f.Faults) > 0:
					t.Errorf("seed %v: %v", seed, f)
				}
				count.add(f)
			}
		})
	}
	tabs.Wait()
	t.Logf("%d right, %d others clicked, %d refused when gone, %d refused though there", count.right, count.wrong, count.refused, count.missed)
	if count.right < treesTried/3 || count.refused < treesTried/20 {
		t.Errorf("the trees try too little: %d right and %d refused of %d", count.right, count.refused, treesTried)
	}
}

// FuzzClicks looks for a tree whose click the rules forbid.
func FuzzClicks(f *testing.F) {
	for _, seed := range [][]byte{
		{115, 15, 116, 47}, {71, 145, 201, 139}, // disabled, and a twin renamed, between the look and the press
		{23, 34, 86, 80}, {3, 250, 196, 173}, {2, 32, 81, 60}, {67, 2, 244, 98}, // the first or last of several twins has gone
		{3, 140, 242, 2}, {220, 137, 193, 216}, {0, 138, 76, 94}, // twins have come
		{232, 51, 112, 36}, // other words, and a test id that its twin has too
	} {
		f.Add(seed)
	}
	g := plant(f, serve(f, "<body>").URL)
	f.Fuzz(func(t *testing.T, seed []byte) {
		if len(seed) > 16 {
			t.Skip("longer seeds make no other trees")
		}
		tree, err := g.grow(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		if tree != nil && len(tree.Faults) > 0 {
			t.Error(tree)
		}
	})
}

func TestWhatAHoverIsForIsEnough(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p id=under>Page</p><div style="position:fixed;inset:0;background:#fff"><button id=go onclick="document.title='pressed'">Go</button></div>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"hover","selector":"#under","optional":true}, {"tool":"click","selector":"#go"}`)
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "pressed" || result.Steps[0].Skipped == "" {
		t.Errorf("the title is %q, and the hover was %+v", title, result.Steps[0])
	}
}

func TestTheMouseComesOverAndTheWheelTurns(t *testing.T) {
	t.Parallel()
	server := serve(t, `<div id=menu onmouseenter="sub.hidden=false">Menu<a id=sub hidden onclick="document.title='chosen'">Sub</a></div>
		<div id=list style="height:100px;width:200px;overflow:auto"><div style="height:2000px">tall</div><p id=end>end</p></div>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `
		{"tool":"hover","selector":"#menu"}, {"tool":"click","selector":"#sub"},
		{"tool":"scroll","selector":"#list","args":{"dy":300}}, {"tool":"scroll","selector":"#end"}`)
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "chosen" {
		t.Errorf("what only a hover shows was not chosen: %q", title)
	}
	browsertest.Until(t, "the list to scroll", func() bool { return page.Rod().MustEval(`() => list.scrollTop`).Num() > 300 })
}
