package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/notify/notifytest"
	"github.com/go-reprise/reprise/store"
)

// The question of a payment has its picture in the chat; what is paid within a limit after that is told there, and asked nowhere.
func TestWhatIsPaidWithinALimitIsToldInTheChat(t *testing.T) {
	s := notifytest.Start(t)
	t.Setenv("REPRISE_NOTIFY_TELEGRAM_CHAT", "77")
	t.Setenv("REPRISE_NOTIFY_TELEGRAM_API", s.URL)
	t.Setenv("REPRISE_TELEGRAM_TOKEN", notifytest.Token)
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	p := startPayments(t, "--data", filepath.Join(t.TempDir(), "data"))
	p.approvingBill()
	play := func() *player {
		return p.begin("play", "pay-bill", "--vars", p.vars, "--browser", b.Endpoint(), "--ask", "store", "--json")
	}
	run := play()
	a := p.asked()
	amount, err := store.ParseMoney(a.Amount, a.Currency)
	if err != nil {
		t.Fatal(err)
	}
	browsertest.Until(t, "the question and its picture", func() bool { return s.Calls("sendPhoto") == 1 })
	p.ends(p.begin("approvals", "yes", a.ID), failure.ExitDone)
	p.ends(run, failure.ExitDone)
	before := len(s.Sent())
	p.ends(p.begin("limits", "add", "--site", p.site.URL, "--payee", a.Payee, "--currency", amount.Currency, "--sum", amount.Decimal()), failure.ExitDone)
	p.ends(play(), failure.ExitDone)
	p.paid(2)
	told := s.Sent()[before:]
	if len(told) != 1 || !strings.HasPrefix(told[0].Text, "Paid without asking: "+amount.String()+" to "+a.Payee) || !strings.Contains(told[0].Text, ": 0.00 ") {
		t.Errorf("told was %+v", told)
	}
}

// Where no one could be told, the agent that has asked for a person learns it.
func TestAnAgentLearnsThatNoOneCouldBeTold(t *testing.T) {
	browsertest.Slot(t)
	s := notifytest.Start(t)
	s.Fail("sendMessage", slices.Repeat([]notifytest.Failure{{Code: 401}}, 9)...)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><h1>Sign in</h1><input type=password>`)
	}))
	t.Cleanup(site.Close)
	a := &agents{env: chatEnv(t, s, t.TempDir())}
	client := a.overStandardInput(t, &wire{}, &wire{}, "--takeover", "--public-url", "https://help.example", "--allow-private-network")()
	call := func(name string, args map[string]any) map[string]any {
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		said, _ := r.StructuredContent.(map[string]any)
		return said
	}
	call("navigate", map[string]any{"url": site.URL})
	asked := call("request_human", map[string]any{"reason": "login", "instruction": "Sign in.", "wait_seconds": 0})
	var status map[string]any
	browsertest.Until(t, "the agent to learn it", func() bool {
		status = call("handoff_status", map[string]any{"handoff_id": asked["handoff_id"]})
		return status["not_told"] != nil
	})
	if why, line := fmt.Sprint(status["not_told"]), fmt.Sprint(status["line"]); status["status"] != "RUNNING" || !strings.Contains(line, why) || strings.Contains(why, notifytest.Token) {
		t.Errorf("it is told %v", status)
	}
	call("handoff_cancel", map[string]any{"handoff_id": asked["handoff_id"]})
}
