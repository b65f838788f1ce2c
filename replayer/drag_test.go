package replayer_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/person"
	"github.com/go-reprise/reprise/replayer"
)

// dragTo drags #a to a point near the middle of #b.
func dragTo(dx, dy float64, native bool) act {
	return func(ctx context.Context, p *person.Person) error { return p.Drag(ctx, "#a", "#b", dx, dy, native) }
}

// Each page puts into its fragment what the drag has made of it.
func TestDragsAreRecordedAndPlayed(t *testing.T) {
	t.Parallel()
	const boxes = `<style>div { width: 120px; height: 60px; margin: 10px; background: #ddd }</style>`
	for name, test := range map[string]struct {
		html string
		act  act
		tool string // "" where there is nothing to play
		want string
	}{
		"what the browser drags": {
			boxes + `<div id=a draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'card')">Card</div><div id=b ondragover="event.preventDefault()" ondrop="event.preventDefault(); location.hash = event.dataTransfer.getData('text/plain')">Done</div>`,
			dragTo(0, 0, true), "drag", "card",
		},
		"what moves with the pointer": {
			boxes + `<div id=b>Here</div><div id=a style="position:absolute;left:300px;top:200px">Me</div><script>
				let at; a.onpointerdown = (e) => { at = e; e.preventDefault() };
				onpointermove = (e) => { if (at) { a.style.left = 300 + e.clientX - at.clientX + "px"; a.style.top = 200 + e.clientY - at.clientY + "px" } };
				onpointerup = (e) => { if (!at) return; at = null; location.hash = document.elementsFromPoint(e.clientX, e.clientY).includes(b) }
			</script>`, dragTo(0, 0, false), "drag", "true",
		},
		"a slider made of elements": {
			`<div id=b role=presentation style="position:relative;width:200px;height:20px;background:#ddd"><div id=a role=slider aria-label=Volume style="position:absolute;left:0;width:20px;height:20px;background:#333"></div></div><script>
				a.onpointerdown = (e) => a.setPointerCapture(e.pointerId);
				a.onpointermove = (e) => { if (a.hasPointerCapture(e.pointerId)) { const x = Math.round(e.clientX - b.getBoundingClientRect().x - 10); a.style.left = x + "px"; location.hash = x } };
			</script>`, dragTo(50, 0, false), "drag", "140",
		},
		"a drawing": {
			`<canvas id=a width=200 height=100 style="background:#ddd"></canvas><p id=b style="position:absolute;left:30px;top:30px;width:10px;height:10px;pointer-events:auto;z-index:-1"></p><script>
				let from; a.onmousedown = (e) => from = e; a.onmouseup = (e) => { location.hash = Math.sign(e.offsetX - from.offsetX) + "," + (Math.abs(e.offsetX - from.offsetX) > 20) }
			</script>`, func(ctx context.Context, p *person.Person) error { return p.Drag(ctx, "#a", "#a", 60, 10, false) }, "drag", "1,true",
		},
		"a hand that is not steady": {
			`<button id=a style="width:200px;height:80px" onclick="location.hash='pressed'">Go</button>`,
			func(ctx context.Context, p *person.Person) error { return p.Drag(ctx, "#a", "#a", 12, 4, false) }, "click", "pressed",
		},
		"a text that was selected": {
			`<p id=a>Some words that stand here</p><p id=b>and some more</p>`, dragTo(0, 0, false), "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, test.html)
			a := record(t, server.URL+"/", test.act)
			var tools []string
			for _, s := range a.Steps[1:] {
				if s.Tool != "waitForNav" {
					tools = append(tools, s.Tool)
				}
			}
			if test.tool == "" && len(tools) == 0 {
				return
			}
			if !slices.Equal(tools, []string{test.tool}) {
				t.Fatalf("recorded %q", toolsOf(a))
			}
			page := browsertest.Page(t, "")
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 10 * time.Second}); err != nil {
				t.Fatalf("%v\n%s", err, a.Steps[1].Args)
			}
			t.Logf("%s", a.Steps[1].Args)
			eventually(t, test.want, func() bool { return strings.HasSuffix(page.URL(), "#"+test.want) })
		})
	}
}
