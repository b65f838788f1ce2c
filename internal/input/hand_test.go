package input_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/humanize"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

// witness is a page that writes down all that it is told of a mouse and a keyboard.
const witness = `<!doctype html><style>body{margin:0;height:9000px}button{position:absolute;left:700px;top:400px;width:160px;height:40px}</style>
<textarea id=text style="position:absolute;left:20px;top:20px;width:300px;height:100px" autofocus></textarea><button id=go>Go</button>
<div id=box style="position:absolute;left:100px;top:300px;width:60px;height:60px;background:tan"></div>
<script>
const log = [], one = (e) => ({x: e.screenX, y: e.screenY, at: e.timeStamp});
const note = (e) => log.push({type: e.type, on: e.target.id, x: e.clientX, y: e.clientY, at: e.timeStamp, trusted: e.isTrusted,
	pressure: e.pressure, button: e.button, buttons: e.buttons, dx: e.movementX, dy: e.movementY, detail: e.detail,
	kind: e.pointerType, wheelY: e.deltaY, wheelX: e.deltaX, mode: e.deltaMode,
	all: e.getCoalescedEvents?.().map(c => ({x: c.clientX, y: c.clientY, at: c.timeStamp})),
	key: e.key, code: e.code, location: e.location, shift: e.shiftKey, control: e.ctrlKey, repeat: e.repeat, screenX: e.screenX, screenY: e.screenY});
for (const type of ["pointermove", "pointerdown", "pointerup", "click", "dblclick", "wheel", "keydown", "keyup", "contextmenu"])
	addEventListener(type, note, {capture: true, passive: true});
</script>`

// seen is an event as the witness tells it.
type seen struct {
	Type, On, Kind, Key, Code       string
	X, Y, At, Pressure              float64
	Trusted, Shift, Control, Repeat bool
	Button, Buttons, Detail         int
	DX, DY, WheelX, WheelY          float64
	Mode, Location                  int
	All                             []struct{ X, Y, At float64 }
}

func open(t *testing.T) *target.Page {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(witness))
	}))
	t.Cleanup(server.Close)
	page := browsertest.Page(t, server.URL).Target()
	eval[bool](t, page, `new Promise(done => document.readyState === "complete" ? done(true) : addEventListener("load", () => done(true)))`)
	return page
}

func eval[T any](t *testing.T, page *target.Page, expression string) T {
	t.Helper()
	reply, err := page.Send("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}).Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Result struct{ Value T } }
	if err := json.Unmarshal(reply, &out); err != nil {
		t.Fatalf("%s: %v", reply, err)
	}
	return out.Result.Value
}

// told is what the page was told of some types since it was last asked, when it has
// drawn what came of it.
func told(t *testing.T, page *target.Page, types ...string) []seen {
	t.Helper()
	all := eval[[]seen](t, page, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(log.splice(0)))))`)
	var some []seen
	for _, e := range all {
		for _, name := range types {
			if e.Type == name {
				some = append(some, e)
			}
		}
	}
	return some
}

var (
	button = humanize.Rect{X: 700, Y: 400, Width: 160, Height: 40}
	onIt   = input.Point{X: 760, Y: 423}
	field  = humanize.Rect{X: 20, Y: 20, Width: 300, Height: 100}
)

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// planned is the first movement of a person in a page.
func planned(t *testing.T, page *target.Page, seed uint64, to input.Point, box humanize.Rect) (humanize.Point, []humanize.Move) {
	t.Helper()
	p := humanize.New(seed)
	from := p.Aim(humanize.Rect{Width: eval[float64](t, page, "document.documentElement.clientWidth"), Height: eval[float64](t, page, "document.documentElement.clientHeight")})
	return from, p.Path(from, humanize.Point(to), box)
}

func TestAPageSeesTheMovementThatWasPlanned(t *testing.T) {
	t.Parallel()
	page := open(t)
	const seed = 11
	from, plan := planned(t, page, seed, onIt, button)
	do(t, input.NewHand(seed).MoveTo(t.Context(), page, onIt, button, nil))
	var got []humanize.Move
	var first float64
	x, y := from.X, from.Y
	for i, e := range told(t, page, "pointermove") {
		if !e.Trusted || e.Kind != "mouse" || e.Pressure != 0 || e.Buttons != 0 || e.Button != -1 {
			t.Errorf("event %d is not a mouse's: %+v", i, e)
		}
		if i > 0 && (e.DX != e.X-x || e.DY != e.Y-y) {
			t.Errorf("event %d says it moved by (%v, %v), and did by (%v, %v)", i, e.DX, e.DY, e.X-x, e.Y-y)
		}
		x, y = e.X, e.Y
		for _, c := range e.All {
			if len(got) == 0 {
				first = c.At
			}
			at := time.Duration((c.At-first)*1e6) + plan[0].At
			got = append(got, humanize.Move{X: int(c.X), Y: int(c.Y), At: at})
		}
	}
	// A page's times are rounded to 0.1 ms.
	near := cmp.Comparer(func(a, b time.Duration) bool { return (a - b).Abs() < 300*time.Microsecond })
	if diff := cmp.Diff(plan, got, near); diff != "" {
		t.Errorf("what the page saw (-planned +seen):\n%s", diff)
	}
}

func TestAFastMouseShowsAsCoalescedEvents(t *testing.T) {
	t.Parallel()
	page := open(t)
	const seed = 30 // whose mouse tells of itself 125 times a second
	_, plan := planned(t, page, seed, onIt, button)
	do(t, input.NewHand(seed).MoveTo(t.Context(), page, onIt, button, nil))
	events := told(t, page, "pointermove")
	moves := 0
	for _, e := range events {
		moves += len(e.All)
	}
	if moves != len(plan) || len(events) >= moves*9/10 {
		t.Errorf("%d moves came as %d, in %d events", len(plan), moves, len(events))
	}
}

func TestAMovementTakesItsTime(t *testing.T) {
	t.Parallel()
	page := open(t)
	_, plan := planned(t, page, 3, onIt, button)
	begun := time.Now()
	do(t, input.NewHand(3).MoveTo(t.Context(), page, onIt, button, nil))
	if took, want := time.Since(begun), plan[len(plan)-1].At; took < want {
		t.Errorf("it took %v, and was to take %v", took, want)
	}
}

func TestAPressIsAMousesAndHeld(t *testing.T) {
	t.Parallel()
	page := open(t)
	hand := input.NewHand(5)
	do(t, hand.MoveTo(t.Context(), page, onIt, button, nil))
	told(t, page)
	do(t, hand.Press(t.Context(), page, input.Button{Count: 2, Modifiers: []string{"Shift"}}))
	events := told(t, page, "pointermove", "pointerdown", "pointerup", "click", "dblclick")
	var types []string
	for _, e := range events {
		types = append(types, e.Type)
		if !e.Trusted || e.On != "go" || e.X != onIt.X || e.Y != onIt.Y || !e.Shift {
			t.Errorf("the page saw %+v", e)
		}
		if e.Type == "pointerdown" && (e.Pressure != 0.5 || e.Buttons != 1) || e.Type == "pointerup" && (e.Pressure != 0 || e.Buttons != 0) {
			t.Errorf("the pressure is wrong: %+v", e)
		}
	}
	want := []string{"pointerdown", "pointerup", "click", "pointerdown", "pointerup", "click", "dblclick"}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Fatalf("a double click (-want +got):\n%s", diff)
	}
	if hold := events[1].At - events[0].At; hold < 30 || hold > 200 {
		t.Errorf("it was held for %v ms", hold)
	}
}

func TestTypingShowsAPagePeoplesKeys(t *testing.T) {
	t.Parallel()
	page := open(t)
	const text = "The Quick Fox, 5! grüße\nend"
	// A fast typist, who slips once.
	do(t, input.NewHand(15).Type(t.Context(), page, input.Writing{Text: text}))
	if got := eval[string](t, page, "document.querySelector('#text').value"); got != text {
		t.Errorf("the field holds %q, want %q", got, text)
	}
	events := told(t, page, "keydown", "keyup")
	down := map[string]bool{}
	overlaps, slips := 0, 0
	for i, e := range events {
		switch {
		case !e.Trusted || e.Repeat:
			t.Errorf("event %d is no key's: %+v", i, e)
		case e.Code == "" || down[e.Code] != (e.Type == "keyup"):
			t.Errorf("event %d: %s of %q, %q", i, e.Type, e.Key, e.Code)
		case e.Key == "Shift" && (e.Location < 1 || e.Location > 2 || e.Shift != (e.Type == "keydown")):
			t.Errorf("event %d is no Shift: %+v", i, e)
		case e.Key != "Shift" && e.Shift != (down["ShiftLeft"] || down["ShiftRight"]):
			t.Errorf("event %d does not know of Shift: %+v", i, e)
		case i > 0 && e.At < events[i-1].At:
			t.Errorf("event %d is before the one before", i)
		}
		down[e.Code] = e.Type == "keydown"
		if e.Type == "keydown" && i > 0 && events[i-1].Type == "keydown" {
			overlaps++
		}
		if e.Type == "keydown" && e.Key == "Backspace" {
			slips++
		}
	}
	if overlaps < 10 || slips == 0 { // each Shift alone makes an overlap
		t.Errorf("%d keys went down while another was down, %d took one back", overlaps, slips)
	}
}

func TestAShortcutIsPressedWithItsModifierHeld(t *testing.T) {
	t.Parallel()
	page := open(t)
	hand := input.NewHand(1)
	do(t, hand.Type(t.Context(), page, input.Writing{Text: "ab", Exactly: true}))
	told(t, page)
	do(t, hand.PressKey(t.Context(), page, "a", []string{"Control"}))
	var got []string
	for _, e := range told(t, page, "keydown", "keyup") {
		got = append(got, e.Type+" "+e.Key)
	}
	if diff := cmp.Diff([]string{"keydown Control", "keydown a", "keyup a", "keyup Control"}, got); diff != "" {
		t.Errorf("Control+a (-want +got):\n%s", diff)
	}
	do(t, hand.PressKey(t.Context(), page, "Delete", nil))
	if got := eval[string](t, page, "document.querySelector('#text').value"); got != "" {
		t.Errorf("the field holds %q after all was selected and deleted", got)
	}
}

func TestAWheelScrollsByNotches(t *testing.T) {
	t.Parallel()
	page := open(t)
	hand := input.NewHand(2)
	do(t, hand.MoveTo(t.Context(), page, onIt, button, nil))
	told(t, page)
	do(t, hand.Wheel(t.Context(), page, 0, 500))
	events := told(t, page, "wheel")
	scrolled := 0.0
	for i, e := range events {
		if !e.Trusted || e.WheelX != 0 || math.Mod(e.WheelY, 100) != 0 || e.Mode != 0 || e.X != onIt.X || e.Y != onIt.Y {
			t.Errorf("turn %d is no notch of a wheel: %+v", i, e)
		}
		scrolled += e.WheelY
	}
	if scrolled != 500 || len(events) < 3 {
		t.Errorf("%d turns of the wheel scroll by %v, want 500", len(events), scrolled)
	}
}

func TestASeedShowsAPageTheSame(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) []seen {
		page := open(t)
		hand := input.NewHand(seed)
		do(t, hand.MoveTo(t.Context(), page, input.Point(hand.Aim(field)), field, nil))
		do(t, hand.Press(t.Context(), page, input.Button{}))
		do(t, hand.Type(t.Context(), page, input.Writing{Text: "hi"}))
		var all []seen
		for _, e := range told(t, page, "pointermove", "pointerdown", "pointerup", "keydown", "keyup") {
			if e.Type != "pointermove" {
				all = append(all, e)
				continue
			}
			for _, c := range e.All { // how many come in one event is the screen's affair
				all = append(all, seen{Type: e.Type, X: c.X, Y: c.Y})
			}
		}
		return all
	}
	times := cmpopts.IgnoreFields(seen{}, "At", "All", "DX", "DY")
	one := run(15)
	if diff := cmp.Diff(one, run(15), times); diff != "" {
		t.Errorf("a seed (-one run +other):\n%s", diff)
	}
	if cmp.Equal(one, run(66), times) {
		t.Error("two seeds show the same")
	}
}

var errEnough = errors.New("enough")

func TestTypingEndsWhereItMayNotGoOnAndLetsGo(t *testing.T) {
	t.Parallel()
	page := open(t)
	n := 0
	err := input.NewHand(4).Type(t.Context(), page, input.Writing{Text: "ABCDEF", Exactly: true, Before: func(context.Context) error {
		if n++; n > 4 {
			return errEnough
		}
		return nil
	}})
	if !errors.Is(err, errEnough) {
		t.Fatalf("it ended with %v", err)
	}
	if got := eval[string](t, page, "document.querySelector('#text').value"); got != "ABC" {
		t.Errorf("the field holds %q, want ABC", got)
	}
	nothingIsHeld(t, told(t, page, "keydown", "keyup"))
}

func nothingIsHeld(t *testing.T, events []seen) {
	t.Helper()
	held := map[string]bool{}
	for _, e := range events {
		held[e.Code] = e.Type == "keydown"
	}
	for code, down := range held {
		if down {
			t.Errorf("%s was not let go", code)
		}
	}
}

func TestAPressThatIsCutShortLetsGo(t *testing.T) {
	t.Parallel()
	page := open(t)
	hand := input.NewHand(6)
	do(t, hand.MoveTo(t.Context(), page, onIt, button, nil))
	eval[bool](t, page, `window.pressed = new Promise(done => addEventListener("pointerdown", () => done(true))), true`)
	ctx, cancel := context.WithCancelCause(t.Context())
	pressed := page.Send("Runtime.evaluate", map[string]any{"expression": "pressed", "awaitPromise": true})
	go func() {
		<-pressed.Done()
		cancel(errEnough)
	}()
	const many = 30 // so that it is still pressing
	if err := hand.Press(ctx, page, input.Button{Count: many}); !errors.Is(err, errEnough) {
		t.Fatalf("it ended with %v", err)
	}
	events := told(t, page, "pointerdown", "pointerup")
	if n := len(events); n%2 != 0 || n == 0 || n >= 2*many || events[n-1].Type != "pointerup" {
		t.Errorf("the page saw %+v", events)
	}
}

func TestALongMovementEndsWithItsContext(t *testing.T) {
	t.Parallel()
	page := open(t)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errEnough)
	defer cancel()
	if err := input.NewHand(6).MoveTo(ctx, page, onIt, button, nil); !errors.Is(err, errEnough) {
		t.Errorf("it ended with %v", err)
	}
}
