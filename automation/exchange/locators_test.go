package exchange_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// pressed imports a text, plays it on a page, and returns the ids of what was pressed.
func pressed(t *testing.T, html string, text func(url string) string) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, html+`<p id=told></p><script>addEventListener("click", e => { told.textContent += e.target.id })</script>`)
	}))
	defer site.Close()
	a, report, err := exchange.Import([]byte(text(site.URL)), nil)
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, "")
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 3 * time.Second}); err != nil {
		t.Errorf("%v\ntold: %s", err, told(report))
		return ""
	}
	return page.Rod().Context(t.Context()).MustElement("#told").MustText()
}

// Selenium takes the first of several.
func TestTheFirstMatchOfSeleniumIsTaken(t *testing.T) {
	t.Parallel()
	const html = `<main><div class="row even"><a id=a1 href=#1 class="open big" name=go data-k=v>Open it</a></div>
		<div class="row odd"><a id=a2 href=#2 class="open big" name=go data-k=v>Open it</a></div></main>`
	for _, target := range []string{
		"name=go", "css=.open", "css=main > .row a.big", `css=a[data-k="v"]`, "css=div:nth-of-type(1) > a.open", "css=[href^='#']", "xpath=//a", "//div/a",
		"link=Open it", "linkText=Open it", "partialLinkText=Open",
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			got := pressed(t, html, func(url string) string {
				data, _ := json.Marshal(target)
				return fmt.Sprintf(`{"url": %q, "tests": [{"name": "a", "commands": [{"command": "open", "target": "/"}, {"command": "click", "target": %s}]}]}`, url, data)
			})
			if got != "a1" {
				t.Errorf("pressed %q, want the first", got)
			}
		})
	}
}

func TestALabelOfPlaywrightIsFoundAsThere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ html, label, want string }{
		"a part of a label, in another case":    {`<label for=f>Your E-Mail address</label><input id=f>`, `"e-mail"i`, "f"},
		"a label around":                        {`<label>Notes <span>(optional)</span> <textarea id=n></textarea></label>`, `"notes"i`, "n"},
		"aria-label":                            {`<button id=b aria-label="Close the dialog">x</button><p>close the shop</p>`, `"CLOSE"i`, "b"},
		"aria-labelledby":                       {`<b id=l>Billing name</b><input id=i aria-labelledby=l><p>billing</p>`, `"billing"i`, "i"},
		"aria-labelledby with several ids":      {`<b id=one>Billing</b><b id=two>street</b><input id=i aria-labelledby="one two">`, `"street"i`, "i"},
		"exactly":                               {`<label for=x>City code</label><input id=x><label for=y>City</label><input id=y>`, `"City"s`, "y"},
		"not what only has it as a placeholder": {`<input id=p placeholder="Search word"><label for=s>Search for</label><input id=s>`, `"search"i`, "s"},
		"umlauts in another case":               {`<label for=u>Größe ÄNDERN</label><input id=u>`, `"ändern"i`, "u"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := pressed(t, test.html, func(url string) string {
				selector, _ := json.Marshal("internal:label=" + test.label)
				return fmt.Sprintf(`{"browserName":"chromium","launchOptions":{},"contextOptions":{}}
{"name":"openPage","url":"about:blank","signals":[],"pageAlias":"page","framePath":[]}
{"name":"navigate","url":%q,"signals":[],"pageAlias":"page","framePath":[]}
{"name":"click","selector":%s,"signals":[],"button":"left","modifiers":0,"clickCount":1,"pageAlias":"page","framePath":[]}
`, url+"/", selector)
			})
			if got != test.want {
				t.Errorf("pressed %q, want %q", got, test.want)
			}
		})
	}
}
