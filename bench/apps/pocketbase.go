package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
)

// kinds of a note.
var kinds = []string{"idea", "task", "story"}

// pocketbase makes a record: a drawn list in a popover, a switch, an editor of rich text
// in a frame that comes late.
func pocketbase() *app {
	return &app{
		name: "pocketbase", about: "a list drawn in a popover, a switch, a rich-text editor in a frame that comes late", held: true,
		needs: append([]need{{program("base"), "go install github.com/pocketbase/pocketbase/examples/base@v0.39.0"}}, phpNeeds...),
		start: startPocketbase,
		values: func(run int) values {
			return values{"title": fmt.Sprintf("Mend roof %d", run), "body": fmt.Sprintf("Slates, %d of them.", run), "kind": oneOf(run, "task", "story", "idea")}
		},
		named: map[string]string{"identity": "user"},
		signIn: func(p *person, who account) {
			p.fill("#login_identity, input[name=identity]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("form button[type=submit], form button.btn:not([type=button])")
			p.see(".nav-group-regular-collections [title=notes], .nav-group-regular-collections a")
		},
		flow: func(p *person, v values) {
			p.click(".nav-group-regular-collections [title=notes], .nav-group-regular-collections a")
			p.click(".new-record-btn")
			p.fill(".record-upsert-modal textarea[name=title]", v["title"])
			p.click(".record-upsert-modal .field-type-select .selected-container")
			p.click(fmt.Sprintf(".record-upsert-modal .field-type-select .select-option:nth-of-type(%d)", 1+slices.Index(kinds, v["kind"])))
			p.click(".record-upsert-modal .field-type-bool label")
			p.fill(".record-upsert-modal .field-type-editor iframe >>> body", v["body"])
			p.click(".record-upsert-modal .modal-footer .btns button.expanded-lg")
			p.see("td[data-name=title], tbody td")
		},
		want: func(s state, who account, v values) {
			s["note "+v["title"]] = v["kind"] + "|1|<p>" + v["body"] + "</p>"
		},
	}
}

func startPocketbase(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada@example.com", "Analytical-7"}, {"grace@example.com", "Compiler-19"}}
	for _, who := range accounts {
		if _, err := h.run(ctx, nil, program("base"), "superuser", "create", who.user, who.password, "--dir", h.path("data")); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("127.0.0.1:%d", port)
	server, err := h.serve(h.dir, nil, program("base"), "serve", "--http", at, "--dir", h.path("data"))
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers("http://"+at+"/_/")); err != nil {
		return nil, err
	}
	var signedIn struct{ Token string }
	err = post(ctx, "http://"+at+"/api/collections/_superusers/auth-with-password", "", map[string]any{"identity": accounts[0].user, "password": accounts[0].password}, &signedIn)
	if err != nil {
		return nil, err
	}
	collection := map[string]any{"name": "notes", "type": "base", "fields": []any{
		map[string]any{"name": "title", "type": "text", "required": true},
		map[string]any{"name": "kind", "type": "select", "values": kinds, "maxSelect": 1},
		map[string]any{"name": "done", "type": "bool"},
		map[string]any{"name": "body", "type": "editor"},
	}}
	if err := post(ctx, "http://"+at+"/api/collections", signedIn.Token, collection, nil); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.sqlite(ctx, h.path("data/data.db"), "select title, kind, done, body from notes")
		s := state{}
		for _, r := range rows {
			add(s, "note "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	return &site{url: "http://" + at + "/_/", accounts: accounts, state: read}, nil
}

// post sends JSON, and reads the answer where there is something to read it into.
func post(ctx context.Context, url, token string, body, answer any) error {
	return postBy(ctx, http.DefaultClient, url, token, body, answer)
}

// cookieClient returns a client that keeps its cookies, as one has who signs in.
func cookieClient() *http.Client {
	jar, _ := cookiejar.New(nil) // it fails by its options alone
	return &http.Client{Jar: jar}
}

// postBy does so with a client of its own, which may know cookies.
func postBy(ctx context.Context, client *http.Client, url, token string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", token)
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(answer)
}
