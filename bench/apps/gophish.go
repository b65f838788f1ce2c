package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gophish makes a sending profile with a header, a message with formatted text and a campaign on a day, renames a group
// and changes who is in it, and deletes a page and a profile: dialogs of Bootstrap 3, sorted tables whose rows have
// icons for buttons, lists that a script draws, a calendar, an editor, questions that a script asks.
func gophish() *app {
	return &app{
		name: "gophish", about: "dialogs of Bootstrap 3, sorted tables with icons for buttons, lists that a script draws, a calendar, an editor in a frame, questions that a script asks", held: true,
		needs: append(gophishEditor.needs("ckeditor4/ckeditor.js"), need{"/usr/bin/gcc", "apt-get install gcc libc6-dev"}, need{program("gophish"), "cgo install " + gophishModule}),
		start: startGophish,
		values: func(run int) values {
			n := 12 + run
			member := gophishMembers[run%len(gophishMembers)]
			return values{
				"profile": fmt.Sprintf("Relay of shed %d", n), "from": fmt.Sprintf("Front desk <desk%d@farm.example>", n), "host": fmt.Sprintf("mail%d.farm.example:25", n),
				"login": fmt.Sprintf("relay%d", n), "secret": fmt.Sprintf("Walnut-%d-trees", n), "header": fmt.Sprintf("X-Shed-%d", n), "headed": fmt.Sprintf("row %d", 3*n),
				"message": oneOf(run, "Harvest", "Shearing", "Sowing") + fmt.Sprintf(" notice %d", n), "sender": fmt.Sprintf("Office <office%d@farm.example>", n),
				"subject": fmt.Sprintf("What is due on day %d", n), "text": fmt.Sprintf("Come to gate %d at noon.", n), "rich": fmt.Sprintf("come to gate %d", 2*n), "bold": fmt.Sprintf("at noon %d", n),
				"group": gophishGroups[run%4], "renamed": fmt.Sprintf("%s of row %d", oneOf(run, "Hands", "Helpers", "Keepers"), n), "leaves": member,
				"first": oneOf(run, "Nora", "Hugo", "Mina"), "last": fmt.Sprintf("Hill %d", n), "mail": fmt.Sprintf("new%d@farm.example", n), "does": fmt.Sprintf("Weaver %d", n),
				"gone":     gophishPages[4+run%4],
				"campaign": fmt.Sprintf("Drill %d", n), "template": gophishTemplates[run%len(gophishTemplates)], "page": gophishPages[(1+run)%4], "url": fmt.Sprintf("http://gate%d.farm.example", n),
				"day": fmt.Sprint(11 + run%15), "by": gophishProfiles[(2+run)%4], "to": gophishGroups[4+(1+run)%4],
				"dropped": gophishProfiles[4+(3+run)%4],
			}
		},
		named: map[string]string{
			"name": "profile", "username_2": "login", "password_2": "secret", "name_2": "message", "name_3": "renamed", "first_name": "first", "last_name": "last", "email": "mail", "name_4": "campaign",
		},
		signIn: func(p *person, who account) {
			p.fill("input[name=username]", who.user)
			p.fill("input[name=password]", who.password)
			p.click("button[type=submit]")
		},
		flow: func(p *person, v values) {
			menu := func(page string) { p.click(".nav-sidebar a[href='/" + page + "']") }
			pick := func(list, text string) {
				p.click(list + " + .select2 .select2-selection")
				p.typing(text)
				p.see(".select2-results__option--highlighted{" + text + "}")
				p.press("Enter")
			}
			sure := func(text string) {
				p.click(".swal2-confirm{" + text + "}")
				p.click(".swal2-confirm{OK}")
			}
			row := func(names []string, name string) string {
				return fmt.Sprintf("tbody tr:nth-child(%d) ", 1+slices.Index(names, name))
			}
			menu("sending_profiles")
			p.click("button{New Profile}")
			p.fill("#name", v["profile"])
			p.fill("#from", v["from"])
			p.fill("#host", v["host"])
			p.fill("#username", v["login"])
			p.fill("#password", v["secret"])
			p.click("label[for=ignore_cert_errors]")
			p.fill("#headerKey", v["header"])
			p.fill("#headerValue", v["headed"])
			p.click("#addCustomHeader")
			p.click("#modalSubmit")
			menu("templates")
			p.click("button{New Template}")
			p.fill("#name", v["message"])
			p.fill("#envelope-sender", v["sender"])
			p.fill("#subject", v["subject"])
			p.fill("#text_editor", v["text"])
			p.click("a[href='#html']")
			p.click("#html iframe >>> body")
			p.typing("Dear {{.Fi")
			p.see(".cke_autocomplete_opened li")
			p.press("Enter")
			p.typing(", " + v["rich"] + " ")
			p.press("b", "Control")
			p.typing(v["bold"])
			p.click("label[for=use_tracker_checkbox]")
			p.click("#modal #modalSubmit")
			menu("groups")
			p.click("#groupTable " + row(gophishGroups, v["group"]) + ".btn-primary")
			p.see("#targetsTable tbody tr:nth-child(4)")
			p.refill("#name", v["renamed"])
			p.click("#targetsTable " + row(gophishMembers, v["leaves"]) + ".fa-trash-o")
			p.fill("#firstName", v["first"])
			p.fill("#lastName", v["last"])
			p.fill("#email", v["mail"])
			p.fill("#position", v["does"])
			p.click("#targetForm button")
			p.click("#modalSubmit")
			menu("landing_pages")
			p.click("#pagesTable " + row(gophishPages, v["gone"]) + ".btn-danger")
			sure("Delete " + v["gone"])
			menu("campaigns")
			p.click("button{New Campaign}")
			p.fill("#name", v["campaign"])
			pick("#template", v["template"])
			pick("#page", v["page"])
			p.fill("#url", v["url"])
			p.click("#launch_date")
			p.click(".datepicker-days th.next")
			p.click(".datepicker-days td.day:not(.old):not(.new){" + v["day"] + "}")
			p.click("#campaignModalLabel") // the calendar lies over what comes next
			pick("#profile", v["by"])
			pick("#users", v["to"])
			p.click("#launchButton")
			sure("Launch")
			p.at("/campaigns/")
			menu("sending_profiles")
			p.fill("#profileTable_filter input", v["dropped"])
			p.click("#profileTable tbody tr .btn-danger")
			sure("Delete " + v["dropped"])
		},
		want: func(s state, who account, v values) {
			of := who.user + " "
			s[of+"profile "+v["profile"]] = strings.Join([]string{v["from"], v["host"], v["login"], v["secret"], "false", v["header"] + ": " + v["headed"]}, "|")
			s[of+"message "+v["message"]] = strings.Join([]string{v["sender"], v["subject"], v["text"], gophishHTML("Dear {{.FirstName}}, " + v["rich"] + " <strong>" + v["bold"] + "</strong>")}, "|")
			members := slices.DeleteFunc(strings.Split(s[of+"group "+v["group"]], "\n"), func(one string) bool { return strings.HasPrefix(one, v["leaves"]+"|") })
			members = append(members, strings.Join([]string{v["first"], v["last"], v["mail"], v["does"]}, "|"))
			slices.Sort(members)
			delete(s, of+"group "+v["group"])
			s[of+"group "+v["renamed"]] = strings.Join(members, "\n")
			delete(s, of+"page "+v["gone"])
			s[of+"campaign "+v["campaign"]] = strings.Join([]string{v["template"], v["page"], v["by"], v["url"], gophishDay(v["day"]), gophishMails(s[of+"group "+v["to"]])}, "|")
			delete(s, of+"profile "+v["dropped"])
		},
	}
}

const gophishModule = "github.com/gophish/gophish@v0.12.1"

// gophishEditor is what its releases have in a folder "vendor", which a module may not hold.
var gophishEditor = npm{"ckeditor4", "4.21.0", ""}

// gophishConfig has the editor write whole pages, and has what completes names.
const gophishConfig = `CKEDITOR.editorConfig = (config) => {
	config.allowedContent = config.fullPage = true;
	config.extraPlugins = "autocomplete,textmatch,textwatcher,ajax,xml";
};
`

// These are there before, for each account, as the tables show them.
var (
	gophishProfiles  = []string{"Barn post", "Dairy post", "Forge post", "Garden post", "Kiln post", "Loft post", "Mill post", "Smithy post"}
	gophishTemplates = []string{"Birth of a calf", "Crop report", "Gate left open", "Milk count"}
	gophishGroups    = []string{"Bakers", "Coopers", "Drovers", "Farriers", "Millers", "Reapers", "Shepherds", "Thatchers"}
	gophishMembers   = []string{"Alma", "Bert", "Cleo", "Dora"} // of each group
	gophishPages     = []string{"Apple form", "Barley form", "Clover form", "Dill form", "Elder form", "Fennel form", "Gorse form", "Hazel form"}
)

// gophishHTML is a paragraph as the editor writes it: a page.
func gophishHTML(text string) string {
	return "<html>\n<head>\n\t<title></title>\n</head>\n<body>\n<p>" + text + "</p>\n</body>\n</html>\n"
}

// gophishDay is a day of the next month, to which the calendar is turned.
func gophishDay(day string) string {
	number, err := strconv.Atoi(day)
	if err != nil {
		return err.Error()
	}
	now := time.Now()
	return time.Date(now.Year(), now.Month()+1, number, 0, 0, 0, 0, time.Local).Format(time.DateOnly)
}

// gophishMails are the addresses of who is in a group.
func gophishMails(members string) string {
	var mails []string
	for one := range strings.Lines(members) {
		if fields := strings.Split(one, "|"); len(fields) == 4 {
			mails = append(mails, fields[2])
		}
	}
	slices.Sort(mails)
	return strings.Join(mails, ",")
}

// These are things as the program's API has them.
type (
	gophishProfile struct {
		Name    string          `json:"name"`
		Kind    string          `json:"interface_type"`
		From    string          `json:"from_address"`
		Host    string          `json:"host"`
		Login   string          `json:"username"`
		Secret  string          `json:"password"`
		Ignore  bool            `json:"ignore_cert_errors"`
		Headers []gophishHeader `json:"headers"`
	}
	gophishHeader  struct{ Key, Value string }
	gophishMessage struct {
		Name    string `json:"name"`
		Sender  string `json:"envelope_sender"`
		Subject string `json:"subject"`
		Text    string `json:"text"`
		HTML    string `json:"html"`
	}
	gophishGroup struct {
		Name    string          `json:"name"`
		Targets []gophishMember `json:"targets"`
	}
	gophishMember struct {
		First string `json:"first_name"`
		Last  string `json:"last_name"`
		Mail  string `json:"email"`
		Does  string `json:"position"`
	}
	gophishPage struct {
		Name    string `json:"name"`
		HTML    string `json:"html"`
		Capture bool   `json:"capture_credentials"`
	}
	gophishCampaign struct {
		Name     string
		Launch   time.Time `json:"launch_date"`
		Template struct{ Name string }
		Page     struct{ Name string }
		SMTP     struct{ Name string }
		URL      string
		Results  []struct{ Email string }
	}
)

func startGophish(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	if err := gophishFiles(ctx, h); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server := map[string]any{"listen_url": fmt.Sprint("127.0.0.1:", port), "use_tls": false}
	config, err := json.Marshal(map[string]any{"admin_server": server, "db_name": "sqlite3", "db_path": "gophish.db", "migrations_prefix": "db/db_"})
	if err != nil {
		return nil, err
	}
	if err := h.write("config.json", string(config)); err != nil {
		return nil, err
	}
	const first = "the-first-key"
	// It sends nothing: what is made is for a month that is to come, and there is no mailer.
	program, err := h.serve(h.dir, []string{"GOPHISH_INITIAL_ADMIN_PASSWORD=Chestnut-leaf-3", "GOPHISH_INITIAL_ADMIN_API_TOKEN=" + first}, program("gophish"), "--mode", "admin", "--disable-mailer")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := program.up(ctx, answers(url+"login")); err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, who := range accounts {
		var made struct {
			Key string `json:"api_key"`
		}
		if err := gophishAsk(ctx, url+"api/users/", first, map[string]any{"username": who.user, "password": who.password, "role": "user"}, &made); err != nil {
			return nil, err
		}
		keys[who.user] = made.Key
		if err := gophishSeed(ctx, url+"api/", made.Key); err != nil {
			return nil, err
		}
	}
	return &site{url: url, accounts: accounts, state: func(ctx context.Context) (state, error) {
		s := state{}
		for user, key := range keys {
			if err := readGophish(ctx, url+"api/", user, key, s); err != nil {
				return nil, err
			}
		}
		return s, nil
	}}, nil
}

// gophishFiles lays out its pages and their editor as a release has them.
func gophishFiles(ctx context.Context, h *host) error {
	cache, err := h.run(ctx, nil, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	const layOut = `set -e
cp -rs "$1/static" "$1/templates" "$1/db" "$1/VERSION" .
find static templates db -type d -exec chmod u+w {} +
mkdir -p static/js/src/vendor
cp -rs "$2" static/js/src/vendor/ckeditor
`
	editor := filepath.Dir(h.npm(gophishEditor, "ckeditor4/ckeditor.js"))
	if _, err := h.run(ctx, nil, "sh", "-c", layOut, "sh", filepath.Join(strings.TrimSpace(cache), gophishModule), editor); err != nil {
		return err
	}
	return h.write("static/js/src/vendor/ckeditor/config.js", gophishConfig)
}

func gophishSeed(ctx context.Context, url, key string) error {
	var errs []error
	put := func(path string, what any) { errs = append(errs, gophishAsk(ctx, url+path, key, what, nil)) }
	for i, name := range gophishProfiles {
		put("smtp/", gophishProfile{Name: name, Kind: "SMTP", From: fmt.Sprintf("Post %d <post%[1]d@farm.example>", i), Host: "mail.farm.example:25"})
	}
	for i, name := range gophishTemplates {
		put("templates/", gophishMessage{Name: name, Subject: name, Text: fmt.Sprintf("Note %d", i)})
	}
	for _, name := range gophishGroups {
		group := gophishGroup{Name: name}
		for _, one := range gophishMembers {
			group.Targets = append(group.Targets, gophishMember{one, name, strings.ToLower(one + "@" + name + ".example"), "Hand"})
		}
		put("groups/", group)
	}
	for _, name := range gophishPages {
		put("pages/", gophishPage{Name: name, HTML: "<p>" + name + "</p>"})
	}
	return errors.Join(errs...)
}

// gophishAsk asks the program's API, and has it make something where there is something to send.
func gophishAsk(ctx context.Context, url, key string, send, answer any) error {
	token := "Bearer " + key
	if send != nil {
		return postBy(ctx, http.DefaultClient, url, token, send, answer)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", token)
	return answered(http.DefaultClient, req, answer)
}

// readGophish reads all that an account has.
func readGophish(ctx context.Context, url, user, key string, s state) error {
	var profiles []gophishProfile
	var messages []gophishMessage
	var groups []gophishGroup
	var pages []gophishPage
	var campaigns []gophishCampaign
	get := func(path string, answer any) error { return gophishAsk(ctx, url+path, key, nil, answer) }
	if err := errors.Join(get("smtp/", &profiles), get("templates/", &messages), get("groups/", &groups), get("pages/", &pages), get("campaigns/", &campaigns)); err != nil {
		return err
	}
	for _, one := range profiles {
		var headers []string
		for _, header := range one.Headers {
			headers = append(headers, header.Key+": "+header.Value)
		}
		add(s, user+" profile "+one.Name, strings.Join([]string{one.From, one.Host, one.Login, one.Secret, fmt.Sprint(one.Ignore), strings.Join(headers, ",")}, "|"))
	}
	for _, one := range messages {
		add(s, user+" message "+one.Name, strings.Join([]string{one.Sender, one.Subject, one.Text, strings.ReplaceAll(one.HTML, "&nbsp;", " ")}, "|"))
	}
	for _, one := range groups {
		var members []string
		for _, member := range one.Targets {
			members = append(members, strings.Join([]string{member.First, member.Last, member.Mail, member.Does}, "|"))
		}
		slices.Sort(members)
		add(s, user+" group "+one.Name, strings.Join(members, "\n"))
	}
	for _, one := range pages {
		add(s, user+" page "+one.Name, one.HTML+"|"+fmt.Sprint(one.Capture))
	}
	for _, one := range campaigns {
		var mails []string
		for _, result := range one.Results {
			mails = append(mails, result.Email)
		}
		slices.Sort(mails)
		add(s, user+" campaign "+one.Name, strings.Join([]string{one.Template.Name, one.Page.Name, one.SMTP.Name, one.URL, one.Launch.Local().Format(time.DateOnly), strings.Join(mails, ",")}, "|"))
	}
	return nil
}
