package agent_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/store"
)

// An agent has a person approve one thing, and tries to send another. One way alone:
//
//	go test ./agent -run 'TestAnAgentSendsOnlyWhatWasApproved/typed_elsewhere'

// bank transfers to Alice what an honest form says; what is posted is noted.
type bank struct {
	*httptest.Server
	mu     sync.Mutex
	posted []string
}

// transfer is its form, with the facts as its pages show them next to it.
const transfer = `<!doctype html><meta charset=utf-8><title>Bank</title><style>* { font: 16px monospace } .away { position: absolute; left: -9999px }</style>
<h1>Transfer</h1><p>To <b id=to>Alice</b></p><p>Sum <b id=sum>10,00 €</b></p>
<form id=form method=post action=/transfer>
<p><label>IBAN <input id=iban name=iban value=ALICE></label> <label>Times <input id=times name=times type=number value=1></label>
<p><label>From <select id=from name=from><option>checking<option>savings</select></label> <label><input type=checkbox id=all name=all> All there is</label>
<p><label>Comment <textarea id=comment name=comment></textarea></label> <label>Bill <input type=file id=file name=file></label>
<p><button id=pay>Pay now</button></form>
<form method=post action=/transfer><input type=hidden name=iban value=MALLORY><button id=twin>Pay now</button></form>
<p hidden id=unseen>1,00 €</p><p class=away id=away>1,00 €</p><p style="opacity: 0" id=clear>1,00 €</p><p style="font-size: 0" id=tiny>1,00 €</p>
<p style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)" id=read-aloud>1,00 €</p>
<p style="color: transparent" id=no-ink>1,00 €</p><p style="-webkit-text-fill-color: #fff0" id=no-fill>1,00 €</p><p style="color: #fefefe" id=white>1,00 €</p><p style="text-indent: -9999px" id=indented>1,00 €</p>
<p style="clip-path: inset(50%)" id=clipped>1,00 €</p><p style="mask-image: linear-gradient(transparent, transparent)" id=masked>1,00 €</p><p style="filter: opacity(0)" id=filtered>1,00 €</p><p style="overflow: hidden; height: 8px" id=cut><br>1,00 €</p>
<p style="position: relative" id=under>1,00 €<span style="position: absolute; inset: 0; background: #fff">999,00 €</span></p><p id=inner-tiny>1<span style="font-size: 0">0</span>,00 €</p><p id=inner-without-box>1<span style="display: contents; color: #fefefe">0</span>,00 €</p><p style="unicode-bidi: bidi-override; direction: rtl" id=turned>00,1 €</p>
<style>#before::before { content: "99" }</style><p id=before>1,00 €</p>
<iframe id=frame src=/frame></iframe>`

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		_ = r.ParseMultipartForm(1 << 20) // or as it is
		body, _ := io.ReadAll(r.Body)
		b.mu.Lock()
		b.posted = append(b.posted, fmt.Sprintf("%s %s %s", r.URL, r.Form.Encode(), body))
		b.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/":
		html := transfer
		if r.URL.Query().Get("to") == "mallory" {
			html = strings.ReplaceAll(html, "value=ALICE", "value=MALLORY")
		}
		fmt.Fprint(w, html)
	case "/frame":
		fmt.Fprint(w, `<form method=post action=/transfer target=_top><input type=hidden name=iban value=MALLORY><button id=pay>Pay now</button></form>`)
	case "/asks":
		fmt.Fprint(w, transfer+`<script>form.onsubmit = (e) => { e.preventDefault(); fetch('/transfer?times=' + prompt('How often?', 1), { method: 'POST', body: iban.value }) }</script>`)
	case "/fetches":
		fmt.Fprint(w, transfer+`<script>form.onsubmit = (e) => { e.preventDefault(); fetch('/transfer', { method: 'POST', body: iban.value }) };
			document.querySelector('#from').onchange = () => fetch('/order', { method: 'POST', body: 'MALLORY' });
			document.querySelector('#comment').oninput = () => fetch('/order', { method: 'POST', body: 'MALLORY' })</script>`)
	case "/echoes":
		fmt.Fprint(w, transfer+`<input id=q oninput="echo.textContent = 'Results for ' + this.value"><p id=echo>Meadow Water</p>`)
	case "/hovers":
		fmt.Fprint(w, transfer+`<script>document.querySelector('#comment').onmouseenter = () => { iban.value = 'MALLORY' }</script>`)
	default:
		fmt.Fprint(w, "thanks")
	}
}

func (b *bank) all() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.posted, "\n")
}

// teller is an agent at the bank, with a person who approves one question and denies what comes after it.
type teller struct {
	t      *testing.T
	bank   *bank
	place  *place
	client *mcp.ClientSession
	mu     sync.Mutex
	asked  []store.Approval
}

func (l *teller) call(name string, args map[string]any) result {
	l.t.Helper()
	return call(l.t, l.client, name, args)
}

// answer approves the first question, and denies the others.
func (l *teller) answer(ctx context.Context, asked store.Approval) {
	l.mu.Lock()
	l.asked = append(l.asked, asked)
	yes := len(l.asked) == 1
	l.mu.Unlock()
	nonce, err := l.place.st.Approvals().IssueNonce(ctx, asked.ID, "ada")
	if err == nil {
		_, err = l.place.st.Approvals().Answer(ctx, asked.ID, nonce, yes)
	}
	if err != nil {
		l.t.Error(err)
	}
}

// swap is a way to send something else.
type swap struct {
	page    string
	request map[string]any // more arguments of request_approval
	first   func(*teller)  // before it
	do      func(*teller)
	// says has a fact be said in a way that tells the person what it is, or not at all.
	says func(store.Approval) string
}

func (l *teller) press(more ...any) { l.call("click", on("#pay", more...)) }

// afterwards does something between the approval and the press.
func afterwards(tool string, args map[string]any) func(*teller) {
	return func(l *teller) {
		l.call(tool, args)
		l.press()
	}
}

// amountOf has the amount be read somewhere else than where the page shows it.
func amountOf(selector string) swap {
	return swap{request: map[string]any{"amount": selector, "timeout": "500ms"}, do: func(l *teller) { l.press() }, says: func(a store.Approval) string {
		if a.Amount == "1,00 €" {
			return "the amount is one that no one sees"
		}
		return ""
	}}
}

func swaps() map[string]swap {
	own := func(selector, field string) swap {
		return swap{request: map[string]any{"payee": selector}, do: func(l *teller) { l.press() }, says: func(a store.Approval) string {
			if !strings.Contains(a.Payee, field) {
				return fmt.Sprintf("the payee is what the agent has typed, and said as %q", a.Payee)
			}
			return ""
		}}
	}
	repeats := func(tool string, args map[string]any) swap {
		return swap{page: "echoes", first: func(l *teller) {
			if u, is := args["url"].(string); is {
				args["url"] = strings.Replace(u, "LINK", l.bank.URL, 1)
			}
			must(l.t, l.client, tool, args)
		}, request: map[string]any{"payee": "#echo"}, do: func(l *teller) { l.press() }, says: func(a store.Approval) string {
			if !strings.Contains(a.Payee, "the agent has given") || strings.Contains(a.Amount, "the agent") {
				return fmt.Sprintf("what the agent has given is said as %q, and the amount as %q", a.Payee, a.Amount)
			}
			return ""
		}}
	}
	return map[string]swap{
		"typed elsewhere":      {do: afterwards("type_input", on("#iban", "value", "MALLORY"))},
		"filled in elsewhere":  {do: afterwards("fill_form", map[string]any{"fields": []map[string]any{{"target": "#iban", "value": "MALLORY"}}})},
		"chosen elsewhere":     {do: afterwards("select", on("#from", "value", "savings"))},
		"ticked":               {do: afterwards("check", on("#all"))},
		"counted up by a key":  {do: afterwards("keypress", on("#times", "key", "ArrowUp"))},
		"changed by the mouse": {page: "hovers", do: afterwards("hover", on("#comment"))},
		"another address":      {do: func(l *teller) { l.call("navigate", map[string]any{"url": l.bank.URL + "/?to=mallory"}); l.press() }},
		"the address before":   {do: func(l *teller) { l.call("go_back", nil); l.press() }},
		"another control":      {do: func(l *teller) { l.call("click", on("#twin")) }},
		"another frame":        {do: func(l *teller) { l.press("frame", []string{"#frame"}) }},
		"another tab": {do: func(l *teller) {
			l.call("tab", map[string]any{"tab": "two", "action": "open", "url": l.bank.URL + "/?to=mallory"})
			l.press("tab", "two")
		}},
		"the answer to a dialog": {page: "asks", do: afterwards("dialog", map[string]any{"accept": true, "value": "99 MALLORY"})},
		"pressed twice":          {page: "fetches", do: func(l *teller) { l.press("count", 2) }},
		"pressed three times":    {page: "fetches", do: func(l *teller) { l.press("count", 3) }},
		"a choice after it":      {page: "fetches", do: func(l *teller) { l.press(); l.call("select", on("#from", "value", "savings")) }},
		"a text after it":        {page: "fetches", do: func(l *teller) { l.press(); l.call("type_input", on("#comment", "value", "thanks")) }},
		"sent by a key": {do: func(l *teller) {
			l.call("type_input", on("#iban", "value", "MALLORY"))
			l.call("keypress", on("#iban", "key", "Enter"))
		}},
		"an amount that is hidden":                 amountOf("#unseen"),
		"an amount that is away":                   amountOf("#away"),
		"an amount that is clear":                  amountOf("#clear"),
		"an amount that is tiny":                   amountOf("#tiny"),
		"an amount to be heard":                    amountOf("#read-aloud"),
		"an amount that is without ink":            amountOf("#no-ink"),
		"an amount that is without fill":           amountOf("#no-fill"),
		"an amount that is white without a box":    amountOf("#inner-without-box"),
		"an amount that is white on white":         amountOf("#white"),
		"an amount that is indented":               amountOf("#indented"),
		"an amount that is clipped":                amountOf("#clipped"),
		"an amount that is masked":                 amountOf("#masked"),
		"an amount that is filtered":               amountOf("#filtered"),
		"an amount that is cut off":                amountOf("#cut"),
		"an amount that is under another":          amountOf("#under"),
		"an amount that is tiny within":            amountOf("#inner-tiny"),
		"an amount that is turned round":           amountOf("#turned"),
		"an amount that is shown with more digits": amountOf("#before"),
		"a payee that the page repeats":            repeats("type_input", on("#q", "value", "Meadow  Water")),
		"a payee in the address":                   repeats("navigate", map[string]any{"url": "LINK/echoes?to=Meadow%20Water#Meadow"}),
		"a payee of its own":                       own("#comment", "Comment"),
		"a payee in a field":                       own("#iban", "IBAN"),
	}
}

func TestAnAgentSendsOnlyWhatWasApproved(t *testing.T) {
	t.Parallel()
	b := &bank{}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	var now *teller
	p := at(t, func(o *agent.Options) {
		o.Timeout, o.ApprovalTimeout = 3*time.Second, time.Minute
		o.OnApprovalRequested = func(ctx context.Context, asked store.Approval) { now.answer(ctx, asked) }
	})
	for name, s := range sampled(swaps()) {
		t.Run(name, func(t *testing.T) {
			p.t = t
			b.mu.Lock()
			b.posted = nil
			b.mu.Unlock()
			l := &teller{t: t, bank: b, place: p, client: p.client(nil)}
			now = l
			defer func() { _ = l.client.Close() }()
			must(t, l.client, "navigate", map[string]any{"url": b.URL + "/" + s.page + "?to=mallory"})
			must(t, l.client, "navigate", map[string]any{"url": b.URL + "/" + s.page})
			args := on("#pay", "payee", "#to", "amount", "#sum", "intent", "pay what is due")
			if s.first != nil {
				s.first(l)
			}
			for key, value := range s.request {
				args[key] = value
				if value == "#comment" {
					must(t, l.client, "type_input", on("#comment", "value", "Alice"))
				}
			}
			approved := l.call("request_approval", args)
			if s.says == nil && approved.IsError {
				t.Fatalf("it is not approved: %s", approved.Text)
			}
			if s.says != nil && len(l.asked) > 0 {
				if why := s.says(l.asked[0]); why != "" {
					t.Error(why)
				}
			}
			s.do(l)
			l.call("navigate", map[string]any{"url": b.URL + "/done"}) // what was sent has come before that
			sent := b.all()
			if n := strings.Count(sent, "/transfer") + strings.Count(sent, "/order"); s.says == nil && (n > 1 || strings.Contains(sent, "MALLORY") || strings.Contains(sent, "savings") || strings.Contains(sent, "all=on") || strings.Contains(sent, "times=2")) {
				t.Errorf("what was sent was not approved: %s", sent)
			}
		})
	}
}

// What a person sees is read, however a page sets it.
func TestWhatAPersonSeesOfAPaymentIsRead(t *testing.T) {
	t.Parallel()
	shown := map[string]string{
		"plain":        `<p id=plain>12,00 €</p>`,
		"on-dark":      `<header style="background: #123"><b id=on-dark style="color: #fff">12,00 €</b></header>`,
		"on-a-picture": `<div style="background-image: linear-gradient(#000, #333)"><b id=on-a-picture style="color: #fff">12,00 €</b></div>`,
		"pale":         `<p id=pale style="color: #bbb">12,00 €</p>`,
		"in-parts":     `<p id=in-parts><b>12</b><sup style="font-size: 9px">,00</sup> <i>€</i></p>`,
		"signed":       `<style>#signed::before { content: "→ " }</style><p id=signed>12,00 €</p>`,
		"in-a-field":   `<input id=in-a-field readonly value="12,00 €">`,
		"unhit":        `<p style="pointer-events: none"><b id=unhit>12,00 €</b></p>`,
		"in-a-box":     `<div style="overflow: hidden; border-radius: 9px; height: 40px"><b id=in-a-box>12,00 €</b></div>`,
		"in-a-button":  `<button type=button><span id=in-a-button>12,00 €</span></button>`,
		"half-clear":   `<p style="opacity: .7"><b id=half-clear>12,00 €</b></p>`,
		"with-hidden":  `<p id=with-hidden>12,00 €<span hidden> 99</span></p>`,
		"far-down":     `<div style="height: 3000px"></div><p id=far-down>12,00 €</p><div style="height: 3000px"></div>`,
		"below-a-bar":  `<div style="position: sticky; top: 0; height: 200px; background: #eee">Shop</div><p id=below-a-bar>12,00 €</p>`,
		"in-a-shadow":  `<div id=in-a-shadow><template shadowrootmode=open><b>12,00 €</b></template></div>`,
		"scrolled":     `<div style="height: 60px; overflow: auto"><div style="height: 400px"></div><b id=scrolled>12,00 €</b></div>`,
	}
	page := `<!doctype html><meta charset=utf-8><form method=post action=/transfer><button id=pay>Pay now</button></form>`
	for _, one := range slices.Sorted(maps.Keys(shown)) {
		page += shown[one]
	}
	site := startSite(t, map[string]string{"/": page})
	asked := make(chan store.Approval, 1)
	var p *place
	p = at(t, func(o *agent.Options) {
		o.Timeout, o.ApprovalTimeout = 3*time.Second, time.Minute
		o.OnApprovalRequested = func(ctx context.Context, a store.Approval) {
			asked <- a
			nonce, err := p.st.Approvals().IssueNonce(ctx, a.ID, "ada")
			if err == nil {
				_, err = p.st.Approvals().Answer(ctx, a.ID, nonce, true)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	client := p.client(nil)
	must(t, client, "navigate", map[string]any{"url": site.URL + "/"})
	for id := range shown {
		if r := call(t, client, "request_approval", on("#pay", "amount", "#"+id)); r.IsError {
			t.Errorf("%s: %s", id, r.Text)
		} else if a := <-asked; id != "in-a-shadow" && !strings.Contains(a.Amount, "12,00 €") {
			t.Errorf("%s is read as %q", id, a.Amount)
		}
	}
}
