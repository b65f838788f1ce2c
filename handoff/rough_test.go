package handoff_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// What is typed arrives exactly, though the line breaks at any moment.
func TestWhatIsTypedArrivesOverALineThatBreaks(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	s.press(t, v, "name", 60, 35)
	v.eval(`() => { late = 1e9 }`) // a machine under load takes its time to connect again
	const cuts = 20
	letters, want := strings.Split("abcdefghijklmnopqrstuvwxyz 0123456789 äß漢", ""), ""
	for i := range 500 {
		letter := letters[i%len(letters)]
		if i%100 == 99 { // one that is typed wrong, and taken back
			v.types("x")
			v.eval(`() => document.querySelector("[data-key=Backspace]").click()`)
		}
		v.types(letter)
		want += letter
		if i%(500/cuts) == 7 {
			s.lines.cut()
		}
	}
	s.becomes(t, "document.getElementById('name').value", want)
	v.until("that all has arrived", `() => unseen.length === 0`)
	s.lines.cut()
	v.click("#done")
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Finished {
		t.Errorf("it ended %s, %v", result.Status, err)
	}
}

// What waits for a page that is slow, and not for the line, arrives when the line breaks.
func TestWhatIsTypedArrivesAtASlowPage(t *testing.T) {
	t.Parallel()
	s := begin(t)
	_, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	s.press(t, v, "name", 60, 35)
	if _, err := s.page.Rod().Eval(`() => document.getElementById("name").addEventListener("input", () => {
		for (const until = performance.now() + 100; performance.now() < until;); })`); err != nil {
		t.Fatal(err)
	}
	v.eval(`() => { late = 1000 }`)
	for range 40 {
		v.types("a")
	}
	v.until("that the oldest has waited for long", `() => unseen.length > 0 && Date.now() - unseen[0].at > 1500`)
	s.lines.cut()
	v.types("b")
	s.becomes(t, "document.getElementById('name').value", strings.Repeat("a", 40)+"b")
}

const longPage = `<!doctype html><meta charset=utf-8><meta name=viewport content="width=device-width"><title>Long</title><body style="margin:0;height:4000px">
<button id=b style="position:absolute;left:20px;top:20px;width:300px;height:60px" onclick="document.title = 'tapped'">Tap</button>
<div id=d style="position:absolute;left:20px;top:200px;width:600px;height:200px;background:#ddd" onmousedown="this.dataset.from = event.clientX" onmousemove="if (event.buttons) this.dataset.moved = 1" onmouseup="if (this.dataset.from && event.clientX > this.dataset.from) this.dataset.to = event.clientX"></div>`

// touch sends touches to the viewer's own page, as a screen does.
func (v *viewer) touches(kind string, points ...[2]float64) {
	v.t.Helper()
	all := []map[string]any{}
	for i, p := range points {
		all = append(all, map[string]any{"x": p[0], "y": p[1], "id": i})
	}
	if _, err := v.page.Target().Send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": all}).Wait(browsertest.Context(v.t)); err != nil {
		v.t.Fatal(err)
	}
}

// A phone taps, scrolls, pinches, and drags after a long press.
func TestFingersDriveThePageOnAPhone(t *testing.T) {
	t.Parallel()
	s := beginAt(t, longPage)
	_, link := s.start(t, handoff.Request{})
	v := &viewer{t: t, page: browsertest.NewPage(t, "")}
	rod := v.page.Rod().Context(browsertest.Context(t))
	five := 5
	for _, err := range []error{
		(proto.EmulationSetDeviceMetricsOverride{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true}).Call(rod),
		(proto.EmulationSetTouchEmulationEnabled{Enabled: true, MaxTouchPoints: &five}).Call(rod),
		v.page.Navigate(browsertest.Context(t), link),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	v.until("the first frame", `() => Number(canvas.dataset.frames) > 0 && !!state && greeted`)
	on := func(x, y float64) [2]float64 { x, y = v.at(x, y); return [2]float64{x, y} }

	v.touches("touchStart", on(60, 50))
	v.touches("touchEnd")
	s.becomes(t, "document.title", "tapped")

	from := on(60, 220)
	v.touches("touchStart", from)
	v.until("the long press", `() => finger?.drags === true`)
	for i := range 5 {
		v.touches("touchMove", [2]float64{from[0] + 8*float64(i+1), from[1] + float64(i)})
	}
	v.touches("touchEnd")
	s.becomes(t, "!!d.dataset.moved && Number(d.dataset.to) > Number(d.dataset.from)", "true")
	if got := s.value(t, "scrollY"); got != "0" {
		t.Errorf("the drag has scrolled to %s", got)
	}

	from = on(100, 500)
	v.touches("touchStart", from)
	for i := range 10 {
		v.touches("touchMove", [2]float64{from[0], from[1] - 20*float64(i+1)})
	}
	v.touches("touchEnd")
	browsertest.Until(t, "the page to scroll", func() bool { y := s.value(t, "Math.round(scrollY)"); return len(y) >= 3 && y[0] != '-' })

	is, err := rod.Eval(`() => zoom`)
	if err != nil {
		t.Fatal(err)
	}
	before := is.Value.Num()
	v.touches("touchStart", [2]float64{180, 300}, [2]float64{220, 300})
	for i := range 5 {
		v.touches("touchMove", [2]float64{180 - 20*float64(i+1), 300}, [2]float64{220 + 20*float64(i+1), 300})
	}
	v.touches("touchEnd")
	v.until("that it is larger", fmt.Sprintf(`() => zoom > %v * 2`, before))
	v.until("that no finger is left", `() => fingers.size === 0 && finger === null`)

	if _, err := s.page.Rod().Eval(`() => { scrollTo(0, 0); document.title = "" }`); err != nil {
		t.Fatal(err)
	}
	s.becomes(t, "scrollY", "0")
	v.eval(`() => { zoom = 1; left = top_ = 0; place() }`)
	v.touches("touchStart", on(60, 50)) // a tap after it all
	v.touches("touchEnd")
	s.becomes(t, "document.title", "tapped")
}

// A page whose renderer has crashed is loaded again by the person, and goes on.
func TestAPageThatCrashesIsLoadedAgain(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	s.page.Target().Send("Page.crash", nil)
	v.until("that it has crashed", `() => notice.textContent.includes("crashed")`)
	v.eval(`() => { crashedAt = Number(canvas.dataset.frames) }`)
	v.click("#reload")
	v.until("that it is there again", `() => notice.textContent === "" && Number(canvas.dataset.frames) > crashedAt`)
	v.press(60, 35)
	v.until("the field", `() => state.field?.type === "text"`)
	v.types("after")
	browsertest.Until(t, "what is typed in the new document", func() bool {
		is, err := (proto.RuntimeEvaluate{Expression: `document.getElementById("name").value`}).Call(s.page.Rod().Context(browsertest.Context(t)))
		return err == nil && is.Result.Value.Str() == "after"
	})
	v.click("#done")
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Finished {
		t.Errorf("it ended %s, %v", result.Status, err)
	}
}

// Of devices that open links with control at once, one has it, and each link is spent once.
func TestOfDevicesThatRaceOneHasControl(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, first := s.start(t, handoff.Request{})
	links := []string{first}
	for range 3 {
		link, err := handoff.NewLink(t.Context(), s.store, h.ID(), false) // as each that tells people of it makes one
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, link)
	}
	var mu sync.Mutex
	var cookies []*http.Cookie
	var all sync.WaitGroup
	for _, link := range slices.Concat(links, links, links) {
		all.Go(func() {
			id, key, _ := strings.Cut(link[strings.IndexByte(link, '#')+1:], ".")
			reply, err := http.Post(s.url+handoff.Path+"open", "application/json", strings.NewReader(fmt.Sprintf(`{"id":%q,"key":%q}`, id, key)))
			if err != nil {
				t.Error(err)
				return
			}
			defer reply.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			cookies = append(cookies, reply.Cookies()...)
		})
	}
	all.Wait()
	if len(cookies) != len(links) {
		t.Fatalf("%d links have opened the view %d times", len(links), len(cookies))
	}
	admitted := 0
	for _, cookie := range cookies {
		if code, _ := s.posts(t, h.ID()+"/resolve", "application/json", cookie, strings.NewReader(`{"type":"RESOLVE_ACTION_REQUIRED","status":"not_yet"}`)); code == http.StatusOK {
			admitted++
		} else if code != http.StatusUnauthorized {
			t.Errorf("one that has lost control is answered with %d", code)
		}
	}
	if admitted != 1 {
		t.Errorf("%d devices have control", admitted)
	}
}

// A page that opens a hundred windows leaves the person in one of them, and the way back.
func TestAPageOpensAHundredWindows(t *testing.T) {
	t.Parallel()
	s := begin(t)
	h, link := s.start(t, handoff.Request{})
	v := s.open(t, link)
	for range 100 { // one for each press, as browsers have it
		if _, err := (proto.RuntimeEvaluate{Expression: `window.open("about:blank"); 0`, UserGesture: true}).Call(s.page.Rod().Context(browsertest.Context(t))); err != nil {
			t.Fatal(err)
		}
	}
	v.until("the windows", `() => state.tabs.length === 101`)
	v.until("the first in the list", `() => tabs.options.length === 101`)
	v.eval(`(id) => { tabs.value = id; tabs.onchange() }`, s.page.ID())
	v.until("the way back", `() => state.tabs.find((tab) => tab.shown)?.id === "`+s.page.ID()+`"`)
	s.press(t, v, "name", 60, 35)
	v.types("here")
	s.becomes(t, "document.getElementById('name').value", "here")
	v.click("#done")
	if result, err := h.Wait(browsertest.Context(t)); err != nil || result.Status != handoff.Finished {
		t.Errorf("it ended %s, %v", result.Status, err)
	}
}
