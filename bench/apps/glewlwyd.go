package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"slices"
	"strings"
)

// glewlwyd makes a scope, a user and a client of a single sign-on, edits a scope and a user, and deletes one of each:
// pages of React with Bootstrap 4 that stand side by side in a carousel, dialogs, menus in place of lists, sets of words
// that are added and taken away, a notice that lies over a button for a while.
func glewlwyd() *app {
	return &app{
		name: "glewlwyd", about: "pages of React and Bootstrap 4 side by side in a carousel, dialogs, menus in place of lists, sets of words, icons for buttons in rows", held: true,
		needs: append([]need{{"/usr/bin/glewlwyd", "apt-get install glewlwyd"}}, phpNeeds...),
		start: startGlewlwyd,
		values: func(run int) values {
			n := 12 + run
			return values{
				"scope": oneOf(run, "seeds", "hides", "wools") + fmt.Sprint(n), "shown": fmt.Sprintf("What shed %d holds", n), "about": fmt.Sprintf("Who may see row %d", 2*n), "age": fmt.Sprint(300 + n),
				"known": glewlwydScopes[run%4], "retitled": fmt.Sprintf("The %d of spring", 3*n),
				"login": oneOf(run, "wilma", "xaver", "yvonne") + fmt.Sprint(n), "secret": glewlwydSecret(run), "name": oneOf(run, "Nora", "Hugo", "Mina") + fmt.Sprintf(" Hill %d", n), "mail": fmt.Sprintf("shed%d@farm.example", n),
				"may": glewlwydScopes[(1+run)%4], "code": fmt.Sprintf("GATE-%d", 7*n),
				"edited": glewlwydUsers[run%4], "renamed": fmt.Sprintf("Keeper of shed %d", n), "gone": glewlwydUsers[4+(1+run)%4],
				"client": oneOf(run, "tills", "scales", "gates") + fmt.Sprint(n), "called": fmt.Sprintf("Machine %d", 5*n), "back": fmt.Sprintf("https://shed%d.farm.example/back", n), "other": fmt.Sprintf("https://shed%d.farm.example/other", n),
				"use": glewlwydScopes[(2+run)%4], "kind": oneOf(run, "client_credentials", "device_authorization", "delete_token"), "mode": oneOf(run, "fragment", "form_post", "query"), "key": fmt.Sprintf("Hazel-%d-nuts", n),
				"ended": glewlwydClients[4+(2+run)%4], "dropped": glewlwydScopes[4+(3+run)%4],
			}
		},
		named: map[string]string{
			"name": "scope", "username_2": "login", "new_password": "secret", "name_2": "name", "email": "mail", "name_3": "renamed", "name_4": "called", "secret": "key",
		},
		signIn: func(p *person, who account) {
			p.click("button[title='Log in']")
			p.fill("#username", who.user)
			p.fill("#password", who.password)
			p.click("#loginbut")
			p.click("button[title='Continue to client application']")
			p.see(".carousel-item.active tbody tr:nth-child(3)")
		},
		flow: func(p *person, v values) {
			const record, scope = "#editRecordModal ", "#editScopeModal "
			part := func(name string) { p.click(".navbar-nav a.nav-link{" + name + "}") }
			press := func(names []string, name, title string) {
				all := slices.Clone(names)
				slices.Sort(all)
				p.click(fmt.Sprintf(".carousel-item.active tbody tr:nth-child(%d) button[title='%s']", 1+slices.Index(all, name), title))
			}
			pick := func(list, text string) {
				p.click(record + list)
				p.click(record + list + " + .dropdown-menu .dropdown-item{" + text + "}")
			}
			part("Scopes")
			p.click(".carousel-item.active button[title=Add]")
			p.fill("#scope-name", v["scope"])
			p.fill("#scope-display-name", v["shown"])
			p.fill("#scope-description", v["about"])
			p.refill("#password-max-age", v["age"])
			p.click(scope + ".btn-primary")
			scopes := append(slices.Clone(glewlwydScopes), "g_admin", "g_profile", "openid", v["scope"])
			press(scopes, v["known"], "Edit")
			p.refill("#scope-display-name", v["retitled"])
			p.click("#scope-scheme-password")
			p.click(scope + ".btn-primary")
			part("Users")
			p.click(".carousel-item.active button[title='Add a user']")
			p.fill("#modal-edit-username", v["login"])
			p.fill("#modal-edit-password", v["secret"])
			p.fill("#modal-edit-confirmpassword", v["secret"])
			p.fill("#modal-edit-name", v["name"])
			p.fill("#modal-edit-email", v["mail"])
			pick("#modal-edit-scope", v["may"])
			pick("#modal-edit-scope", v["scope"])
			p.fill("#modal-edit-user-code", v["code"])
			p.click(record + ".btn-primary:not(.dropdown-toggle){OK}")
			users := append(slices.Clone(glewlwydUsers), "ada", "admin", "grace", v["login"])
			press(users, v["edited"], "Edit")
			p.refill("#modal-edit-name", v["renamed"])
			p.click(record + ".badge-primary .badge-light")
			p.click("#modal-edit-enabled")
			p.click(record + ".modal-footer button{OK}")
			p.fill(".carousel-item.active input[type=search]", v["gone"])
			p.click(".carousel-item.active button[type=submit]")
			p.click(".carousel-item.active tbody tr:nth-last-child(2):first-child button[title=Delete]")
			p.click("#confirmModal .btn-primary")
			part("Clients")
			p.click(".carousel-item.active button[title='Add a client']")
			p.fill("#modal-edit-client_id", v["client"])
			p.fill("#modal-edit-name", v["called"])
			pick("#modal-edit-scope", v["use"])
			p.fill("#modal-edit-redirect_uri", v["back"])
			p.click(record + "#modal-edit-redirect_uri + .input-group-append button")
			p.fill("#modal-edit-redirect_uri", v["other"])
			p.click(record + "#modal-edit-redirect_uri + .input-group-append button")
			pick("#modal-edit-authorization_type", v["kind"])
			pick("#modal-edit-response_mode", v["mode"])
			p.click("#modal-edit-confidential")
			p.fill("#modal-edit-client_secret", v["key"])
			p.click(record + ".modal-footer button{OK}")
			press(append(slices.Clone(glewlwydClients), v["client"]), v["ended"], "Delete")
			p.click("#confirmModal .btn-primary")
			part("Scopes")
			press(scopes, v["dropped"], "Delete")
			p.click("#confirmModal .btn-primary")
		},
		want: func(s state, _ account, v values) {
			s["scope "+v["scope"]] = strings.Join([]string{v["shown"], v["about"], "1", v["age"]}, "|")
			s["scope "+v["known"]] = strings.Join([]string{v["retitled"], "All of the " + v["known"], "0", "0"}, "|")
			s["user "+v["login"]] = strings.Join([]string{v["name"], v["mail"], "1", glewlwydSet(v["may"], v["scope"]), "user-code=" + v["code"], v["secret"]}, "|")
			s["user "+v["edited"]] = strings.Join([]string{v["renamed"], v["edited"] + "@farm.example", "0", "openid", "", glewlwydOld}, "|")
			delete(s, "user "+v["gone"])
			s["client "+v["client"]] = strings.Join([]string{v["called"], "1", "1", v["use"], glewlwydSet(
				"authorization_type=code", "authorization_type=refresh_token", "authorization_type="+v["kind"], "client_secret="+v["key"], "redirect_uri="+v["back"],
				"redirect_uri="+v["other"], "response_mode="+v["mode"], "token_endpoint_auth_method=client_secret_basic"), ""}, "|")
			delete(s, "client "+v["ended"])
			delete(s, "scope "+v["dropped"])
		},
	}
}

// These are there before, as the tables show them.
var (
	glewlwydScopes  = []string{"barn", "dairy", "forge", "garden", "kiln", "loft", "mill", "smithy"}
	glewlwydUsers   = []string{"alma", "bert", "cleo", "dora", "emil", "fritz", "gerda", "henry"}
	glewlwydClients = []string{"apiary", "bakery", "cellar", "dovecote", "engine", "ferry", "granary", "hatchery"}
)

func glewlwydSecret(run int) string { return fmt.Sprintf("Walnut-%d-trees", 55+run) }

// glewlwydOld stands for the password of all who are there before.
const glewlwydOld = "Chestnut-leaf-3"

// glewlwydSet writes what is in no order.
func glewlwydSet(all ...string) string {
	slices.Sort(all)
	return strings.Join(all, ",")
}

// glewlwydTables makes the tables of its package, and takes settings from where they are in a system.
const glewlwydTables = `set -e
sqlite3 glewlwyd.db </usr/share/dbconfig-common/data/glewlwyd/install/sqlite3
sed -E '/^@include|^#|^(log_|external_url|static_files_path|port)/d' /etc/glewlwyd/glewlwyd.conf >settings.conf
cp -rL /usr/share/glewlwyd/webapp pages
rm -r pages/config.json
cp /etc/glewlwyd/config-2.7.json/config.json pages/
`

func startGlewlwyd(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	if _, err := h.run(ctx, nil, "sh", "-c", glewlwydTables); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	settings, err := os.ReadFile(h.path("settings.conf"))
	if err != nil {
		return nil, err
	}
	const more = "\nport=%d\nbind_address=\"127.0.0.1\"\nexternal_url=\"%s\"\nlog_mode=\"console\"\nlog_level=\"WARNING\"\nstatic_files_path=\"%s/\"\ndatabase = { type = \"sqlite3\"; path = \"%s\"; };\n"
	if err := h.write("settings.conf", string(settings)+fmt.Sprintf(more, port, url, h.path("pages"), h.path("glewlwyd.db"))); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "glewlwyd", "-c", h.path("settings.conf"))
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers(url+"index.html")); err != nil {
		return nil, err
	}
	r := &glewlwydReader{h: h, url: url + "api/", known: map[string]string{}}
	if err := r.seed(ctx, accounts); err != nil {
		return nil, err
	}
	return &site{url: url, accounts: accounts, state: r.read}, nil
}

// glewlwydReader reads the program's database, and asks the program whose password one is.
type glewlwydReader struct {
	h     *host
	url   string
	known map[string]string // by the hash
}

// post sends JSON, and reports whether it was taken.
func (r *glewlwydReader) post(ctx context.Context, client *http.Client, path string, what any) (bool, error) {
	text, err := json.Marshal(what)
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return false, err
	}
	return res.StatusCode == http.StatusOK, res.Body.Close()
}

func (r *glewlwydReader) seed(ctx context.Context, accounts [2]account) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	var failure error
	post := func(path string, what any) {
		if failure != nil {
			return
		}
		taken, err := r.post(ctx, client, path, what)
		if failure = err; err == nil && !taken {
			failure = fmt.Errorf("%s is not taken: %v", path, what)
		}
	}
	type object = map[string]any
	post("auth/", object{"username": "admin", "password": "password"}) // of its package
	for _, who := range accounts {
		post("user/?source=database", object{"username": who.user, "password": who.password, "name": who.user, "enabled": true, "scope": []string{"g_admin", "g_profile"}})
	}
	for _, name := range glewlwydScopes {
		post("scope/", object{"name": name, "display_name": "The " + name, "description": "All of the " + name, "password_required": true, "password_max_age": 0})
	}
	for _, name := range glewlwydUsers {
		post("user/?source=database", object{"username": name, "password": glewlwydOld, "name": name + " of the farm", "email": name + "@farm.example", "enabled": true, "scope": []string{"g_profile", "openid"}})
	}
	for _, name := range glewlwydClients {
		post("client/?source=database", object{
			"client_id": name, "name": "The " + name, "confidential": false, "enabled": true, "scope": []string{"barn"},
			"redirect_uri": []string{"https://" + name + ".example/"}, "authorization_type": []string{"code"},
		})
	}
	return failure
}

func (r *glewlwydReader) read(ctx context.Context) (state, error) {
	queries := map[string]string{
		"scope": `select gs_name, gs_display_name, gs_description, gs_password_required, gs_password_max_age from g_scope`,
		"user": `select gu_username, gu_name, gu_email, gu_enabled,
			(select group_concat(gus_name) from g_user_scope_user join g_user_scope using (gus_id) where gu_id = g_user.gu_id),
			(select group_concat(gup_name || '=' || gup_value) from g_user_property where gu_id = g_user.gu_id and gup_value != ''),
			(select group_concat(guw_password) from g_user_password where gu_id = g_user.gu_id) from g_user`,
		"client": `select gc_client_id, gc_name, gc_confidential, gc_enabled,
			(select group_concat(gcs_name) from g_client_scope_client join g_client_scope using (gcs_id) where gc_id = g_client.gc_id),
			(select group_concat(gcp_name || '=' || gcp_value) from g_client_property where gc_id = g_client.gc_id and gcp_value != ''), ifnull(gc_password, '') from g_client`,
	}
	s := state{}
	for kind, query := range queries {
		rows, err := r.h.sqlite(ctx, r.h.path("glewlwyd.db"), query)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if kind != "scope" {
				for i := 4; i < 6; i++ {
					row[i] = glewlwydSet(strings.Split(row[i], ",")...)
				}
			}
			if kind == "user" {
				if row[6], err = r.secret(ctx, row[0], row[6]); err != nil {
					return nil, err
				}
			}
			add(s, kind+" "+row[0], strings.Join(row[1:], "|"))
		}
	}
	return s, nil
}

// secret is the password of someone who was not there before.
func (r *glewlwydReader) secret(ctx context.Context, user, hash string) (string, error) {
	if slices.Contains(glewlwydUsers, user) {
		return glewlwydOld, nil // none of them is given another
	}
	if secret, is := r.known[hash]; is {
		return secret, nil
	}
	for run := range 20 { // as many as there may be runs
		taken, err := r.post(ctx, http.DefaultClient, "auth/", map[string]any{"username": user, "password": glewlwydSecret(run)})
		if err != nil {
			return "", err
		}
		if taken {
			r.known[hash] = glewlwydSecret(run)
			break
		}
	}
	return r.known[hash], nil
}
