package selectors_test

import (
	"maps"
	"testing"

	"github.com/go-reprise/reprise/selectors"
)

// The hashes are those that the page script made of a suggestion that says "dorothy", in a row that says
// "create dorothy".
func TestAFingerprintWithoutATextHasNoneOfItsWords(t *testing.T) {
	t.Parallel()
	recorded := selectors.Fingerprint{Key: "db4fd18a5aa46f7c", Own: map[string]string{"class": "8997", "label": "1c3c"}, Around: map[string]string{"place": "7e48", "row": "28221c3c"}}
	for text, want := range map[string][2]map[string]string{
		"Dorothy":         {{"class": "8997"}, {"place": "7e48", "row": "2822"}},
		"mary":            {recorded.Own, recorded.Around},
		"dorothy and she": {recorded.Own, recorded.Around},
		"":                {recorded.Own, recorded.Around},
	} {
		if got := recorded.Without(text); !maps.Equal(got.Own, want[0]) || !maps.Equal(got.Around, want[1]) {
			t.Errorf("without %q it is %v, %v", text, got.Own, got.Around)
		}
	}
	if recorded.Own["label"] == "" || recorded.Around["row"] != "28221c3c" {
		t.Errorf("what was recorded is changed: %v", recorded)
	}
}
