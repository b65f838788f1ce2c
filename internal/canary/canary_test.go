package canary_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"testing"

	"github.com/go-reprise/reprise/internal/canary"
)

func TestACanaryIsFoundHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	secret := canary.New()
	object, err := json.Marshal(map[string]string{"a": secret})
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]string{
		"JSON": string(object), "a query": "?" + url.Values{"a": {secret}}.Encode(), "HTML": "<p>" + html.EscapeString(secret),
		"hex": hex.EncodeToString(object),
	}
	for shift := range 4 {
		coded := base64.StdEncoding.EncodeToString(append(make([]byte, shift), object...))
		written["base64 of JSON, in lines, "+string(rune('0'+shift))+" in"] = coded[:20] + "\n" + coded[20:40] + "\n" + coded[40:]
	}
	for what, text := range written {
		if form, around := canary.Find([]byte(text), secret); form == "" || len(around) == 0 {
			t.Errorf("it is not found in %s: %s", what, text)
		}
	}
	if form, _ := canary.Find([]byte(canary.New()), secret); form != "" {
		t.Errorf("it is found in another canary (%s)", form)
	}
}
