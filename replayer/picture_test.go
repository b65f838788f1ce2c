package replayer_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// redIn counts the pixels that are red.
func redIn(t *testing.T, data []byte) int {
	t.Helper()
	shot, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for y := range shot.Bounds().Dy() {
		for x := range shot.Bounds().Dx() {
			if r, g, b, _ := at(shot, x, y); r > 0xc000 && g < 0x4000 && b < 0x4000 {
				count++
			}
		}
	}
	return count
}

func at(shot image.Image, x, y int) (r, g, b, a uint32) {
	return shot.At(shot.Bounds().Min.X+x, shot.Bounds().Min.Y+y).RGBA()
}

// A page that shows the password, as text and in a frame of another origin, is
// painted in one colour where it does, so that no pixel of it is in any picture.
func TestPicturesShowNoSecret(t *testing.T) {
	t.Parallel()
	inner := serve(t, `<body style="margin:0;background:#f00"><input type=password value=x style="width:90px">`)
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		// Red is nowhere but in and around what is secret.
		fmt.Fprintf(w, `<!doctype html><body style="margin:0;background:#fff"><style>input{border:0;padding:0;margin:9px;outline:0;background:#f00;color:#f00;font-size:20px}</style>
			<input id=p type=password oninput="e.textContent=this.value;this.type='text'"><p id=e style="background:#f00;color:#f00;margin:50px 9px"></p>
			<iframe src="%s" width=200 height=60 style="border:0"></iframe><button id=b>b</button>`, strings.Replace(inner.URL, "127.0.0.1", "localhost", 1))
	}))
	t.Cleanup(outer.Close)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},
		"steps":[{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"pass"}},{"tool":"screenshot","args":{"as":"all","fullPage":true}},{"tool":"click","selector":"#gone"}]}`, outer.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, outer.URL)
	var pictures [][]byte
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{
		Values: replayer.Map{"pass": "hunter22"}, Timeout: 2 * time.Second,
		OnPicture: func(p replayer.StepPicture) { pictures = append(pictures, p.PNG) },
	})
	e := wantCode(t, err, replayer.NotFound, 2)
	if len(pictures) < 3 || len(result.Pictures) != 1 || e.Picture == nil {
		t.Fatalf("%d pictures around steps, %d of steps, and of the failure %d bytes", len(pictures), len(result.Pictures), len(e.Picture))
	}
	for i, data := range append(pictures, result.Pictures[0].PNG, e.Picture) {
		if red := redIn(t, data); red > 0 {
			t.Errorf("picture %d shows %d pixels of what is secret", i, red)
		}
	}
	if shot := page.Rod().MustScreenshot(); redIn(t, shot) == 0 {
		t.Error("the page shows nothing secret: this test proves nothing")
	}
}

func TestAPictureSaysWhereTheElementStands(t *testing.T) {
	t.Parallel()
	server := serve(t, `<body style="margin:0"><button id=b style="position:absolute;left:25vw;top:50vh;width:10vw;height:20vh">b</button>`)
	page := browsertest.Page(t, server.URL)
	var before *replayer.StepPicture
	_, err := replayer.Play(t.Context(), page, document(t, server.URL, `{"tool":"click","selector":"#b"}`), &replayer.Options{
		Timeout: 5 * time.Second, OnPicture: func(p replayer.StepPicture) {
			if !p.After {
				before = &p
			}
		},
	})
	if err != nil || before == nil || before.Element == nil {
		t.Fatalf("%v, %+v", err, before)
	}
	for i, want := range []float64{0.25, 0.5, 0.1, 0.2} {
		if got := before.Element[i]; got < want-0.01 || got > want+0.01 {
			t.Errorf("it stands at %v", *before.Element)
		}
	}
}

func TestAPictureOfAWholePageShowsNoSecret(t *testing.T) {
	t.Parallel()
	for name, style := range map[string]string{
		"wide":  `<div style="width:2600px;height:10px"></div>`,
		"fixed": `<style>#e{position:fixed;bottom:0}</style><div style="height:3000px"></div>`,
		"plain": ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, `<body style="margin:0;background:#fff"><input id=p type=password oninput="e.textContent=this.value" style="position:absolute;left:300px;top:50px;width:90px;background:#fff;border:0;outline:0"><p id=e style="background:#f00;color:#f00;margin:90px 300px;width:100px"></p>`+style)
			a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},
		"steps":[{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"pass"}},{"tool":"screenshot","args":{"as":"all","fullPage":true}}]}`, server.URL[len("http://"):]+"/*"))
			if err != nil {
				t.Fatal(err)
			}
			page := browsertest.Page(t, server.URL)
			result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"pass": "hunter22"}, Timeout: 3 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if red := redIn(t, result.Pictures[0].PNG); red > 0 {
				t.Errorf("%d pixels of the secret", red)
			}
		})
	}
}

func TestAPictureOfTheNextPageShowsNoSecret(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == "POST" {
			fmt.Fprintf(w, `<!doctype html><body style="background:#fff"><p id=e style="background:#f00;color:#f00;width:200px">%s`, r.FormValue("p"))
			return
		}
		fmt.Fprint(w, `<!doctype html><form method=post action=/next><input id=p name=p type=password><button id=go>Next</button></form>`)
	}))
	t.Cleanup(server.Close)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},
		"steps":[{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"pass"}},{"tool":"click","selector":"#go"},{"tool":"waitFor","selector":"#e"},{"tool":"screenshot","args":{"as":"all"}}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, server.URL)
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"pass": "hunter22"}, Timeout: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if red := redIn(t, result.Pictures[0].PNG); red > 0 {
		t.Errorf("%d pixels of the secret", red)
	}
}
