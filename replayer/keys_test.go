package replayer_test

import (
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

func TestKeysArePressedWhereThePageListensToThem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script, value string
		keys          bool
	}{
		"a field that nobody listens to": {`field.addEventListener("input", () => out(field.value))`, "Linz", false},
		"a field that listens to keyup":  {`field.addEventListener("keyup", () => out(field.value))`, "Linz", true},
		"a field that takes its keys":    {`field.onkeydown = (e) => { if (e.key.length === 1) { e.preventDefault(); field.value += e.key.toUpperCase(); out(field.value) } }`, "LINZ", true},
		"a field that formats":           {`field.oninput = () => { field.value = field.value.replaceAll("-", ""); out(field.value) }`, "Linz", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, `<input id=f aria-label=Place><p id=o></p><button id=b>Next</button><script>
				const field = document.getElementById("f"), out = (text) => { document.getElementById("o").textContent = text; location.hash = text };`+test.script+`</script>`)
			page := browsertest.Page(t, server.URL)
			r, err := recorder.Start(t.Context(), page, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := simuser.At(page.Target())
			if err := p.Fill(t.Context(), "#f", "Li-nz"[:2]+"nz"); err != nil {
				t.Fatal(err)
			}
			if err := p.Click(t.Context(), "#b"); err != nil {
				t.Fatal(err)
			}
			a, _, err := r.Stop(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			step := a.Steps[1]
			t.Log(toolsOf(a))
			if step.Value == nil || step.Keys != test.keys || string(step.Value.Value) != `"`+test.value+`"` {
				t.Fatalf("recorded keys %v, value %s; want %v, %q", step.Keys, step.Value, test.keys, test.value)
			}
			again := browsertest.Page(t, "")
			if _, err := replayer.Play(t.Context(), again, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second}); err != nil {
				t.Fatal(err)
			}
			if got, want := again.URL(), server.URL+"/#"+test.value; got != want {
				t.Errorf("the page heard %q, want %q", got, want)
			}
		})
	}
}
