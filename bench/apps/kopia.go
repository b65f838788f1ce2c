package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// kopia connects to a repository of backups, writes a policy for a folder, changes and deletes others, describes, pins and
// deletes snapshots, makes one, has itself mailed, and disconnects: pages that React draws with Bootstrap, parts that
// unfold, rows that are alike, dialogs of the page's and of the browser's own.
func kopia() *app {
	return &app{
		name: "kopia", about: "pages that React draws with Bootstrap, a long form in parts that unfold, rows that are alike, dialogs of the page's and of the browser's own, fields that hold something already", held: true,
		needs: []need{{program("kopia"), "go get github.com/kopia/kopia@v0.19.0"}},
		start: startKopia,
		named: map[string]string{"path": "user", "email": "sender", "email_2": "from", "email_3": "to", "password_2": "secret"},
		values: func(run int) values {
			return values{
				"place": fmt.Sprintf("/srv/farm/plot-%d", 12+run), "every": oneOf(run, "every 20 minutes", "every 3 hours", "every 12 hours", "every hour"), "times": fmt.Sprintf("%d:30\n%d:15", 5+run, 17+run), "cron": fmt.Sprintf("%d 4 * * 2", 21+run), "missed": oneOf(run, "yes", "no"), "latest": fmt.Sprint(31 + run), "daily": fmt.Sprint(61 + run), "same": oneOf(run, "no", "yes"),
				"ignored": fmt.Sprintf("*.tmp%d\n/old-%d", 3+run, 70+run), "packer": oneOf(run, "zstd-fastest", "pgzip-best-speed", "s2-better", "deflate-default"), "least": fmt.Sprint(4096 + 512*run), "script": fmt.Sprintf("/opt/farm/quiet-%d", 81+run), "wait": fmt.Sprint(91 + run), "mode": oneOf(run, "ignore failures", "run asynchronously, ignore failures"), "level": oneOf(run, "1 - minimal details", "0 - no output", "10 - maximum details"),
				"view": oneOf(run, "Local Path Policies", "All Policies"), "rows": oneOf(run, "Page Size 30", "Page Size 50", "Page Size 20", "Page Size 40"), "older": kopiaPlaces[run%3], "years": fmt.Sprint(13 + run), "gone": kopiaPlaces[3+run%5],
				"source": kopiaPlaces[(1+run)%len(kopiaPlaces)], "noted": kopiaNotes[run%4], "note": fmt.Sprintf("Looked at in 20%d", 31+run), "pinned": kopiaTime((1+run)%len(kopiaPlaces), (1+run)%4), "pin": fmt.Sprintf("keep-%d", 41+run), "dropped": kopiaTime((1+run)%len(kopiaPlaces), (2+run)%4),
				"fresh": oneOf(run, "/etc/security", "/etc/pam.d", "/etc/default", "/etc/profile.d", "/etc/init.d"), "months": fmt.Sprint(101 + run), "theme": oneOf(run, "pastel", "dark", "ocean"), "size": oneOf(run, "large", "medium"), "bytes": oneOf(run, "Base-2 (KiB, MiB, GiB, TiB)", "Base-10 (KB, MB, GB, TB)"),
				"profile": fmt.Sprintf("watch-%d", 51+run), "severity": oneOf(run, "Warning", "Verbose", "Error"), "server": fmt.Sprintf("mail%d.farm.example", 2+run), "port": fmt.Sprint(2525 + run), "sender": fmt.Sprintf("barn%d@farm.example", 6+run), "from": fmt.Sprintf("owl%d@farm.example", 7+run), "to": fmt.Sprintf("iris%d@farm.example", 8+run), "secret": fmt.Sprintf("Meadow-%d", 90+run), "format": oneOf(run, "HTML Format", "Plain Text Format"),
				"raised": kopiaProfiles[run%3], "higher": oneOf(run, "Error", "Success"), "ended": kopiaProfiles[len(kopiaProfiles)-1-run%5],
			}
		},
		signIn: func(p *person, who account) {
			p.click("[data-testid=provider-filesystem]")
			p.fill("input[name=path]", who.user)
			p.click("[data-testid=submit-button]")
			p.fill("input[name=password]", who.password)
			p.click("[data-testid=submit-button]")
			p.see("[data-testid=new-snapshot]")
		},
		flow: func(p *person, v values) {
			place := func(name string) string { return strings.ReplaceAll(name, "/", "%2F") }
			row := func(note string) string { return "tr:has([title^='" + note + "']) " }
			// The list has what was written last at its end, so that the one that was changed is no more before the others.
			profile := func(name string, gone int) string {
				return fmt.Sprintf("tbody tr:nth-child(%d) ", 1+slices.Index(kopiaProfiles, name)-gone)
			}
			p.click("[data-testid=tab-policies]")
			p.fill("input[name=policyPath]", v["place"])
			p.click("button{Set Policy}")
			p.choose("select[name='policy.scheduling.intervalSeconds']", v["every"])
			p.fill("textarea[name='policy.scheduling.timeOfDay']", v["times"])
			p.fill("textarea[name='policy.scheduling.cron']", v["cron"])
			p.choose("select[name='policy.scheduling.runMissed']", v["missed"])
			p.click(".accordion-button{Snapshot Retention}")
			p.fill("input[name='policy.retention.keepLatest']", v["latest"])
			p.fill("input[name='policy.retention.keepDaily']", v["daily"])
			p.choose("select[name='policy.retention.ignoreIdenticalSnapshots']", v["same"])
			p.click(".accordion-button{Files}")
			p.fill("textarea[name='policy.files.ignore']", v["ignored"])
			p.click("input[name='policy.files.noParentIgnore']")
			p.click(".accordion-button{Compression}")
			p.choose("select[name='policy.compression.compressorName']", v["packer"])
			p.fill("input[name='policy.compression.minSize']", v["least"])
			p.click(".accordion-button{Snapshot Actions}")
			p.fill("input[name='policy.actions.beforeSnapshotRoot.script']", v["script"])
			p.fill("input[name='policy.actions.beforeSnapshotRoot.timeout']", v["wait"])
			p.choose("select[name='policy.actions.beforeSnapshotRoot.mode']", v["mode"])
			p.click(".accordion-button{Logging}")
			p.choose("select[name='policy.logging.directories.ignored']", v["level"])
			p.click("[data-testid=button-save]")
			p.click("#dropdown-basic")
			p.click(".dropdown-item{" + v["view"] + "}")
			p.click("table ~ .dropdown button")
			p.click(".dropdown-item{" + v["rows"] + "}")
			p.click("[data-testid=edit-policy][href*='" + place(v["older"]) + "']")
			p.click(".accordion-button{Snapshot Retention}")
			p.refill("input[name='policy.retention.keepAnnual']", v["years"])
			p.click("[data-testid=button-save]")
			p.click("[data-testid=edit-policy][href*='" + place(v["gone"]) + "']")
			p.confirm("button{Delete Policy}")
			p.see("input[name=policyPath]")
			p.click("[data-testid=tab-snapshots]")
			p.click("a[href*=single-source][href*='" + place(v["source"]) + "']")
			p.click(row(v["noted"]) + ".snapshot-description-set")
			p.refill(".modal textarea", v["note"])
			p.click(".modal button{Update Description}")
			p.click(row(kopiaNote(v["pinned"])) + "a[title^='Add a pin']")
			p.refill(".modal input", v["pin"])
			p.click(".modal button{Add Pin}")
			p.see(row(kopiaNote(v["pinned"])) + ".badge[class*=pin]")
			p.click(row(kopiaNote(v["dropped"])) + "input[type=checkbox]")
			p.click("button{Delete Selected (1)}")
			p.click(".modal button{Delete}")
			p.click("[data-testid=tab-snapshots]")
			p.click("[data-testid=new-snapshot]")
			p.at("snapshots/new")
			p.see("h5{My Repository}") // all moves down as it comes
			p.fill("input[name=path]", v["fresh"])
			p.click(".accordion-button{Snapshot Retention}")
			p.fill("input[name='policy.retention.keepMonthly']", v["months"])
			p.click("[data-testid=snapshot-now]")
			p.see("tr:has(a[href*='" + place(v["fresh"]) + "']) [data-testid=snapshot-now]")
			p.click("[data-testid=tab-preferences]")
			p.choose("#themeSelector", v["theme"])
			p.choose("#fontSizeInput", v["size"])
			p.choose("#bytesBaseInput", v["bytes"])
			p.click("#preferences-tab-notifications")
			p.click("#newProfileButton")
			p.click(".dropdown-item{E-mail}")
			p.refill("input[name='editedProfile.profile']", v["profile"])
			p.choose("select[name='editedProfile.minSeverity']", v["severity"])
			p.fill("input[name=smtpServer]", v["server"])
			p.refill("input[name=smtpPort]", v["port"])
			p.fill("input[name=smtpUsername]", v["sender"])
			p.fill("input[name=smtpPassword]", v["secret"])
			p.fill("input[name=from]", v["from"])
			p.fill("input[name=to]", v["to"])
			p.choose("select[name=format]", v["format"])
			p.click("button{Create Profile}")
			p.click(profile(v["raised"], 0) + "button{Edit}")
			p.choose("select[name='editedProfile.minSeverity']", v["higher"])
			p.click("button{Update Profile}")
			p.confirm(profile(v["ended"], 1) + "button{Delete}")
			p.click("[data-testid=tab-repo]")
			p.click("[data-testid=disconnect]")
			p.see("[data-testid=provider-filesystem]")
		},
		want: func(s state, who account, v values) {
			type object = map[string]any
			of := filepath.Base(who.user) + " "
			whole := func(name string) int { n, _ := strconv.Atoi(v[name]); return n } // all of them are numbers
			var times []object
			for _, one := range strings.Split(v["times"], "\n") {
				hour, minute, _ := strings.Cut(one, ":")
				h, _ := strconv.Atoi(hour)
				m, _ := strconv.Atoi(minute)
				times = append(times, object{"hour": h, "min": m})
			}
			yes := map[string]bool{"yes": true, "no": false}
			level, _ := strconv.Atoi(strings.Fields(v["level"])[0])
			s[of+"policy "+v["place"]] = kopiaText(object{
				"scheduling":  object{"intervalSeconds": map[string]int{"every 20 minutes": 1200, "every hour": 3600, "every 3 hours": 10800, "every 12 hours": 43200}[v["every"]], "timeOfDay": times, "cron": []string{v["cron"]}, "runMissed": yes[v["missed"]]},
				"retention":   object{"keepLatest": whole("latest"), "keepDaily": whole("daily"), "ignoreIdenticalSnapshots": yes[v["same"]]},
				"files":       object{"ignore": strings.Split(v["ignored"], "\n"), "noParentIgnore": true},
				"compression": object{"compressorName": v["packer"], "minSize": whole("least")},
				"actions":     object{"beforeSnapshotRoot": object{"script": v["script"], "timeout": whole("wait"), "mode": map[string]string{"ignore failures": "optional", "run asynchronously, ignore failures": "async"}[v["mode"]]}},
				"logging":     object{"directories": object{"ignored": level}},
			})
			s[of+"policy "+v["older"]] = kopiaPolicy(whole("years"))
			delete(s, of+"policy "+v["gone"])
			at := of + "snapshot " + v["source"] + " "
			delete(s, at+v["noted"])
			delete(s, at+kopiaNote(v["dropped"]))
			s[at+v["note"]], s[at+kopiaNote(v["pinned"])] = "", v["pin"]
			add(s, of+"snapshot "+v["fresh"]+" ", "")
			s[of+"policy "+v["fresh"]] = kopiaText(object{"retention": object{"keepMonthly": whole("months")}})
			s["rows"], s["theme"], s["size"], s["bytes"] = strings.Fields(v["rows"])[2], v["theme"], map[string]string{"large": "fs-4", "medium": "fs-5"}[v["size"]], fmt.Sprint(strings.HasPrefix(v["bytes"], "Base-2"))
			severity := map[string]string{"Verbose": "-100", "Success": "-10", "Warning": "10", "Error": "20"}
			s[of+"profile "+v["profile"]] = strings.Join([]string{"email", v["server"], v["port"], v["sender"], v["secret"], v["from"], v["to"], map[string]string{"HTML Format": "html", "Plain Text Format": "txt"}[v["format"]], severity[v["severity"]]}, "|")
			s[of+"profile "+v["raised"]] = kopiaProfile(v["raised"], severity[v["higher"]])
			delete(s, of+"profile "+v["ended"])
		},
	}
}

// kopiaPlaces are folders that there are policies and snapshots of before, kopiaNotes what is said of the snapshots of
// each, and kopiaProfiles whom it writes to.
var (
	kopiaPlaces   = []string{"/srv/farm/apiary", "/srv/farm/barn", "/srv/farm/coop", "/srv/farm/dairy", "/srv/farm/field", "/srv/farm/garden", "/srv/farm/hayloft", "/srv/farm/mill"}
	kopiaNotes    = []string{"Before sowing", "After sowing", "Before harvest", "After harvest"}
	kopiaProfiles = []string{"alma", "bert", "cleo", "dora", "emil", "fritz", "gerda", "hugo"}
)

// kopiaTime is when a snapshot was made, as its row says it, and kopiaNote what is said of that one.
func kopiaTime(place, note int) string { return fmt.Sprintf("%d/1%d/2026, 8:00:00 AM", 1+place, note) }

func kopiaNote(at string) string {
	return kopiaNotes[slices.IndexFunc(kopiaNotes, func(note string) bool {
		return strings.Contains(at, fmt.Sprintf("/1%d/", slices.Index(kopiaNotes, note)))
	})]
}

// kopiaPolicy is a policy that is there before, with how many years it goes back.
func kopiaPolicy(years int) string {
	return kopiaText(map[string]any{"retention": map[string]any{"keepAnnual": years}, "scheduling": map[string]any{"manual": true}})
}

// kopiaProfile is a profile that is there before.
func kopiaProfile(name, severity string) string {
	return strings.Join([]string{"email", "mail.farm.example", "587", name, "Letters-1", "farm@farm.example", name + "@farm.example", "txt", severity}, "|")
}

// kopiaText writes what a policy holds, in an order of its own, without the parts that hold nothing.
func kopiaText(policy map[string]any) string {
	var prune func(part map[string]any)
	prune = func(part map[string]any) {
		for key, value := range part {
			if inner, is := value.(map[string]any); is {
				prune(inner)
				if len(inner) == 0 {
					delete(part, key)
				}
			}
		}
	}
	prune(policy)
	text, err := json.Marshal(policy)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// kopiaVault is a repository that its own program asks: its settings lie in a file of their own.
type kopiaVault struct {
	h        *host
	settings string
	account  account
}

func (k *kopiaVault) run(ctx context.Context, args ...string) (string, error) {
	out, err := k.h.run(ctx, kopiaEnvironment(k.h), program("kopia"), append([]string{"--config-file=" + k.settings, "--password=" + k.account.password, "--log-level=error", "--no-progress"}, args...)...)
	return strings.TrimSpace(out), err
}

func kopiaEnvironment(h *host) []string {
	return []string{"HOME=" + h.dir, "KOPIA_CHECK_FOR_UPDATES=false"}
}

// make makes the repository, with what is there before.
func (k *kopiaVault) make(ctx context.Context) error {
	if err := os.MkdirAll(k.account.user, 0o755); err != nil {
		return err
	}
	if _, err := k.run(ctx, "repository", "create", "filesystem", "--path="+k.account.user, "--max-list-cache-duration=0s", "--cache-directory="+k.settings+".cache"); err != nil {
		return err
	}
	for i, place := range kopiaPlaces {
		if _, err := k.run(ctx, "policy", "set", place, fmt.Sprint("--keep-annual=", 3+i), "--manual"); err != nil {
			return err
		}
		for j, note := range kopiaNotes {
			if err := k.h.write("data/file", fmt.Sprint(place, note)); err != nil { // each has something else in it
				return err
			}
			if _, err := k.run(ctx, "snapshot", "create", k.h.path("data"), "--override-source="+place, "--description="+note, fmt.Sprintf("--start-time=2026-0%d-1%d 08:00:00 UTC", 1+i, j)); err != nil {
				return err
			}
		}
	}
	for _, name := range kopiaProfiles {
		if _, err := k.run(ctx, "notification", "profile", "configure", "email", "--profile-name="+name, "--min-severity=report", "--smtp-server=mail.farm.example", "--smtp-port=587", "--smtp-username="+name, "--smtp-password=Letters-1", "--mail-from=farm@farm.example", "--mail-to="+name+"@farm.example", "--format=txt"); err != nil {
			return err
		}
	}
	return nil
}

// read adds what the repository holds.
func (k *kopiaVault) read(ctx context.Context, s state) error {
	of := filepath.Base(k.account.user) + " "
	list := func(into any, args ...string) error {
		out, err := k.run(ctx, args...)
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(out), into)
	}
	var policies []map[string]any
	var snapshots []struct {
		Source      struct{ Path string }
		Description string
		Pins        []string
	}
	var profiles []struct{ Profile string }
	if err := errors.Join(list(&policies, "policy", "list", "--json"), list(&snapshots, "snapshot", "list", "--all", "--json", "--show-identical"), list(&profiles, "notification", "profile", "list", "--json")); err != nil {
		return err
	}
	for _, p := range policies {
		place, _ := p["target"].(map[string]any)["path"].(string)
		delete(p, "id")
		delete(p, "target")
		add(s, of+"policy "+place, kopiaText(p))
	}
	for _, one := range snapshots {
		add(s, of+"snapshot "+one.Source.Path+" "+one.Description, strings.Join(one.Pins, ","))
	}
	for _, one := range profiles {
		var all struct {
			MinSeverity int
			Method      struct {
				Type   string
				Config struct {
					SMTPServer, SMTPUsername, SMTPPassword, From, To, CC, SMTPIdentity, Format string
					SMTPPort                                                                   int
				}
			}
		}
		if err := list(&all, "notification", "profile", "show", "--profile-name="+one.Profile, "--json", "--raw"); err != nil {
			return err
		}
		c := all.Method.Config
		add(s, of+"profile "+one.Profile, strings.Join([]string{all.Method.Type, c.SMTPServer, fmt.Sprint(c.SMTPPort), c.SMTPUsername, c.SMTPPassword, c.From, c.To + c.CC + c.SMTPIdentity, c.Format, fmt.Sprint(all.MinSeverity)}, "|"))
	}
	return nil
}

func startKopia(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{h.path("vaults", "ada"), "Analytical-7"}, {h.path("vaults", "grace"), "Compiler-19"}}
	var vaults []*kopiaVault
	for _, who := range accounts {
		vault := &kopiaVault{h, who.user + ".config", who}
		if err := vault.make(ctx); err != nil {
			return nil, err
		}
		vaults = append(vaults, vault)
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.write("preferences.json", "{}"); err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	server, err := h.serve(h.dir, kopiaEnvironment(h), program("kopia"), "server", "start", "--config-file="+h.path("server.config"), "--address="+strings.TrimSuffix(url, "/"), "--insecure", "--without-password", "--disable-csrf-token-checks", "--ui-preferences-file="+h.path("preferences.json"))
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		// One who stopped halfway has not disconnected: the next begins where one who is not connected does.
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"api/v1/repo/disconnect", bytes.NewReader([]byte("{}")))
		if err != nil {
			return nil, err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		if err := res.Body.Close(); err != nil {
			return nil, err
		}
		s := state{}
		for _, vault := range vaults {
			if err := vault.read(ctx, s); err != nil {
				return nil, err
			}
		}
		var set struct {
			PageSize         int
			BytesStringBase2 any
			Theme, FontSize  string
		}
		if err := readJSON(h.path("preferences.json"), &set); err != nil {
			return nil, err
		}
		s["rows"], s["theme"], s["size"], s["bytes"] = fmt.Sprint(set.PageSize), set.Theme, set.FontSize, fmt.Sprint(set.BytesStringBase2)
		return s, nil
	}
	return &site{url: url, accounts: accounts, state: read}, nil
}
