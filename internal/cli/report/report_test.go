package report_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/report"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
	"github.com/go-reprise/reprise/store"
)

func css(body string) selectors.Path { return selectors.Path{{Kind: selectors.CSS, Body: body}} }

// sample is a run of three steps: one that has drifted, one that was left out, one
// that failed.
func sample() report.Run {
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return report.Run{
		Document: &automation.Automation{Name: "order", Description: "<b>Order</b>", Steps: []automation.Step{
			{Tool: "click", Selector: css("#a"), Alternatives: []selectors.Path{{{Kind: selectors.Aria, Body: `Pay <now>[role="button"]`}}}},
			{Tool: "click", Selector: css("#b"), Intent: "say yes & <go>"},
			{Tool: "navigate", URL: `javascript:"><script>`},
			{Tool: "click", Selector: css("#c")},
		}},
		Record: &store.Run{
			ID: "01kb00000000000000000000a0", Automation: "order", Account: "ada", State: store.Failed, Started: began, Finished: began.Add(3 * time.Second),
			Steps: []store.RunStep{
				{Index: 0, Tool: "click", Outcome: store.StepDone, Effect: automation.Commit, Selector: "#now", Matched: -1, Duration: time.Second},
				{Index: 1, Tool: "click", Outcome: store.StepSkipped, Skipped: "optional, and not there", Duration: time.Second,
					Steps: []store.RunStep{{Index: 0, Tool: "run", Steps: []store.RunStep{{Index: 3, Tool: "hover", Selector: "#in > b", Intent: "see <it>"}}}}},
				{Index: 2, Tool: "navigate", Outcome: store.StepFailed, Duration: time.Second},
			},
			Drift: []store.Drift{{Step: 0, Score: 0.43, Confidence: 0.999}},
		},
		URL: "https://shop.example/",
		Failed: &replayer.Error{
			Code: replayer.NotFound, Step: 2, Reason: `<img src=x>`, Resume: "r1.x",
			Tried: []replayer.Attempt{{Selector: css("#c > d"), Count: 2, Visible: 1}}, Considered: []replayer.Candidate{{Element: "a.b", For: []string{"tag"}, Against: []string{"label", "row"}}},
		},
	}
}

func page(t *testing.T, r report.Run) string {
	t.Helper()
	text, err := report.Page(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestThePageTellsOfEachStepAndOfTheFailure(t *testing.T) {
	t.Parallel()
	text := page(t, sample())
	for _, want := range []string{
		`<span class="chip bad">Failed</span>`, "<dd>ada</dd>", "<dd>3s</dd>", "<dd>3 of 4</dd>", "<dd>https://shop.example/</dd>", "&lt;b&gt;Order&lt;/b&gt;",
		"<h2>Press “Pay &lt;now&gt;”</h2>", `<span class="chip commit">commits</span>`, "found matched by fingerprint, now #now; drift 0.43, confidence 99 %",
		"<h2>Say yes &amp; &lt;go&gt;</h2>", "not done: optional, and not there", `<span class="number">2.1.4</span> hover <code>#in &gt; b</code>`, "see &lt;it&gt;",
		`<span class="chip bad">gone</span> <span class="reason">&lt;img src=x&gt;</span>`, "<code>#c &gt; d</code> names 2 elements, 1 can be seen",
		"<code>a.b</code> for it: tag; against it: label, row", "record the flow again", `<a href="#step-3">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, never := range []string{"<script", "<link", "<iframe", " style=", "ZgotmplZ", "<img src=x", "http-equiv=\"refresh\""} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %s", never)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// noise is a picture that no coder makes small.
func noise(t *testing.T, width, height int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32())
	}
	return encoded(t, picture)
}

func encoded(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// split is a picture whose left half is black, on white.
func split(t *testing.T) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 1600, 900))
	for y := range 900 {
		for x := range 1600 {
			picture.Set(x, y, color.Gray{Y: uint8(255 * (x / 800))})
		}
	}
	return encoded(t, picture)
}

func TestPicturesAreShownSmallAndTheElementFramed(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Album = report.NewAlbum()
	r.Album.Add(replayer.StepPicture{Step: 0, PNG: split(t), Element: &[4]float64{0.5, 0.5, 0.25, 0.1}})
	r.Album.Add(replayer.StepPicture{Step: 0, After: true, PNG: split(t)})
	r.Album.Add(replayer.StepPicture{Step: 1, After: true, PNG: []byte("no picture")})
	r.Album.Add(replayer.StepPicture{Step: 2, PNG: split(t), Element: &[4]float64{0.1, 1.5, 0.2, 0.1}})
	text := page(t, r)
	for _, want := range []string{
		`viewBox="0 0 960 540"`, `id="step-1-before"`, `id="step-1-after"`, `id="step-3-before"`,
		`<rect class="frame" x="474" y="264" width="251" height="65"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if got := strings.Count(text, `class="frame"`); got != 1 {
		t.Errorf("%d elements are framed, want the one that the picture shows", got)
	}
	if got := strings.Count(text, "data:image/jpeg;base64,"); got != 3 {
		t.Errorf("the page has %d pictures, want 3", got)
	}
	evidence := r.Record.Steps[0].Evidence
	if len(evidence) != 2 || evidence[0] != "#step-1-before" || r.Record.Steps[1].Evidence != nil {
		t.Errorf("the evidence of the steps is %v and %v", evidence, r.Record.Steps[1].Evidence)
	}
}

func TestAPageOfFifteenStepsIsUnderThreeMegabytes(t *testing.T) {
	t.Parallel()
	r, picture := sample(), noise(t, 1280, 800) // no page is worse
	r.Album = report.NewAlbum()
	r.Record.Steps, r.Document.Steps = nil, nil
	for i := range 15 {
		r.Document.Steps = append(r.Document.Steps, automation.Step{Tool: "click", Selector: css("#a")})
		r.Record.Steps = append(r.Record.Steps, store.RunStep{Index: i, Tool: "click", Outcome: store.StepDone, Selector: "#a", Duration: time.Second})
	}
	r.Album.Add(replayer.StepPicture{PNG: picture, Element: &[4]float64{0, 0, 1, 1}})
	one := len(page(t, r))
	r.Album = nil
	none := len(page(t, r))
	if all := none + 30*(one-none); all > 3<<20 || one-none < 10<<10 {
		t.Errorf("a page of 15 steps with the worst pictures has %d bytes, %d for each", all, one-none)
	}
}

func TestATallPictureIsCut(t *testing.T) {
	t.Parallel()
	r := sample()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, 10, 10)), nil); err != nil {
		t.Fatal(err)
	}
	r.Failed.Picture = b.Bytes() // not what it should be
	if strings.Contains(page(t, r), "when it ended") {
		t.Error("a picture that cannot be read is shown")
	}
	r.Failed.Picture = encoded(t, image.NewGray(image.Rect(0, 0, 400, 9000)))
	if !strings.Contains(page(t, r), `viewBox="0 0 400 1200"`) {
		t.Error("the picture is not cut to three times its width")
	}
}

func ExamplePage() {
	doc := &automation.Automation{Name: "order", Steps: []automation.Step{{Tool: "click", Intent: "order it"}}}
	run := &store.Run{ID: store.NewRunID(), Automation: "order", State: store.Done, Steps: []store.RunStep{{Tool: "click", Outcome: store.StepDone}}}
	page, err := report.Page(report.Run{Document: doc, Record: run, URL: "https://shop.example/thanks"})
	fmt.Println(strings.Contains(string(page), "<h2>Order it</h2>"), err)
	// Output: true <nil>
}

func ExampleAlbum() {
	album := report.NewAlbum()
	options := replayer.Options{OnPicture: album.Add}
	fmt.Println(options.OnPicture != nil)
	// Output: true
}
