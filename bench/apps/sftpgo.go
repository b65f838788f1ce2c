package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sftpgo makes a folder and a user with limits and a last day, edits a group and another user, and deletes a user and a
// folder: long forms in parts that unfold, lists that a script draws, a calendar, tables with a menu in each row.
func sftpgo() *app {
	return &app{
		name: "sftpgo", about: "long forms in parts that unfold, lists that a script draws, a calendar, tables with a menu in each row, dialogs", held: true,
		needs: sftpgoNeeds(),
		start: startSFTPGo,
		values: func(run int) values {
			return values{
				"folder": oneOf(run, "seeds", "hides", "wools") + fmt.Sprint(3+run), "of": fmt.Sprintf("What shed %d holds", 21+run), "at": fmt.Sprintf("/srv/farm/shed%d", 31+run),
				"group": sftpgoGroups[run%len(sftpgoGroups)], "about": fmt.Sprintf("Who works in row %d", 41+run),
				"login": oneOf(run, "wilma", "xaver", "yvonne") + fmt.Sprint(5+run), "secret": sftpgoSecret(run), "primary": sftpgoGroups[(2+run)%len(sftpgoGroups)],
				"path": fmt.Sprintf("/shared%d", 6+run), "shared": sftpgoFolders[run%len(sftpgoFolders)], "part": fmt.Sprint(7 + run),
				"month": oneOf(run, "March", "August", "May", "October"), "year": fmt.Sprint(2031 + run), "day": fmt.Sprint(11 + run%15), "mail": fmt.Sprintf("shed%d@farm.example", 8+run), "days": fmt.Sprint(91 + run), "note": fmt.Sprintf("Comes on day %d", 2+run),
				"may": oneOf(run, "download", "list", "upload"), "denied": oneOf(run, "FTP", "DAV", "SSH"), "sessions": fmt.Sprint(3 + run),
				"size": fmt.Sprintf("%dGB", 12+run), "files": fmt.Sprint(1200 + run), "speed": fmt.Sprint(512 + run),
				"known": sftpgoUsers[run%4], "status": oneOf(run, "Inactive", "Active"), "noted": fmt.Sprintf("Left on day %d", 13+run),
				"gone": sftpgoUsers[4+run%4], "dropped": sftpgoFolders[4+run%4],
			}
		},
		named: map[string]string{"name": "folder", "username_2": "login", "new_password": "secret", "email": "mail"},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("#sign_in_submit")
		},
		flow: func(p *person, v values) {
			pick := func(list, text string) {
				p.click(list + " + .select2 .select2-selection")
				p.click(".select2-container--open [role=option]{" + text + "}")
			}
			row := func(names []string, name string) string {
				return fmt.Sprintf("#dataTable tbody tr:nth-child(%d) ", 1+slices.Index(names, name))
			}
			p.click("a.menu-link[href='/web/admin/folders']")
			p.click("a.btn[href='/web/admin/folder']")
			p.fill("#idFolderName", v["folder"])
			p.fill("#idDescription", v["of"])
			p.fill("#idMappedPath", v["at"])
			p.click("#form_submit")
			p.see("#dataTable")
			p.click("a.menu-link[href='/web/admin/groups']")
			p.click(row(sftpgoGroups, v["group"]) + "button")
			p.click(row(sftpgoGroups, v["group"]) + "[data-table-action=edit_row]")
			p.refill("#idDescription", v["about"])
			p.click("#form_submit")
			p.see("#dataTable")
			p.click("a.menu-link[href='/web/admin/users']")
			p.click("a.btn[href='/web/admin/user']")
			p.fill("#idUsername", v["login"])
			p.fill("#idPassword", v["secret"])
			pick("#idPrimaryGroup", v["primary"])
			p.fill("[name='virtual_folders[0][vfolder_path]']", v["path"])
			pick("[name='virtual_folders[0][vfolder_name]']", v["shared"])
			p.fill("[name='virtual_folders[0][vfolder_quota_size]']", "0")
			p.fill("[name='virtual_folders[0][vfolder_quota_files]']", v["part"])
			p.click(".accordion-button{Profile}")
			p.click("#id_expiration")
			p.choose(".flatpickr-calendar.open select", v["month"])
			p.refill(".flatpickr-calendar.open .cur-year", v["year"])
			p.click(".flatpickr-calendar.open .flatpickr-day:not(.prevMonthDay):not(.nextMonthDay){" + v["day"] + "}")
			p.fill("#idEmail", v["mail"])
			p.refill("#idPasswordExpiration", v["days"])
			p.fill("#idDescription", v["note"])
			p.click(".accordion-button{ACLs}")
			p.click("#idPermissions + .select2 .select2-selection__choice__remove")
			p.click(".select2-container--open [role=option]{" + v["may"] + "}")
			pick("#idProtocols", v["denied"])
			p.refill("#idMaxSessions", v["sessions"])
			p.click(".accordion-button{Disk quota and bandwidth limits}")
			p.refill("#idQuotaSize", v["size"])
			p.refill("#idQuotaFiles", v["files"])
			p.refill("#idUploadBandwidth", v["speed"])
			p.click("#form_submit")
			p.see("#dataTable")
			p.click(row(sftpgoUsers, v["known"]) + "button")
			p.click(row(sftpgoUsers, v["known"]) + "[data-table-action=edit_row]")
			p.click(".accordion-button{Profile}")
			pick("#idStatus", v["status"])
			p.refill("#idDescription", v["noted"])
			p.click("#form_submit")
			p.see("#dataTable")
			p.fill("[data-table-filter=search]", v["gone"])
			p.click("#dataTable tbody tr button")
			p.click("#dataTable tbody tr [data-table-action=delete_row]")
			p.click("#modal_alert_ok")
			p.click("a.menu-link[href='/web/admin/folders']")
			p.click(row(sftpgoFolders, v["dropped"]) + "button")
			p.click(row(sftpgoFolders, v["dropped"]) + "[data-table-action=delete_row]")
			p.click("#modal_alert_ok")
		},
		want: func(s state, who account, v values) {
			s["folder "+v["folder"]] = v["at"] + "|" + v["of"]
			s["group "+v["group"]] = v["about"]
			until, err := time.Parse("2 January 2006", strings.Join([]string{v["day"], v["month"], v["year"]}, " "))
			if err != nil {
				s["date"] = err.Error()
			}
			var size int
			if _, err := fmt.Sscanf(v["size"], "%dGB", &size); err != nil {
				s["size"] = err.Error()
			}
			s["user "+v["login"]] = sftpgoText(&sftpgoUser{
				Status: 1, ExpirationDate: until.UnixMilli(), Email: v["mail"], Description: v["note"], Permissions: map[string][]string{"/": {v["may"]}},
				QuotaSize: int64(size) * 1e9, Groups: []sftpgoGroup{{v["primary"], 1}}, VirtualFolders: []sftpgoShare{{v["shared"], v["path"], 0, json.Number(v["part"])}},
				QuotaFiles: json.Number(v["files"]), MaxSessions: json.Number(v["sessions"]), UploadBandwidth: json.Number(v["speed"]),
				Filters: sftpgoFilters{[]string{v["denied"]}, json.Number(v["days"])}, Password: v["secret"],
			})
			status := map[string]int{"Active": 1}[v["status"]]
			s["user "+v["known"]] = sftpgoText(sftpgoOld(status, v["noted"]))
			delete(s, "user "+v["gone"])
			delete(s, "folder "+v["dropped"])
		},
	}
}

// These are there before, as the tables show them.
var (
	sftpgoUsers   = []string{"alma", "bert", "cleo", "dora", "emil", "fritz", "gerda", "hugo"}
	sftpgoGroups  = []string{"coopers", "drovers", "millers", "reapers", "thatchers"}
	sftpgoFolders = []string{"apiary", "barn", "dairy", "forge", "garden", "kiln", "loft", "mill"}
)

func sftpgoSecret(run int) string { return fmt.Sprintf("Walnut-%d-trees", 55+run) }

// sftpgoUser is a user as the program writes it out.
type sftpgoUser struct {
	Username        string              `json:"username"`
	Password        string              `json:"password,omitempty"`
	Status          int                 `json:"status"`
	ExpirationDate  int64               `json:"expiration_date"`
	Email           string              `json:"email,omitempty"`
	Description     string              `json:"description,omitempty"`
	HomeDir         string              `json:"home_dir,omitempty"`
	Permissions     map[string][]string `json:"permissions"`
	QuotaSize       int64               `json:"quota_size"`
	QuotaFiles      json.Number         `json:"quota_files"`
	MaxSessions     json.Number         `json:"max_sessions"`
	UploadBandwidth json.Number         `json:"upload_bandwidth"`
	Filters         sftpgoFilters       `json:"filters"`
	Groups          []sftpgoGroup       `json:"groups,omitempty"`
	VirtualFolders  []sftpgoShare       `json:"virtual_folders,omitempty"`
}

type sftpgoFilters struct {
	DeniedProtocols    []string    `json:"denied_protocols,omitempty"`
	PasswordExpiration json.Number `json:"password_expiration,omitempty"`
}

type sftpgoGroup struct {
	Name string `json:"name"`
	Type int    `json:"type"`
}

// sftpgoShare is a folder that a user finds at a path.
type sftpgoShare struct {
	Name        string      `json:"name"`
	VirtualPath string      `json:"virtual_path"`
	QuotaSize   int         `json:"quota_size"`
	QuotaFiles  json.Number `json:"quota_files"`
}

// sftpgoOld is a user that is there before.
func sftpgoOld(status int, description string) *sftpgoUser {
	return &sftpgoUser{Password: sftpgoBefore, Status: status, Description: description, Permissions: map[string][]string{"/": {"*"}}, QuotaFiles: "0", MaxSessions: "0", UploadBandwidth: "0"}
}

// sftpgoBefore is the password of all who are there before.
const sftpgoBefore = "Chestnut-leaf-3"

// sftpgoText writes what is set of a user, without its name and where its files are.
func sftpgoText(u *sftpgoUser) string {
	one := *u
	one.Username, one.HomeDir = "", ""
	text, err := json.Marshal(one)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// sftpgoModule is where its pages are, sftpgoScripts what its releases have besides, which a module may not hold: a
// folder "vendor".
const sftpgoModule = "github.com/drakkan/sftpgo/v2@v2.6.4"

var sftpgoScripts = map[npm]string{
	{"i18next", "23.16.8", ""}:                        "i18next/i18next.min.js",
	{"jquery-i18next", "1.2.1", ""}:                   "i18next/jquery-i18next.min.js",
	{"i18next-http-backend", "2.7.1", ""}:             "i18next/i18nextHttpBackend.min.js",
	{"i18next-localstorage-backend", "4.2.0", ""}:     "i18next/i18nextLocalStorageBackend.min.js",
	{"i18next-chained-backend", "4.6.2", ""}:          "i18next/i18nextChainedBackend.min.js",
	{"i18next-browser-languagedetector", "8.0.0", ""}: "i18next/i18nextBrowserLanguageDetector.min.js",
	{"humanize-duration", "3.32.1", ""}:               "humanize-duration/humanize-duration.js",
}

func sftpgoNeeds() []need {
	needs := []need{{program("sftpgo"), "go build -tags nosqlite " + sftpgoModule}}
	for script, file := range sftpgoScripts {
		needs = append(needs, script.needs(filepath.Join(script.name, filepath.Base(file)))...)
	}
	return needs
}

func startSFTPGo(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	if err := sftpgoFiles(ctx, h); err != nil {
		return nil, err
	}
	data := map[string][]any{}
	for _, who := range accounts {
		data["admins"] = append(data["admins"], map[string]any{"username": who.user, "password": who.password, "status": 1, "permissions": []string{"*"}})
	}
	for _, name := range sftpgoUsers {
		user := sftpgoOld(1, "Works for "+name)
		user.Username, user.HomeDir = name, h.path("files", name)
		data["users"] = append(data["users"], user)
	}
	for _, name := range sftpgoGroups {
		data["groups"] = append(data["groups"], map[string]any{"name": name, "description": "All " + name})
	}
	for _, name := range sftpgoFolders {
		data["folders"] = append(data["folders"], map[string]any{"name": name, "mapped_path": h.path("files", name), "description": "The " + name})
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	if err := h.write("data.json", string(text)); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	env := []string{
		"SFTPGO_DATA_PROVIDER__DRIVER=bolt", "SFTPGO_DATA_PROVIDER__NAME=" + h.path("sftpgo.db"), "SFTPGO_DATA_PROVIDER__USERS_BASE_DIR=" + h.path("files"),
		"SFTPGO_HTTPD__BINDINGS__0__ADDRESS=127.0.0.1", fmt.Sprint("SFTPGO_HTTPD__BINDINGS__0__PORT=", port), "SFTPGO_SFTPD__BINDINGS__0__PORT=0",
	}
	server, err := h.serve(h.dir, env, program("sftpgo"), "serve", "--config-dir", h.dir, "--log-file-path", "", "--loaddata-from", h.path("data.json"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url+"healthz")); err != nil {
		return nil, err
	}
	r := &sftpgoReader{h: h, url: url + "api/v2/", who: accounts[0], known: map[string]string{}}
	return &site{url: url + "web/admin", accounts: accounts, state: r.read}, nil
}

// sftpgoFiles lays out its pages and their scripts as a release has them.
func sftpgoFiles(ctx context.Context, h *host) error {
	cache, err := h.run(ctx, nil, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	for _, folder := range []string{"templates", "static", "openapi"} {
		if err := h.copyTree(ctx, filepath.Join(strings.TrimSpace(cache), sftpgoModule, folder), folder); err != nil {
			return err
		}
	}
	if _, err := h.run(ctx, nil, "chmod", "-R", "u+w", "static", "templates", "openapi"); err != nil { // and to be removed again
		return err
	}
	for script, file := range sftpgoScripts {
		text, err := os.ReadFile(h.npm(script, filepath.Join(script.name, filepath.Base(file))))
		if err != nil {
			return err
		}
		if !strings.HasSuffix(file, ".min.js") {
			file = strings.TrimSuffix(file, ".js") + ".min.js"
		}
		if err := h.write("static/vendor/"+file, string(text)); err != nil {
			return err
		}
	}
	return nil
}

// sftpgoReader has the program write out what it holds, and knows the passwords of the hashes that it has seen.
type sftpgoReader struct {
	h     *host
	url   string
	who   account
	known map[string]string
}

func (r *sftpgoReader) read(ctx context.Context) (state, error) {
	ask := func(path string, sign func(*http.Request), answer any) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+path, nil)
		if err != nil {
			return err
		}
		sign(req)
		return answered(http.DefaultClient, req, answer)
	}
	var token struct {
		AccessToken string `json:"access_token"`
	}
	var all struct {
		Users   []*sftpgoUser
		Groups  []struct{ Name, Description string }
		Folders []struct {
			Name, Description string
			MappedPath        string `json:"mapped_path"`
		}
	}
	err := errors.Join(ask("token", func(req *http.Request) { req.SetBasicAuth(r.who.user, r.who.password) }, &token),
		ask("dumpdata?output-data=1", func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+token.AccessToken) }, &all))
	if err != nil {
		return nil, err
	}
	s := state{}
	for _, user := range all.Users {
		if user.Password, err = r.secret(ctx, user.Password); err != nil {
			return nil, err
		}
		add(s, "user "+user.Username, sftpgoText(user))
	}
	for _, group := range all.Groups {
		add(s, "group "+group.Name, group.Description)
	}
	for _, folder := range all.Folders {
		add(s, "folder "+folder.Name, folder.MappedPath+"|"+folder.Description)
	}
	return s, nil
}

// secret is the password that a hash is of.
func (r *sftpgoReader) secret(ctx context.Context, hash string) (string, error) {
	if secret, is := r.known[hash]; is {
		return secret, nil
	}
	args := []string{"-e", firstMatch, hash, sftpgoBefore}
	for run := range 20 { // as many as there may be runs
		args = append(args, sftpgoSecret(run))
	}
	secret, err := r.h.run(ctx, nil, "perl", args...)
	if err == nil {
		r.known[hash] = secret
	}
	return secret, err
}
