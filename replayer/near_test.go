package replayer_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// A control is found by words next to it: in the nearest part of the page around them that holds one such control.
func TestAControlIsNextToItsWords(t *testing.T) {
	t.Parallel()
	row := func(title, inner string) string { return "<li><b>" + title + "</b> " + inner + "</li>" }
	one := func(of string) string { return fmt.Sprintf(`<button data-k=%s>Delete</button>`, of) }
	const path = `["text/Quinces", "near/aria/Delete[role=\"button\"]"]`
	for name, test := range map[string]struct {
		page, path, pressed string
		code                replayer.Code
	}{
		"a row":                               {row("Pears", one("p")) + row("Quinces", one("q")), path, "q", ""},
		"a heading above the list says it":    {"<h2>Quinces</h2><ul>" + row("Pears", one("p")) + row("Quinces", one("q")) + "</ul>", path, "q", ""},
		"a heading says it, and there is one": {"<h2>Quinces</h2><ul>" + row("Pears", one("p")) + "</ul>", path, "p", ""},
		"another control is hidden":           {row("Quinces", `<button hidden data-k=h>Delete</button>`+one("q")) + row("Pears", one("p")), path, "q", ""},
		"the words are in the control":        {one("p") + `<button data-k=q title=Delete><i>Quinces</i></button>`, `["text/Quinces", "near/[title=\"Delete\"]"]`, "q", ""},
		"in a shadow root": {`<div id=host></div><script>host.attachShadow({mode: "open"}).innerHTML = "<ul>` + row("Pears", "<button data-k=p>Delete</button>") + row("Quinces", "<button data-k=q>Delete</button>") + `</ul>"</script>`,
			`["#host", "text/Quinces", "near/aria/Delete[role=\"button\"]"]`, "q", ""},
		"a heading says it, and a row that says something else is recorded to be one level above": {"<h2>Quinces</h2><ul>" + row("Pears", one("p")) + "</ul>", path + `,"fingerprint":{"tag":"button","rise":1}`, "", replayer.NotFound},
		"two rows say it":          {row("Quinces", one("p")) + row("Quinces", one("q")), path, "", replayer.Ambiguous},
		"two controls of the row":  {row("Quinces", one("p")+one("q")), path, "", replayer.NotFound},
		"no row says it":           {row("Pears", one("p")) + row("Plums", one("q")), path, "", replayer.NotFound},
		"the row has another only": {row("Pears", one("p")) + row("Plums", one("q")) + row("Quinces", "<button>Rename</button>"), path, "", replayer.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const listen = `<script>addEventListener("click", (e) => { const at = e.composedPath().find((el) => el.dataset?.k); document.title = at ? at.dataset.k : "" })</script>`
			server := serve(t, "<title></title>"+test.page+listen)
			page := browsertest.Page(t, "about:blank")
			a := document(t, server.URL, fmt.Sprintf(`{"tool":"navigate","url":"%s/"},{"tool":"click","selector":%s,"effect":"write"}`, server.URL, test.path))
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 3 * time.Second})
			var refusal *replayer.Error
			if errors.As(err, &refusal); test.code == "" && err != nil || test.code != "" && (refusal == nil || refusal.Code != test.code) {
				t.Fatalf("it ended with %v, want %q", err, test.code)
			}
			if pressed := page.Rod().MustEval(`() => document.title`).Str(); pressed != test.pressed {
				t.Errorf("pressed was %q, want %q", pressed, test.pressed)
			}
		})
	}
}
