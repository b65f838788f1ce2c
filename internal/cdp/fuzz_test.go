package cdp_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/cdp"
)

// FuzzIncoming sends a client with calls in flight whatever a browser might
// say. It must neither panic nor hang: in the end every call has its result.
func FuzzIncoming(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"result":{}}`,
		`{"id":2,"error":{"code":-32000,"message":"m","data":"d"}}`,
		`{"id":1,"result":{}}` + "\x00" + `{"id":1,"result":{}}`,
		`{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"targetId":"T"}}}` + "\x00" +
			`{"method":"Target.attachedToTarget","sessionId":"S","params":{"sessionId":"S","targetInfo":{"targetId":"T"}}}` + "\x00" +
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"S"}}`,
		`{"method":"Target.targetCrashed","params":{"targetId":""}}`,
		`{"method":"Target.detachedFromTarget","params":[]}`,
		`{"method":"Inspector.targetCrashed","sessionId":"S"}`,
		"\x00\x00", `{"id":null}`, `{"id":18446744073709551616}`, `{"error":{}}`, `{"id":1,"error":null}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		_, in := io.Pipe()
		c := cdp.New(cdp.NewPipe(in, io.NopCloser(strings.NewReader(said+"\x00"))))
		c.OnEvent(func(e cdp.Event) { c.Send(e.SessionID, "Test.handled", e.Params) })
		calls := []*cdp.Call{c.Send("", "Test.a", nil), c.Send("S", "Test.b", nil)}
		<-c.Done() // what was said has an end
		for _, call := range calls {
			got, err := call.Wait(t.Context())
			if err == nil && got != nil && !json.Valid(got) {
				t.Errorf("a result that is no JSON: %q", got)
			}
		}
		if !errors.Is(c.Err(), cdp.ErrClosed) {
			t.Errorf("Err() = %v", c.Err())
		}
		_ = c.Close()
	})
}

// FuzzCommand checks that any command arrives as it was meant.
func FuzzCommand(f *testing.F) {
	f.Add("", "Page.enable", "")
	f.Add("S\"\n", "A.\x00é<>\xff", "\u2028</script>")
	f.Fuzz(func(t *testing.T, session, method, text string) {
		c, browser := connect(t)
		c.Send(session, method, map[string]string{"text": text})
		got := browser.next()
		if got.SessionID != valid(session) || got.Method != valid(method) {
			t.Errorf("got %q %q, want %q %q", got.SessionID, got.Method, session, method)
		}
		var p struct{ Text string }
		if err := json.Unmarshal(got.Params, &p); err != nil || p.Text != valid(text) {
			t.Errorf("got %q, %v; want %q", p.Text, err, text)
		}
	})
}

// valid is s as JSON can carry it.
func valid(s string) string { return string([]rune(s)) }
