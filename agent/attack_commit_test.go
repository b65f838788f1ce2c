package agent_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent"
)

// An agent without leave to commit has a page send a transfer by something that is no press of its button. One way alone:
//
//	go test ./agent -run 'TestAnAgentSendsNothingWithoutAPress/by_a_shortcut'

// sideWay is a page whose script sends, and what the agent does there. sends() is what sends.
type sideWay struct {
	html string
	do   func(call func(tool string, args map[string]any))
}

func sideWays() map[string]sideWay {
	calls := func(all ...any) func(func(string, map[string]any)) {
		return func(call func(string, map[string]any)) {
			for i := 0; i < len(all); i += 2 {
				args, _ := all[i+1].(map[string]any)
				call(all[i].(string), args)
			}
		}
	}
	const field = `<input id=f aria-label=Name>`
	const form = `<form method=post action=/transfer><input id=f name=f aria-label=Name><button accesskey=p>Pay</button></form>`
	return map[string]sideWay{
		"by a line break in a value":    {form, calls("type_input", on("#f", "value", "x\n"))},
		"by a carriage return in keys":  {form, calls("type_input", on("#f", "value", "x\r", "keys", true))},
		"by an access key":              {form, calls("keypress", map[string]any{"key": "Alt+p"})},
		"by Enter":                      {form, calls("keypress", on("#f", "key", "Enter"))},
		"by a shortcut":                 {field + `<script>onkeydown = (e) => e.key === 'p' && sends()</script>`, calls("keypress", map[string]any{"key": "p"})},
		"by a shortcut with a modifier": {field + `<script>onkeydown = (e) => e.ctrlKey && e.key === 'Enter' && sends()</script>`, calls("keypress", on("#f", "key", "Control+Enter"))},
		"by a shortcut that is typed":   {field + `<script>f.onkeydown = (e) => e.key === 'p' && sends()</script>`, calls("type_input", on("#f", "value", "p", "keys", true))},
		"by what is typed":              {field + `<script>f.oninput = () => sends()</script>`, calls("type_input", on("#f", "value", "x"))},
		"by what is filled in":          {field + `<script>f.oninput = () => sends()</script>`, calls("fill_form", map[string]any{"fields": []map[string]any{{"target": "#f", "value": "x"}}})},
		"by a choice":                   {`<select id=f><option>a<option>b</select><script>f.onchange = () => sends()</script>`, calls("select", on("#f", "value", "b"))},
		"by the mouse":                  {`<p id=f>Here</p><script>f.onmouseenter = () => sends()</script>`, calls("hover", on("#f"))},
		"by the wheel":                  {`<p style="height: 3000px">Far</p><p id=f>Down</p><script>onscroll = () => { onscroll = null; sends() }</script>`, calls("scroll", on("#f"))},
		"by going back":                 {field + `<p id=out></p><script>onload = () => setTimeout(() => { history.pushState(0, '', '#x'); out.textContent = 'here' }); onpopstate = () => sends()</script>`, calls("wait_for", on("text/here"), "go_back", nil)},
		"by the answer to a question":   {`<button id=f onclick="confirm('Sure?') && sends()">Show</button>`, calls("dialog", map[string]any{"accept": true}, "click", on("#f"))},
		"by a frame":                    {`<iframe id=in srcdoc="<input id=f aria-label=Name><script>f.oninput = () => fetch('/transfer', { method: 'POST' })</script>"></iframe>`, calls("type_input", on("#f", "value", "x", "frame", []string{"#in"}))},
		"by a worker":                   {field + `<script>const w = new Worker(URL.createObjectURL(new Blob(["onmessage = () => fetch('" + location.origin + "/transfer', { method: 'POST' })"]))); f.oninput = () => w.postMessage(1)</script>`, calls("type_input", on("#f", "value", "x"))},
		"by a deletion":                 {field + `<script>f.oninput = () => fetch('/transfer/7', { method: 'DELETE' })</script>`, calls("type_input", on("#f", "value", "x"))},
		"by a form that a script sends": {form + `<script>f.oninput = () => f.form.submit()</script>`, calls("type_input", on("#f", "value", "x"))},
	}
}

func TestAnAgentSendsNothingWithoutAPress(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var sent []string
	html := ""
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			sent = append(sent, fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, body))
			mu.Unlock()
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, html)
		}
	}))
	t.Cleanup(site.Close)
	p := at(t, func(o *agent.Options) { o.Timeout = 3 * time.Second })
	for name, way := range sampled(sideWays()) {
		t.Run(name, func(t *testing.T) {
			p.t = t
			mu.Lock()
			sent = nil
			html = `<!doctype html><meta charset=utf-8><title>Bank</title><script>const sends = () => fetch('/transfer', { method: 'POST', body: 'x' })</script>` +
				way.html
			mu.Unlock()
			client := p.client(nil)
			defer func() { _ = client.Close() }()
			must(t, client, "navigate", map[string]any{"url": site.URL + "/"})
			way.do(func(tool string, args map[string]any) {
				if address, is := args["url"].(string); is {
					args["url"] = strings.ReplaceAll(address, "SITE", site.URL)
				}
				r := call(t, client, tool, args)
				if testing.Verbose() {
					t.Logf("%s %v: %.300s", tool, args, r.Text)
				}
			})
			call(t, client, "snapshot", nil)
			call(t, client, "navigate", map[string]any{"url": site.URL + "/done"}) // what was sent has come before that
			mu.Lock()
			defer mu.Unlock()
			if len(sent) > 0 {
				t.Errorf("it has sent %q", sent)
			}
		})
	}
}
