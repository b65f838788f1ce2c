package recorder_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

// closedFields are secret fields that no script of ours can see unasked.
var closedFields = map[string]string{
	"in a closed root": `<div id=f style="width:200px;height:30px"></div><script>f.attachShadow({mode:"closed"}).innerHTML = "<input type=password style='width:190px;height:20px'>"</script>`,
	"in two closed roots": `<div id=f style="width:200px;height:30px"></div><script>const x = document.createElement("div");
		f.attachShadow({mode:"closed"}).append(x); x.attachShadow({mode:"closed"}).innerHTML = "<input autocomplete=one-time-code style='width:190px;height:20px'>"</script>`,
	"in a closed root that can be focused": `<div id=f tabindex=0 style="width:200px;height:30px"></div><script>f.attachShadow({mode:"closed", delegatesFocus: true}).innerHTML = "<input type=password style='width:190px;height:20px'>"</script>`,
	"in a closed root of a late element": `<x-late style="display:block;width:200px;height:30px"></x-late><script>customElements.define("x-late", class extends HTMLElement {
		connectedCallback() { const r = this.attachShadow({mode:"closed"}); setTimeout(() => { r.innerHTML = "<input type=password style='width:190px;height:20px'>"; this.id = "f" }, 50) } })</script>`,
}

func TestASecretNeverLeavesAClosedShadowRoot(t *testing.T) {
	t.Parallel()
	for name, field := range closedFields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret := canary.New()
			for where, data := range recordSecret(t, field, "#f", secret) {
				wantNoCanary(t, where, data, secret)
			}
		})
	}
}

// The focus is in the field before anything is recorded, and no press or focus
// tells of the host: the first key may come before the root is known.
func TestKeysInAFieldThatNobodySeesAreNotTold(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><div id=f style="width:200px;height:30px"></div><script>f.attachShadow({mode:"closed"}).innerHTML = "<input style='width:190px;height:20px'>"</script>`)
	}))
	t.Cleanup(site.Close)
	tab := browsertest.Page(t, site.URL)
	p := simuser.At(tab.Target())
	if err := p.Click(ctx, "#f"); err != nil { // before anybody records
		t.Fatal(err)
	}
	var told bytes.Buffer
	remove := tab.Target().Tree().Client().OnEvent(func(e cdp.Event) {
		if e.Method == "Runtime.bindingCalled" {
			told.Write(e.Params)
		}
	})
	r, err := recorder.Start(ctx, tab, &recorder.Options{Name: "blind"})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Type(ctx, "qxqxq"); err != nil {
		t.Fatal(err)
	}
	if err := p.Press(ctx, "Enter"); err != nil {
		t.Fatal(err)
	}
	a, _, err := r.Stop(ctx)
	remove()
	if unseen := new(recorder.IntegrityError); err != nil && !errors.As(err, &unseen) { // where the keys were there before the field was known
		t.Fatal(err)
	}
	if bytes.Contains(told.Bytes(), []byte(`\"key\":\"q\"`)) {
		t.Error("the page script told of a key that was pressed in a field that it could not see")
	}
	data, err := automation.Marshal(a)
	if err != nil || !bytes.Contains(data, []byte("Enter")) {
		t.Errorf("recorded %s, %v: want the Enter, which writes nothing", data, err)
	}
}
