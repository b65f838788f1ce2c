package recorder_test

import (
	"bytes"
	"image/jpeg"
	"testing"

	"github.com/go-reprise/reprise/recorder"
)

func TestPicturesShowWhatWasPressedAndNoField(t *testing.T) {
	t.Parallel()
	s := shapedAt(t, `<button id=a style="background:#c00;border:0;width:120px;height:40px">Red</button>
<div style="position:relative;height:60px"><button id=b style="width:200px;height:50px">Under</button><input style="position:absolute;left:150px;top:5px" value=private></div>
<button id=c>Go <span contenteditable>mine</span></button><label id=l>Name <input id=f></label>`)
	ctx := s.ctx
	press := func(path string, dx float64) int {
		before, _ := s.State()
		s.do(func() error { return s.ClickAt(ctx, path, dx, 0) })
		state := s.until("a click on "+path, func(state recorder.State) bool { return len(state.Steps) > len(before.Steps) })
		return state.Steps[len(state.Steps)-1].ID
	}
	red := press("#a", 0)
	s.until("a picture", func(state recorder.State) bool { return state.Steps[len(state.Steps)-1].Picture })
	picture, err := jpeg.Decode(bytes.NewReader(s.Picture(red)))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := picture.At(6, 6).RGBA(); picture.Bounds().Dx() != 120 || r>>8 < 180 || g>>8 > 40 || b>>8 > 40 {
		t.Errorf("the picture is %v, and %d %d %d at its corner", picture.Bounds(), r>>8, g>>8, b>>8)
	}
	for _, path := range []string{"#b", "#c"} {
		dx := -90.0
		if path == "#c" {
			dx = -25
		}
		press(path, dx)
	}
	s.do(func() error { return s.Fill(ctx, "#f", "Ada") })
	s.step("typeInput", "Name")
	again := press("#a", 0)
	s.until("another picture", func(state recorder.State) bool { return s.Picture(again) != nil }) // the others had their time
	state, _ := s.State()
	for _, step := range state.Steps {
		if step.Picture != (step.Label == "Red") {
			t.Errorf("%s %s has a picture: %v", step.Step.Tool, step.Label, step.Picture)
		}
	}
}
