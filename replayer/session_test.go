package replayer_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// on is a step on an element.
func on(tool, selector string) automation.Step {
	s, err := selectors.Parse(selector)
	if err != nil {
		panic(err)
	}
	return automation.Step{Tool: tool, Selector: selectors.Path{s}}
}

func TestToolsAreCalledOneByOne(t *testing.T) {
	t.Parallel()
	s := startTill(t, `<input id=who type=password oninput="echo.textContent=this.value"><p id=echo></p>`+byForm)
	page := browsertest.Page(t, "")
	password, err := automation.NewSecret("hunter22", s.URL)
	if err != nil {
		t.Fatal(err)
	}
	session := replayer.Begin(page, &replayer.Options{Values: replayer.Map{"password": password}, Timeout: 2 * time.Second})
	defer session.Close()
	do := func(step automation.Step) error {
		_, err := session.Do(t.Context(), step)
		return err
	}
	wantCode(t, do(on("click", "#pay")), replayer.OutOfScope, 0) // it is nowhere yet
	if err := do(automation.Step{Tool: "navigate", URL: s.URL}); err != nil {
		t.Fatal(err)
	}
	typed := on("typeInput", "#who")
	typed.Value = &automation.Value{Kind: automation.Variable, Name: "password"}
	if err := do(typed); err != nil {
		t.Fatal(err)
	}
	read := on("extract", "#echo")
	read.Args = json.RawMessage(`{"as":"echo"}`)
	if err := do(read); err != nil || session.Outputs()["echo"] != "[secret]" {
		t.Errorf("%v, %v", err, session.Outputs())
	}
	wantCode(t, do(on("click", "#pay")), replayer.Refused, 4)
	wantCode(t, do(automation.Step{Tool: "fly"}), replayer.Refused, 5)
	wantCode(t, do(automation.Step{Tool: "click"}), replayer.Refused, 5)
	if s.orders.Load() != 0 {
		t.Error("an order was placed")
	}
	session.Close()
	wantCode(t, do(on("click", "#who")), replayer.Refused, 5)
}

func TestARunMayHaveATimeOfItsOwn(t *testing.T) {
	t.Parallel()
	server := serve(t, `<p>nothing`)
	page := browsertest.Page(t, server.URL)
	_, err := replayer.Play(t.Context(), page, document(t, server.URL, `{"tool":"click","selector":"#never"}`), &replayer.Options{RunTimeout: 300 * time.Millisecond})
	wantCode(t, err, replayer.Timeout, 0)
}
