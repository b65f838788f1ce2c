package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
)

// lemonldap sets up who may come to which host with the manager of LemonLDAP::NG: a tree whose branches are
// fetched as they unfold, a form on the right for what is chosen there, tables of fields that grow by a row,
// a question with a field, and a save that wants a word about it.
func lemonldap() *app {
	return &app{
		name: "lemonldap", about: "a tree whose branches are fetched as they unfold, a form for what is chosen there, tables of fields that grow by a row, dialogs with a field, a save that answers in a dialog (AngularJS)", held: true,
		needs: []need{
			{"/usr/share/lemonldap-ng/manager/htdocs/manager.psgi", "apt-get install lemonldap-ng libemail-sender-perl libmime-tools-perl"},
			{"/usr/bin/starman", "apt-get install starman"},
		},
		start: startLemonldap,
		values: func(run int) values {
			return values{
				"host": oneOf(run, "sheep", "goats", "geese", "bees") + fmt.Sprintf("%d.example.com", 3+run), "note": oneOf(run, "Staff room", "Back office", "Front desk") + fmt.Sprint(" ", 11+run), "path": fmt.Sprintf("^/area%d/", 20+run), "rule": fmt.Sprintf("$uid eq \"reader%d\"", 30+run), "level": fmt.Sprint(2 + run), "rest": oneOf(run, "accept", "unprotect", "skip"),
				"header": oneOf(run, "Auth-Name", "Auth-Desk", "Auth-Room") + fmt.Sprint("-", run), "from": oneOf(run, "$cn", "$sn", "$givenName"), "aliases": fmt.Sprintf("www%d.example.com", 40+run), "kind": oneOf(run, "SecureToken", "DevOps", "OAuth2"), "old": lemonldapOld[(1+run)%len(lemonldapOld)],
				"macro": oneOf(run, "farm", "house", "field") + fmt.Sprint(7+run), "means": fmt.Sprintf("$mail =~ /@place%d/", 50+run), "timeout": fmt.Sprint(7100 + run), "log": fmt.Sprintf("Ticket %d.", 600+run),
			}
		},
		flow: func(p *person, v values) {
			made := "virtualHosts/new__" + v["host"]
			p.click("[id='t-virtualHosts']")
			p.click("[id='a-virtualHosts']")
			p.see("#left span{" + v["old"] + "}")
			p.click("#formmenu a{Add virtualhost}")
			p.refill("#promptinput", v["host"])
			p.click("#promptok")
			p.click("#left span{" + v["host"] + "}")
			p.click("[id='a-" + made + "']")
			p.click("[id='t-" + made + "/locationRules']")
			p.click("#formmenu a{New rule}")
			p.refill("#top tbody tr:nth-child(1) td:nth-child(1) input", v["note"])
			p.refill("#top tbody tr:nth-child(1) td:nth-child(2) input", v["path"])
			p.refill("#top tbody tr:nth-child(1) td:nth-child(3) input", v["rule"])
			p.fill("#top tbody tr:nth-child(1) td:nth-child(4) input", v["level"])
			p.refill("#top tbody tr:nth-child(2) td:nth-child(3) input", v["rest"])
			p.click("[id='t-" + made + "/exportedHeaders']")
			p.click("#formmenu a{New entry}")
			p.refill("#top tbody tr:last-child td:nth-child(1) input", v["header"])
			p.fill("#top tbody tr:last-child td:nth-child(2) input", v["from"])
			p.click("li:has(> div [id='t-" + made + "']) [id='a-vhostOptions']") // all hosts have this id
			p.click("[id='t-" + made + "/vhostAliases']")
			p.fill("#textinput", v["aliases"])
			p.click("[id='t-" + made + "/vhostType']")
			p.choose("#selectform", v["kind"])
			p.click("#left span{" + v["old"] + "}") // it unfolds, too
			p.click("li:has(> div [id='t-virtualHosts/" + v["old"] + "']) [id='a-vhostOptions']")
			p.click("[id='t-virtualHosts/" + v["old"] + "/vhostMaintenance']")
			p.click("#bopeOn")
			p.click("#a-variables")
			p.click("#t-macros")
			p.click("#formmenu a{New entry}")
			p.refill("#top tbody tr:last-child td:nth-child(1) input", v["macro"])
			p.fill("#top tbody tr:last-child td:nth-child(2) input", v["means"])
			p.click("#a-generalParameters")
			p.click("#a-sessionParams")
			p.click("#t-timeout")
			p.refill("#intinput", v["timeout"])
			p.click("#save")
			p.fill("#longtextinput", v["log"])
			p.click("#saveok")
			p.click("#messageok")
		},
		want: func(s state, _ account, v values) {
			rules := "locationRules " + v["host"] + " "
			s[rules+fmt.Sprintf("(?#%s)%s(?#AuthnLevel=%s)", v["note"], v["path"], v["level"])], s[rules+"default"] = v["rule"], v["rest"]
			s["exportedHeaders "+v["host"]+" "+v["header"]] = v["from"]
			s["vhostOptions "+v["host"]+" vhostAliases"], s["vhostOptions "+v["host"]+" vhostType"] = v["aliases"], v["kind"]
			for name, value := range map[string]string{"Https": "-1", "Port": "-1", "ServiceTokenTTL": "-1", "Maintenance": "0"} { // what they are unless they are set
				s["vhostOptions "+v["host"]+" vhost"+name] = value
			}
			s["vhostOptions "+v["old"]+" vhostMaintenance"] = "1"
			s["macros "+v["macro"]], s["timeout"], s["cfgLog"] = v["means"], v["timeout"], v["log"]
		},
	}
}

// lemonldapOld are hosts that are there before.
var lemonldapOld = []string{"barn.example.com", "loft.example.com", "mill.example.com", "pond.example.com", "yard.example.com"}

const lemonldapFolder = "/usr/share/lemonldap-ng/manager/htdocs"

func startLemonldap(ctx context.Context, h *host) (*site, error) {
	// There is no portal, as one needs names that this machine does not know.
	settings := fmt.Sprintf(`[all]
logLevel = warn
checkTime = 1
[configuration]
type = File
dirName = %[1]s/conf
prettyPrint = 1
localStorage = Cache::FileCache
localStorageOptions = {'namespace' => 'conf', 'default_expires_in' => 600, 'directory_umask' => '007', 'cache_root' => '%[1]s/cache', 'cache_depth' => 3}
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
[handler]
status = 0
[manager]
protection = none
staticPrefix = /static
docPrefix = /doc
templateDir = %[2]s/templates
languages = en
enabledModules = conf
`, h.dir, lemonldapFolder)
	program := fmt.Sprintf(`use Plack::Builder;
use Lemonldap::NG::Manager;
my $manager = Lemonldap::NG::Manager->run({});
builder {
	enable 'Static', path => sub { s{^/static/}{} }, root => '%s/static/';
	enable 'Static', path => sub { s{^/javascript/}{} }, root => '/usr/share/javascript/';
	mount '/doc' => sub { [404, ['Content-Type' => 'text/plain'], ['No manual is installed.']] };
	mount '/' => $manager;
};
`, lemonldapFolder)
	first := map[string]any{}
	if err := readJSON("/var/lib/lemonldap-ng/conf/lmConf-1.json", &first); err != nil {
		return nil, err
	}
	rules, headers := map[string]any{}, map[string]any{}
	for _, name := range lemonldapOld {
		rules[name] = map[string]any{"default": "accept"}
		headers[name] = map[string]any{"Auth-User": "$uid"}
	}
	first["locationRules"], first["exportedHeaders"], first["cfgLog"] = rules, headers, "Begun."
	first["timeout"], first["vhostOptions"] = 72000, map[string]any{}
	text, err := json.MarshalIndent(first, "", "\t")
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"lemonldap-ng.ini": settings, "manager.psgi": program, "conf/lmConf-1.json": string(text), "cache/empty": ""} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, []string{"LLNG_DEFAULTCONFFILE=" + h.path("lemonldap-ng.ini")}, "starman", "--listen", fmt.Sprint("127.0.0.1:", port), "--workers", "3", h.path("manager.psgi"))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/manager.html", port)
	read := func(context.Context) (state, error) { return readLemonldap(h) }
	return &site{url: url, state: read}, server.up(ctx, answers(url))
}

// readLemonldap reads the last of its files of settings: each save writes another.
func readLemonldap(h *host) (state, error) {
	names, err := filepath.Glob(h.path("conf", "lmConf-*.json"))
	if err != nil {
		return nil, err
	}
	last, name := 0, ""
	for _, n := range names {
		if i, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(n), "lmConf-"), ".json")); err == nil && i > last {
			last, name = i, n
		}
	}
	all := map[string]any{}
	err = readJSON(name, &all)
	first := map[string]any{}
	if err == nil {
		err = readJSON(h.path("conf", "lmConf-1.json"), &first)
	}
	s := state{}
	for of := range first { // a save adds all else, as it is unless it is set
		switch of {
		case "cfgNum", "cfgDate", "cfgAuthor", "cfgAuthorIP", "cfgVersion":
		default:
			flatten(s, of, all[of])
		}
	}
	return s, err
}

// flatten writes each value of an object by the names that lead to it.
func flatten(s state, at string, value any) {
	object, is := value.(map[string]any)
	if !is {
		add(s, at, fmt.Sprint(value))
		return
	}
	for name := range maps.Keys(object) {
		flatten(s, at+" "+name, object[name])
	}
}
