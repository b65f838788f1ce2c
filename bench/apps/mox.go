package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// mox adds an account of a mail server and an address and a list, changes the limits of another, and removes accounts
// and addresses: bare pages that a script draws, fields without names or ids, dialogs of the browser's own.
func mox() *app {
	return &app{
		name: "mox", about: "bare pages that a script draws, fields without names or ids that labels tell apart, rows that are alike, dialogs of the browser's own", held: true,
		needs: []need{{program("mox"), "go get github.com/mjl-/mox@v0.0.15"}},
		start: startMox,
		values: func(run int) values {
			return values{
				"login": oneOf(run, "wilma", "xaver", "yvonne") + fmt.Sprint(4+run), "domain": oneOf(run, "localhost", "farm.example"), "name": oneOf(run, "herd", "shed", "barn") + fmt.Sprint(7+run),
				"extra": fmt.Sprintf("stall%d", 11+run), "at": oneOf(run, "farm.example", "localhost"), "sent": fmt.Sprint(301 + run), "new": fmt.Sprint(41 + run), "quota": fmt.Sprintf("%dm", 21+run),
				"known": moxUsers[run%4], "less": fmt.Sprint(701 + run), "gone": moxUsers[4+run%4],
				"list": oneOf(run, "letters", "prices", "recipes") + fmt.Sprint(3+run), "reader": moxUsers[(1+run)%4] + "@farm.example", "about": fmt.Sprintf("Mail of shed %d", 31+run),
				"dropped": moxUsers[(2+run)%4],
			}
		},
		named: map[string]string{"street": "reader"},
		signIn: func(p *person, who account) {
			p.fill("input[type=password]", who.password)
			p.click("button{Login}")
		},
		flow: func(p *person, v values) {
			const address, settings = "h2:nth-of-type(2) + form ", "h2:nth-of-type(4) + form "
			p.click("a{Accounts}")
			p.fill("form label:nth-of-type(1) input", v["login"])
			p.choose("form select", v["domain"])
			p.refill("form label:nth-of-type(3) input", v["name"])
			p.click("button{Add account}")
			p.see("h1 span{" + v["name"] + "}")
			p.fill(address+"input", v["extra"])
			p.choose(address+"select", v["at"])
			p.click("button{Add address}")
			p.see("tbody tr:nth-child(2) button{Remove}")
			p.refill(settings+"label:nth-of-type(1) input", v["sent"])
			p.refill(settings+"label:nth-of-type(2) input", v["new"])
			p.refill(settings+"label:nth-of-type(3) input", v["quota"])
			p.click(settings + "div:nth-of-type(1) input")
			p.click(settings + "button{Save}")
			p.click("h1 a{Accounts}")
			p.click("li a{" + v["known"] + "}")
			p.see("h1 span{" + v["known"] + "}")
			p.refill(settings+"label:nth-of-type(1) input", v["less"])
			p.click(settings + "button{Save}")
			p.click("h1 a{Accounts}")
			p.click("li a{" + v["gone"] + "}")
			p.see("h1 span{" + v["gone"] + "}")
			p.confirm("button{Remove account}")
			p.see("h2{Add account}")
			p.click("h1 a{Mox Admin}")
			p.click("li a{farm.example}")
			p.fill("form:has(textarea) input", v["list"])
			p.fill("form:has(textarea) textarea", v["reader"])
			p.click("button{Add alias}")
			p.see("h1 span{Alias " + v["list"] + "@farm.example}")
			p.click("h1 a{Domain farm.example}")
			p.refill("form:has(label[title^='Free-form description']) input", v["about"])
			p.click("form:has(label[title^='Free-form description']) button{Save}")
			p.confirm("tr:has(a[href='#accounts/l/" + v["dropped"] + "']) button{Remove}")
			p.see("h1 span{Domain farm.example}")
		},
		want: func(s state, _ account, v values) {
			at := "Accounts/" + v["name"] + "/"
			s[at+"Destinations/"+v["login"]+"@"+v["domain"]], s[at+"Destinations/"+v["extra"]+"@"+v["at"]] = "nil", "nil"
			s[at+"MaxOutgoingMessagesPerDay"], s[at+"MaxFirstTimeRecipientsPerDay"] = v["sent"], v["new"]
			s[at+"NoCustomPassword"], s[at+"NoFirstTimeSenderDelay"] = "true", "true" // the first is so by default
			var size int
			if _, err := fmt.Sscanf(v["quota"], "%dm", &size); err != nil {
				s["quota"] = err.Error()
			}
			s[at+"QuotaMessageSize"] = fmt.Sprint(size << 20)
			s["Accounts/"+v["known"]+"/MaxOutgoingMessagesPerDay"] = v["less"]
			maps.DeleteFunc(s, func(key, _ string) bool { return strings.HasPrefix(key, "Accounts/"+v["gone"]+"/") })
			s["Domains/farm.example/Aliases/"+v["list"]+"/Addresses"] = v["reader"]
			s["Domains/farm.example/Aliases/"+v["list"]+"/PostPublic"] = "true"
			s["Domains/farm.example/Description"] = v["about"]
			delete(s, "Accounts/"+v["dropped"]+"/Destinations/"+v["dropped"]+"@farm.example")
		},
	}
}

// moxUsers are there before, each with an address at both domains.
var moxUsers = []string{"alma", "bert", "cleo", "dora", "emil", "fritz", "gerda", "hugo"}

func startMox(ctx context.Context, h *host) (*site, error) {
	if _, err := h.run(ctx, nil, program("mox"), "localserve", "-dir", h.path("mox"), "-ip", "127.0.0.1", "-initonly"); err != nil {
		return nil, err
	}
	config, err := os.ReadFile(h.path("mox/mox.conf"))
	if err != nil {
		return nil, err
	}
	var url string
	text := string(config)
	for _, before := range []int{1025, 1587, 1465, 1143, 1993, 1080, 1081, 1443} {
		port, err := h.port()
		if err != nil {
			return nil, err
		}
		text = strings.ReplaceAll(text, fmt.Sprintf("Port: %d\n", before), fmt.Sprintf("Port: %d\n", port))
		if before == 1080 {
			url = fmt.Sprintf("http://127.0.0.1:%d/admin/", port)
		}
	}
	if err := h.write("mox/mox.conf", text); err != nil {
		return nil, err
	}
	domains, err := os.ReadFile(h.path("mox/domains.conf"))
	if err != nil {
		return nil, err
	}
	accounts := "Accounts:\n"
	for _, name := range moxUsers {
		accounts += fmt.Sprintf("\t%s:\n\t\tDomain: localhost\n\t\tDestinations:\n\t\t\t%[1]s@localhost: nil\n\t\t\t%[1]s@farm.example: nil\n\t\tMaxOutgoingMessagesPerDay: 900\n\t\tMaxFirstTimeRecipientsPerDay: 90\n\t\tNoFirstTimeSenderDelay: true\n", name)
	}
	text = strings.Replace(string(domains), "Domains:\n", "Domains:\n\tfarm.example:\n\t\tDescription: Mail of the farm\n", 1)
	if err := h.write("mox/domains.conf", strings.Replace(text, "Accounts:\n", accounts, 1)); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, program("mox"), "localserve", "-dir", h.path("mox"))
	if err != nil {
		return nil, err
	}
	keeper := account{"admin", "moxadmin"} // there is one alone
	return &site{url: url, accounts: [2]account{keeper, keeper}, state: func(context.Context) (state, error) { return readMox(h) }}, server.up(ctx, answers(url))
}

// moxSettings are those that a flow could touch.
var moxSettings = []string{"Description", "Aliases", "Destinations", "MaxOutgoingMessagesPerDay", "MaxFirstTimeRecipientsPerDay", "QuotaMessageSize", "NoFirstTimeSenderDelay", "NoCustomPassword", "LoginDisabled"}

// readMox reads the settings of its domains and accounts: lines below one another by tabs.
func readMox(h *host) (state, error) {
	text, err := os.ReadFile(h.path("mox/domains.conf"))
	if err != nil {
		return nil, err
	}
	s := state{}
	var at []string
	for line := range strings.Lines(string(text)) {
		inner := strings.TrimLeft(line, "\t")
		depth := len(line) - len(inner)
		inner = strings.TrimSpace(inner)
		if inner == "" || strings.HasPrefix(inner, "#") {
			continue
		}
		at = at[:min(depth, len(at))]
		item, is := strings.CutPrefix(inner, "- ")
		key, value, _ := strings.Cut(inner, ":")
		value = strings.TrimSpace(value)
		if !is {
			at = append(slices.Clip(at), key)
		} else {
			value = item
		}
		if len(at) > 2 && slices.Contains(moxSettings, at[2]) && value != "" {
			add(s, strings.Join(at, "/"), value)
		}
	}
	return s, nil
}
