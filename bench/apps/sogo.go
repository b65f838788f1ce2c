package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"time"
)

// sogo plans an appointment and writes a card of an address book: forms, lists, calendars
// and buttons that unfold, all drawn by Angular Material, in a dialog and in a pane.
func sogo() *app {
	return &app{
		name: "sogo", about: "forms, lists, a calendar and buttons that unfold, drawn by Angular Material, in a dialog and in a pane", held: true,
		needs: append([]need{{"/usr/sbin/sogod", "apt-get install sogo"}, {"/usr/bin/memcached", "apt-get install memcached"}}, postgresNeeds...),
		start: startSogo,
		named: map[string]string{"first_name": "given", "last_name": "family", "email": "mail", "phone": "number"},
		values: func(run int) values {
			return values{
				"title": oneOf(run, "Plant bulbs", "Prune vines", "Mow meadow") + fmt.Sprintf(" %d", run), "place": fmt.Sprintf("Terrace %d", 4+run), "calendar": oneOf(run, "Garden", "Family", "Personal Calendar"),
				"text": fmt.Sprintf("Bring %d buckets.", 3+run), "class": oneOf(run, "Private", "Confidential"), "day": thisMonth(12 + run).Format(spoken), "repeat": oneOf(run, "Monthly", "Weekly", "Yearly"), "unit": oneOf(run, "hours", "days", "weeks"),
				"given": oneOf(run, "Beatrix", "Tomas", "Wanda"), "family": fmt.Sprintf("Holm %d", run), "organization": fmt.Sprintf("Nursery %d", run),
				"at": oneOf(run, "Work", "Home"), "mail": fmt.Sprintf("holm%d@example.com", run), "line": oneOf(run, "Cell", "Fax", "Pager"), "number": fmt.Sprintf("555 01%02d", 20+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#login input[type=text]", who.user)
			p.fill("#passwordField", who.password)
			p.click("#login button[type=submit]")
		},
		flow: func(p *person, v values) {
			p.click("md-fab-trigger button")
			p.click("md-fab-actions button[aria-label='Create a new event']")
			p.fill("md-dialog md-toolbar input", v["title"])
			p.fill("md-dialog input[ng-model='editor.component.location']", v["place"])
			p.click("md-dialog md-select[ng-model='editor.component.destinationCalendar']")
			p.click(".md-select-menu-container.md-active md-option{" + v["calendar"] + "}")
			p.fill("md-dialog textarea", v["text"])
			p.click("md-dialog md-radio-button{" + v["class"] + "}")
			p.click("md-dialog md-checkbox[aria-label='All day Event']")
			p.click("md-dialog md-datepicker[ng-model='editor.component.start'] .md-datepicker-triangle-button")
			p.click(".md-datepicker-calendar-pane td[aria-label='" + v["day"] + "']")
			p.click("md-dialog md-select[ng-model='editor.component.repeat.frequency']")
			p.click(".md-select-menu-container.md-active md-option{" + v["repeat"] + "}")
			p.click("md-dialog md-checkbox[aria-label=Reminder]")
			p.click("md-dialog md-select[aria-label='Reminder units']")
			p.click(".md-select-menu-container.md-active md-option{" + v["unit"] + "}")
			p.click("md-dialog button[type=submit]")
			p.click(".md-toolbar-tools a[href='../Contacts']")
			p.click("md-fab-trigger button")
			p.click("md-fab-actions button[ng-click*=card]")
			p.fill("input[ng-model='editor.card.c_givenname']", v["given"])
			p.fill("input[ng-model='editor.card.c_sn']", v["family"])
			p.fill("input[ng-model='editor.card.org']", v["organization"])
			p.click("button[ng-click='editor.addEmail()']")
			p.fill("input[ng-model='email.value']", v["mail"])
			p.click("md-select[ng-model='email.type']")
			p.click(".md-select-menu-container.md-active md-option{" + v["at"] + "}")
			p.click("button[ng-click='editor.addPhone()']")
			p.fill("input[ng-model='phone.value']", v["number"])
			p.click("md-select[ng-model='phone.type']")
			p.click(".md-select-menu-container.md-active md-option{" + v["line"] + "}")
			p.click("md-card button[aria-label=Save]")
			p.see("#detailView a{" + v["mail"] + "}")
		},
		want: func(s state, who account, v values) {
			day, _ := time.Parse(spoken, v["day"]) // it is written so
			s[who.user+" event "+v["title"]] = strings.Join([]string{v["calendar"], v["place"], v["text"], strings.ToUpper(v["class"]), day.Format("20060102"), "FREQ=" + strings.ToUpper(v["repeat"]), before(v["unit"])}, "|")
			s[who.user+" card "+v["given"]+" "+v["family"]] = strings.Join([]string{v["organization"], strings.ToLower(v["at"]) + ":" + v["mail"], strings.ToLower(v["line"]) + ":" + v["number"]}, "|")
		},
	}
}

// spoken is how a day of the calendar is named.
const spoken = "Monday January 2 2006"

func thisMonth(day int) time.Time {
	now := time.Now()
	return time.Date(now.Year(), now.Month(), day, 0, 0, 0, 0, time.UTC)
}

func startSogo(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	text := "create table users (c_uid text primary key, c_name text, c_password text, c_cn text, mail text); "
	for _, who := range accounts {
		text += fmt.Sprintf("insert into users values ('%[1]s', '%[1]s', '%[2]s', '%[1]s', '%[1]s@example.com'); ", who.user, who.password)
	}
	if _, err := h.psql(ctx, folder, text); err != nil {
		return nil, err
	}
	ports, err := h.free(3)
	if err != nil {
		return nil, err
	}
	if _, err := h.serve(h.dir, nil, "memcached", "-u", "daemon", "-l", "127.0.0.1", "-p", fmt.Sprint(ports[0])); err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "install", "-d", "-o", "sogo", "home"); err != nil {
		return nil, err
	}
	const database = "postgresql:///postgres/"
	settings := []string{"-u", "sogo", "--", "sogod", "-WOPidFile", h.path("home/sogo.pid"), "-WOLogFile", "-", "-WONoDetach", "YES", "-WOWorkersCount", "3", "-WOPort", fmt.Sprint("127.0.0.1:", ports[1]), "-SOGoMemcachedHost", fmt.Sprint("127.0.0.1:", ports[0])}
	for name, table := range map[string]string{"SOGoProfileURL": "profiles", "OCSFolderInfoURL": "folders", "OCSSessionsFolderURL": "sessions"} {
		settings = append(settings, "-"+name, database+table)
	}
	settings = append(settings, "-SOGoTimeZone", "UTC", "-SOGoLanguage", "English", "-SOGoLoginModule", "Calendar", "-GCSChannelExpireAge", "20", "-GCSChannelCollectionTimer", "5", "-SOGoAppointmentSendEMailNotifications", "NO",
		"-SOGoUserSources", `({type=sql; id=users; viewURL="`+database+`users"; canAuthenticate=YES; isAddressBook=YES; userPasswordAlgorithm=plain; displayName=Colleagues;})`)
	env := []string{"HOME=" + h.path("home"), "PGHOST=" + folder, "PGUSER=postgres"}
	server, err := h.serve(h.dir, env, "runuser", settings...)
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers(fmt.Sprintf("http://127.0.0.1:%d/SOGo/", ports[1]))); err != nil {
		return nil, err
	}
	if err := sogoFront(ctx, ports[2], ports[1]); err != nil {
		return nil, err
	}
	site := &site{url: fmt.Sprintf("http://127.0.0.1:%d/SOGo/", ports[2]), accounts: accounts}
	for _, who := range accounts {
		for _, name := range []string{"Family", "Garden"} {
			if err := makeCalendar(ctx, site.url+"dav/"+who.user+"/Calendar/"+strings.ToLower(name)+"/", who, name); err != nil {
				return nil, err
			}
		}
	}
	site.state = func(ctx context.Context) (state, error) { return h.sogoState(ctx, folder) }
	return site, nil
}

// sogoFront is the web server in front of it, which has its scripts and pictures.
func sogoFront(ctx context.Context, port, backend int) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", fmt.Sprint("127.0.0.1:", port))
	if err != nil {
		return err
	}
	const files = "/SOGo.woa/WebServerResources/"
	mux := http.NewServeMux()
	mux.Handle(files, http.StripPrefix(files, http.FileServer(http.Dir("/usr/lib/GNUstep/SOGo/WebServerResources"))))
	mux.Handle("/", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: fmt.Sprint("127.0.0.1:", backend)})
		r.Out.Header.Set("X-Webobjects-Server-Url", "http://"+r.In.Host)
	}})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: startTime}
	go func() { _ = server.Serve(l) }() // until it is closed
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}

func makeCalendar(ctx context.Context, url string, who account, name string) error {
	req, err := http.NewRequestWithContext(ctx, "MKCALENDAR", url, strings.NewReader(`<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>`+name+`</D:displayname></D:prop></D:set></C:mkcalendar>`))
	if err != nil {
		return err
	}
	req.SetBasicAuth(who.user, who.password)
	req.Header.Set("Content-Type", "text/xml")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	return nil
}

// sogoState reads the tables of each folder: what is in them is as it would be in a file.
func (h *host) sogoState(ctx context.Context, folder string) (state, error) {
	s := state{}
	folders, err := h.psql(ctx, folder, "select c_path2, c_foldername, c_location from folders")
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		rows, err := h.psql(ctx, folder, `select replace(regexp_replace(replace(c_content, E'\r', ''), '\n[ \t]', '', 'g'), E'\n', E'\t') from `+path.Base(f[2])+" where coalesce(c_deleted, 0) = 0")
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			what, has := sogoEntry(f[1], r)
			add(s, f[0]+" "+what, has)
		}
	}
	return s, nil
}

// sogoEntry is what an appointment or a card is about, and what it holds.
func sogoEntry(calendar string, lines []string) (what, has string) {
	value, kind := map[string]string{}, map[string]string{}
	alarm := false
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ":")
		name, kinds, _ := strings.Cut(name, ";")
		switch name {
		case "BEGIN", "END":
			alarm = text == "VALARM" && name == "BEGIN"
			continue
		case "TRIGGER":
		default:
			if alarm {
				continue
			}
		}
		value[name], kind[name] = text, strings.TrimPrefix(kinds, "TYPE=")
	}
	if names, is := value["N"]; is {
		family, given, _ := strings.Cut(names, ";")
		return "card " + given + " " + family, strings.Join([]string{value["ORG"], kind["EMAIL"] + ":" + value["EMAIL"], kind["TEL"] + ":" + value["TEL"]}, "|")
	}
	return "event " + value["SUMMARY"], strings.Join([]string{calendar, value["LOCATION"], value["DESCRIPTION"], value["CLASS"], value["DTSTART"], value["RRULE"], value["TRIGGER"]}, "|")
}

// before is how a reminder is written that comes so many of a unit before.
func before(unit string) string {
	return map[string]string{"hours": "-PT5H", "days": "-P5D", "weeks": "-P5W"}[unit]
}
