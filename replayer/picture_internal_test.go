package replayer

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"
)

// Who is asked for a payment has a picture of the page, also of one that is drawn so that its picture is large.
func TestAPageOfNoiseHasAPictureToo(t *testing.T) {
	t.Parallel()
	noise := image.NewRGBA(image.Rect(0, 0, 1280, 1600))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(random.Uint32())
	}
	var whole bytes.Buffer
	if err := png.Encode(&whole, noise); err != nil {
		t.Fatal(err)
	}
	data, err := smaller(whole.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	shown, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil || len(data) > MaxApprovalPicture || shown.Bounds().Dx() < 300 {
		t.Errorf("%d bytes, %v, %v", len(data), shown.Bounds(), err)
	}
}
