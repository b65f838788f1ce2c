package replayer_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

func TestEveryFormOfASecretIsTakenOut(t *testing.T) {
	t.Parallel()
	const canary = `Tr0ub"<4d or&3!`
	server := serve(t, `<input id=p type=password><p id=a></p><p id=b></p><p id=c></p><script>
		p.oninput = () => { const v = p.value;
			history.replaceState(0, "", "/" + encodeURIComponent(v));
			a.textContent = encodeURIComponent(v); b.textContent = JSON.stringify({v}); 
			const d = document.createElement("div"); d.textContent = v; c.textContent = d.innerHTML; }</script>`)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},"steps":[
		{"tool":"typeInput","selector":"#p","value":{"kind":"variable","name":"pass"}},
		{"tool":"extract","selector":"#a","args":{"as":"url"}},
		{"tool":"extract","selector":"#b","args":{"as":"json"}},
		{"tool":"extract","selector":"#c","args":{"as":"html"}},
		{"tool":"click","selector":"#gone"}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, server.URL)
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"pass": canary}, Timeout: time.Second})
	var e *replayer.Error
	errors.As(err, &e)
	data, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(e.Resume, "r1."))
	given := map[string]string{"token": string(data), "url": result.URL, "err": err.Error()}
	for k, v := range result.Outputs {
		given["out "+k] = fmt.Sprint(v)
	}
	for k, v := range given {
		if strings.Contains(v, "Tr0ub") {
			t.Errorf("%s: %s", k, v)
		}
	}
}

// What lets somebody in may be repeated by a page although nobody has typed it.
func TestWhatTheCallerKnowsIsTakenOut(t *testing.T) {
	t.Parallel()
	const canary = `token"<4711 of`
	server := serve(t, `<p id=a></p><button id=pay>Pay</button><script>a.textContent = pay.textContent = 'token"<4711 of'; pay.prepend("Pay "); history.replaceState(0, "", "/" + encodeURIComponent(a.textContent))</script>`)
	secret, err := automation.NewSecret(canary)
	if err != nil {
		t.Fatal(err)
	}
	a := document(t, server.URL, `{"tool":"extract","selector":"#a","args":{"as":"a"}},{"tool":"click","selector":"#pay"}`)
	result, err := replayer.Play(t.Context(), browsertest.Page(t, server.URL), a, &replayer.Options{Known: []automation.Secret{secret}})
	var e *replayer.Error
	if !errors.As(err, &e) || e.Code != replayer.Refused {
		t.Fatalf("it ended with %v", err)
	}
	data, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(e.Resume, "r1."))
	if said := fmt.Sprint(result.Outputs, result.URL, err, string(data)); strings.Contains(said, "4711") || strings.Count(said, "[secret]") < 3 {
		t.Errorf("it tells %s", said)
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
