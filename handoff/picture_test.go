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
			v := &viewer{t, browsertest.Page(t, "")}
			rod := v.page.Rod().Context(browsertest.Context(t))
			if err := screen.Call(rod); err != nil {
				t.Fatal(err)
			}
			if err := v.page.Navigate(browsertest.Context(t), link); err != nil {
				t.Fatal(err)
			}
			v.until("the first frame", `() => Number(document.getElementById("page").dataset.frames) > 0 && document.getElementById("left").textContent !== ""`)
			v.until("that it fits", `() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight && [...document.querySelectorAll("button:not([hidden])")].filter((b) => b.offsetWidth).every((b) => b.getBoundingClientRect().right <= innerWidth && b.offsetHeight >= 40)`)
			if *pictures == "" {
				return
			}
			png, err := rod.Screenshot(false, nil)
			if err == nil {
				err = os.WriteFile(filepath.Join(*pictures, "takeover-"+name+".png"), png, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
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
