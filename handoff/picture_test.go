package handoff_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
)

var pictures = flag.String("pictures", "", "write pictures of the live view into this `directory`")

// The live view fits a phone and a desktop: nothing is wider than the screen.
func TestTheViewFitsItsScreen(t *testing.T) {
	t.Parallel()
	for name, screen := range map[string]proto.EmulationSetDeviceMetricsOverride{
		"phone":   {Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true},
		"desktop": {Width: 1280, Height: 900, DeviceScaleFactor: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t)
			_, link := s.start(t, handoff.Request{Instruction: "Sign in as ada@example.com. The code comes by text message.", Doing: "pay the bill of September: a sign-in blocks it"})
			v := &viewer{t: t, page: browsertest.NewPage(t, "")}
			rod := v.page.Rod().Context(browsertest.Context(t))
			if err := screen.Call(rod); err != nil {
				t.Fatal(err)
			}
			if err := v.page.Navigate(browsertest.Context(t), link); err != nil {
				t.Fatal(err)
			}
			v.until("the first frame", `() => Number(document.getElementById("page").dataset.frames) > 0 && document.getElementById("left").textContent !== ""`)
			v.until("that it fits", `() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight && [...document.querySelectorAll("button:not([hidden])")].filter((b) => b.offsetWidth).every((b) => b.getBoundingClientRect().right <= innerWidth && b.offsetHeight >= 40)`)
			for _, scheme := range []string{"light", "dark"} {
				if err := (proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}).Call(rod); err != nil {
					t.Fatal(err)
				}
				v.until("that it can be read in "+scheme, contrast)
			}
			if *pictures == "" {
				return
			}
			shot := func(what string) {
				t.Helper()
				png, err := rod.Screenshot(false, nil)
				if err == nil {
					err = os.WriteFile(filepath.Join(*pictures, "takeover-"+name+what+".png"), png, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			shot("-dark")
			v.press(60, 135)
			v.until("the list", `() => ask.open`)
			shot("-list")
			v.eval(`() => ask.close()`)
			if err := (proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: "light"}}}).Call(rod); err != nil {
				t.Fatal(err)
			}
			shot("")
		})
	}
}

// What is offered fits a phone, too.
func TestTheOfferFitsAPhone(t *testing.T) {
	l := beginLesson(t)
	l.club.passwords = map[string]string{"ada": "ada-pass-123"}
	ended := l.run(t, "/orders", "ada@example.com", l.person("ada@example.com"))
	v, _ := l.called(t, true)
	l.signsIn(t, v, "ada", "ada-pass-123")
	l.becomes(t, "document.title", "Orders")
	v.click("#done")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	v.until("the offer", `() => !document.getElementById("offer").hidden`)
	rod := v.page.Rod().Context(browsertest.Context(t))
	if err := (proto.EmulationSetDeviceMetricsOverride{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true}).Call(rod); err != nil {
		t.Fatal(err)
	}
	v.until("that it fits", `() => innerWidth === 390 && document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll("#offer button, #offer input:not([type=checkbox])")].every((b) => b.getBoundingClientRect().right <= innerWidth && b.offsetHeight >= 40)`)
	if *pictures == "" {
		return
	}
	png, err := rod.Screenshot(false, nil)
	if err == nil {
		err = os.WriteFile(filepath.Join(*pictures, "takeover-offer.png"), png, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// contrast is whether each text that the view shows has 4.5:1 to its background, and each edge of what is used 3:1.
const contrast = `() => {
	const channels = (color) => { const c = document.createElement("canvas").getContext("2d"); c.fillStyle = color; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
	const light = (color) => { const [r, g, b] = channels(color).slice(0, 3).map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((x, y) => y - x); return (x + .05) / (y + .05); };
	const background = (el) => { for (; el; el = el.parentElement) { const c = getComputedStyle(el).backgroundColor; if (channels(c)[3] === 255) return c; } return "white"; };
	return [...document.querySelectorAll("h1, p, time, output, button, select, textarea")].filter((el) => el.offsetWidth > 1 && !el.disabled).every((el) => {
		const style = getComputedStyle(el);
		const isUsed = el.matches("select, textarea, button:not(.main)");
		return ratio(style.color, background(el)) >= 4.5 && (!isUsed || ratio(style.borderTopColor, background(el.parentElement)) >= 3);
	});
}`
