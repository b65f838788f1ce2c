package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/notify/notifytest"
	"github.com/go-reprise/reprise/store"
)

// told runs a command line in an environment, and returns what it prints.
func told(t *testing.T, env []string, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := (&agents{env: env}).command(t.Context(), args...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	err := cmd.Run()
	if _, is := err.(*exec.ExitError); err != nil && !is {
		t.Fatal(err)
	}
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

func chatEnv(t *testing.T, s *notifytest.Telegram, data string) []string {
	t.Helper()
	return append(os.Environ(), "REPRISE_DATA="+data, "XDG_CONFIG_HOME="+t.TempDir(), "REPRISE_KEY_FILE="+filepath.Join(t.TempDir(), "key"),
		"REPRISE_NOTIFY_TELEGRAM_CHAT=77", "REPRISE_NOTIFY_TELEGRAM_API="+s.URL, "REPRISE_TELEGRAM_TOKEN="+notifytest.Token)
}

func TestNotifyTellsThePeopleOfTheSettings(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	env := chatEnv(t, s, t.TempDir())
	if out, said, code := told(t, env, "", "notify", "It is paid.", "--title", "Invoices"); code != failure.ExitDone || out != "Told by telegram.\n" {
		t.Errorf("%d: %s%s", code, out, said)
	}
	if out, _, code := told(t, env, "a line\n", "notify", "-", "--json"); code != failure.ExitDone || !strings.Contains(out, `"told": true`) || !strings.Contains(out, `"channel": "telegram"`) {
		t.Errorf("%d: %s", code, out)
	}
	if all := s.Sent(); len(all) != 2 || all[0].Text != "Invoices\nIt is paid." || all[1].Text != "a line" {
		t.Errorf("the chat has %+v", all)
	}
	s.Fail("sendMessage", notifytest.Failure{Code: 403})
	if out, said, code := told(t, env, "", "notify", "x", "-v"); code != failure.ExitFailed || !strings.Contains(said, "presses Start") || strings.Contains(out+said, notifytest.Token) {
		t.Errorf("%d: %s%s", code, out, said)
	}
	none := append(env, "REPRISE_NOTIFY_TELEGRAM_CHAT=0")
	if _, said, code := told(t, none, "", "notify", "x"); code != failure.ExitFailed || !strings.Contains(said, "docs/notifications.md") {
		t.Errorf("%d: %s", code, said)
	}
	without := append(env, "REPRISE_TELEGRAM_TOKEN=")
	if _, said, code := told(t, without, "", "notify", "x"); code != failure.ExitFailed || !strings.Contains(said, "reprise credential set telegram --origin http://127.0.0.1:") {
		t.Errorf("%d: %s", code, said)
	}
	if _, _, code := told(t, env, "", "notify", " "); code != failure.ExitUsage {
		t.Errorf("nothing ends with %d", code)
	}
	group := append(env, "REPRISE_NOTIFY_TELEGRAM_CHAT=-5", "REPRISE_NOTIFY_TELEGRAM_ANSWERS=true")
	if _, said, code := told(t, group, "", "notify", "x"); code != failure.ExitUsage || !strings.Contains(said, "private chat") {
		t.Errorf("a group that answers: %d: %s", code, said)
	}
}

// A server tells what any other process asks for in its store.
func TestAServerTellsWhatOthersAskFor(t *testing.T) {
	t.Parallel()
	s, data := notifytest.Start(t), t.TempDir()
	said := &wire{}
	cmd := (&agents{env: append(chatEnv(t, s, data), "REPRISE_TOKEN=a-token-for-the-test-only")}).command(t.Context(), "serve", "--listen", "127.0.0.1:0")
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	servedAt(t, said)
	st, err := store.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	a, err := st.Approvals().Ask(t.Context(), store.ApprovalRequest{Run: store.NewRunID(), Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	browsertest.Until(t, "the approver to be told", func() bool { return len(s.Sent()) == 1 })
	if text := s.Sent()[0]; !strings.Contains(text.Text, "reprise approvals yes "+a.ID) || text.Markup != "" {
		t.Errorf("the approver was told %+v", text)
	}
}

func TestDoctorChecksTheBot(t *testing.T) {
	t.Parallel()
	s := notifytest.Start(t)
	env := chatEnv(t, s, t.TempDir())
	check := []string{"doctor", "--browser", "http://127.0.0.1:1"}
	if out, said, _ := told(t, env, "", check...); !strings.Contains(out, "the bot @reprise_test_bot is in its chat, which is private") {
		t.Errorf("%s%s", out, said)
	}
	s.Fail("getMe", notifytest.Failure{Code: 401})
	if out, said, _ := told(t, env, "", check...); !strings.Contains(out, "fail  notify") || !strings.Contains(out, "@BotFather") || strings.Contains(out+said, notifytest.Token) {
		t.Errorf("%s%s", out, said)
	}
}

// A run is started again with what its record names, and not where it may have sent something, or goes on.
func TestARunIsStartedAgainWithWhatItsRecordNames(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	save := func(change func(*store.Run)) string {
		t.Helper()
		run := store.Run{ID: store.NewRunID(), Automation: "order", PlayedFor: "ada", Task: "order-17", Login: "shop", Revision: 3, State: store.Failed, Code: "blocked", Started: time.Now(), Finished: time.Now()}
		if change != nil {
			change(&run)
		}
		if err := st.Runs().Save(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		return run.ID
	}
	var o playOptions
	if err := o.as(t.Context(), st, save(nil)); err != nil || o.what != "order" || o.account != "ada" || o.values.Task != "order-17" || o.login != "shop" {
		t.Errorf("it is started as %+v, %v", o, err)
	}
	o = playOptions{account: "bob", login: "other"}
	if err := o.as(t.Context(), st, save(nil)); err != nil || o.account != "bob" || o.login != "other" {
		t.Errorf("flags come first: %+v, %v", o, err)
	}
	sent := save(nil)
	if err := st.Commits().Begin(t.Context(), sent, 2); err != nil {
		t.Fatal(err)
	}
	for what, id := range map[string]string{
		"uncertain":      save(func(r *store.Run) { r.State = store.Uncertain }),
		"of a file":      save(func(r *store.Run) { r.Revision = 0 }),
		"queued":         save(func(r *store.Run) { r.State, r.Finished = store.Queued, time.Time{} }),
		"that committed": sent,
		"that is none":   store.NewRunID(),
	} {
		if err := new(playOptions).as(t.Context(), st, id); err == nil {
			t.Errorf("a run %s is started again", what)
		}
	}
}
