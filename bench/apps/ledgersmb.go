package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ledgersmb keeps a company's customers with LedgerSMB: Dojo, a tree that is the menu, tabs whose forms the server sends
// one after the other, lists and a calendar that are drawn, rows with links that all say the same.
func ledgersmb() *app {
	return &app{
		name: "ledgersmb", about: "Dojo: a tree that is the menu, tabs whose forms the server sends again, lists and a calendar that are drawn, rows with links that all say the same", held: true,
		needs: append([]need{{"/usr/share/ledgersmb/bin/ledgersmb-server.psgi", "apt-get install ledgersmb"}}, postgresNeeds...),
		start: startLedgersmb,
		named: map[string]string{"name": "name", "ssn": "taxid", "street": "street", "postal_code": "zip"},
		values: func(run int) values {
			return values{
				"code": fmt.Sprintf("C-%d", 300+run), "name": oneOf(run, "Nettle Mills", "Orchid Works", "Poppy Foods", "Quince Tools") + fmt.Sprint(" ", 2+run), "country": oneOf(run, "Denmark", "Portugal", "Ireland", "Estonia"), "taxid": fmt.Sprintf("44-%d-9", 710+run),
				"number": fmt.Sprintf("N-%d", 77+run), "about": oneOf(run, "Spring account", "Autumn account", "Harvest account"), "day": ledgersmbDay(oneOf(run, "17", "9", "23", "12")), "limit": fmt.Sprint(1500 + 10*run), "terms": fmt.Sprint(40 + run),
				"place": oneOf(run, "Shipping", "Sales"), "street": oneOf(run, "Mill Lane", "Barn Road", "Gate Street") + fmt.Sprint(" ", 5+run), "town": oneOf(run, "Aarhus", "Porto", "Galway"), "zip": fmt.Sprint(8000 + run), "nation": oneOf(run, "Norway", "Iceland", "Belgium"),
				"old": ledgersmbOld[(2+run)%len(ledgersmbOld)], "kind": oneOf(run, "Email", "Fax", "Home Phone"), "what": oneOf(run, "Office", "Workshop", "Counter") + fmt.Sprint(" ", 1+run), "where": fmt.Sprintf("desk%d@farm.example", 60+run), "gone": oneOf(run, "Stable", "Cellar", "Gate"),
				"subject": oneOf(run, "A call", "A visit", "A letter") + fmt.Sprint(" of ", 2030+run), "note": fmt.Sprintf("Ring before %d.\nAsk for the keeper.", 9+run),
				"label": oneOf(run, "Tractors", "Wagons", "Ploughs") + fmt.Sprint(" ", 6+run), "method": oneOf(run, "Whole Month Straight Line", "Annual Straight Line Monthly"), "asset": oneOf(run, "1820--Office Furniture & Equipment", "1840--Vehicle"), "less": oneOf(run, "1825--Accum. Amort. -Furn. & Equip.", "1845--Accum. Amort. -Vehicle"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#username", who.user)
			p.fill("#password", who.password)
			p.fill("#company", "farm")
			p.click("#action-login")
		},
		flow: func(p *person, v values) {
			pick := func(list, what string) {
				p.click(list)
				p.click(".dijitPopup .dijitMenuItemLabel{" + what + "}")
			}
			p.click(".dijitTreeLabel{Contacts}")
			p.click(".dijitTreeLabel{Add Contact}")
			p.fill("#company-control-code", v["code"])
			pick("#company-entity-class", "Customer")
			p.fill("#legal-name", v["name"])
			pick("#company-country-id", v["country"])
			p.fill("#tax-id", v["taxid"])
			p.click("#company-action-save")
			p.fill("#meta-number", v["number"])
			p.fill("#description", v["about"])
			p.click("#widget_startdate .dijitArrowButton")
			day, _ := time.Parse(lamDay, v["day"])
			p.click(fmt.Sprintf(".dijitCalendarPopup td.dijitCalendarCurrentMonth span{%d}", day.Day()))
			p.fill("#creditlimit", v["limit"])
			p.fill("#terms", v["terms"])
			p.click("input[id^=taxact-]")
			p.click("#action-save-credit-new")
			p.see("#action-save-credit") // it can be changed then
			p.click("#contact_tabs_tablist_address_div")
			pick("#location-class", v["place"])
			p.fill("#line-one", v["street"])
			p.fill("#city", v["town"])
			p.fill("#mail-code", v["zip"])
			pick("#address-country-select", v["nation"])
			p.click("#loc_save_new_location")
			p.see("#address_div td{" + v["street"] + "}")
			p.click(".dijitTreeNodeContainer .dijitTreeNodeContainer .dijitTreeLabel{Search}")
			pick("#entity_class", "Customer")
			p.click("#action-search")
			p.click("#maindiv td.name a{" + v["old"] + "}")
			p.click("#contact_tabs_tablist_contact_info_div")
			pick("#class-id", v["kind"])
			p.fill("#contact_description", v["what"])
			p.fill("#contact", v["where"])
			p.click("#action-save-contact")
			p.see("#contact_info_div td{" + v["what"] + "}")
			p.click("#contact_info_div a[href*='description=" + v["gone"] + "&'][href*=delete_contact]")
			p.see("#contact_info_div tbody tr:nth-child(3):last-of-type")
			p.click("#contact_tabs_tablist_notes_div")
			p.fill("#subject", v["subject"])
			p.fill("#note_entry_note", v["note"])
			p.click("#action-save-notes")
			p.see("#notes_div div.note_contents{" + strings.ReplaceAll(v["note"], "\n", " ") + "}")
			p.click(".dijitTreeLabel{Fixed Assets}")
			p.click(".dijitTreeLabel{Asset Classes}")
			p.click(".dijitTreeLabel{Add Class}")
			p.fill("#label", v["label"])
			pick("#method", v["method"])
			pick("#asset-account-id", v["asset"])
			pick("#dep-account-id", v["less"])
			p.click("#action-asset-category-save")
		},
		want: func(s state, who account, v values) {
			day, _ := time.Parse(lamDay, v["day"])
			s["company "+v["name"]] = strings.Join([]string{v["code"], "2", v["country"], v["taxid"]}, "|")
			s["account of "+v["name"]] = strings.Join([]string{v["number"], v["about"], day.Format(time.DateOnly), v["limit"], v["terms"], "2150"}, "|")
			s["address of "+v["name"]] = strings.Join([]string{v["place"], v["street"], v["town"], v["zip"], v["nation"]}, "|")
			s["contact "+v["old"]+" "+v["what"]] = v["kind"] + "|" + v["where"]
			delete(s, "contact "+v["old"]+" "+v["gone"])
			s["note of "+v["old"]] = strings.Join([]string{v["subject"], strings.ReplaceAll(v["note"], "\n", "/"), who.user}, "|")
			s["asset class "+v["label"]] = strings.Join([]string{v["method"], v["asset"], v["less"]}, "|")
		},
	}
}

// ledgersmbDay is a day of this month as the calendar names it.
func ledgersmbDay(day string) string {
	return time.Now().Format("January ") + day + time.Now().Format(", 2006")
}

// ledgersmbOld are customers who are there before.
var ledgersmbOld = []string{"Alder Dairy", "Birch Forge", "Cedar Press", "Dogwood Inn", "Elder Mill", "Fir Tannery"}

const ledgersmbSeed = `do $$ declare n int := 0; name text; e int; begin
foreach name in array string_to_array('NAMES', ',') loop
	n := n + 1;
	e := (company__save('K-'||(10+n), 2, name, '', null, null, 59, null, null)).entity_id;
	perform eca__save(null, 2, e, 'Old account', 0, false, 500, 0, 30, 'A-'||(10+n), null, null, null, 'USD', '2025-01-01', null, 0, (select id from account where accno='1200'), (select id from account where accno='1060'), null, null, null);
	insert into entity_to_contact (entity_id, contact_class_id, contact, description) values (e, 1, '555-1'||n, 'Gate'), (e, 1, '555-2'||n, 'Stable'), (e, 3, '555-3'||n, 'Cellar');
end loop;
insert into account_link (account_id, description) select id, case when accno in ('1820', '1840') then 'Fixed_Asset' else 'Asset_Dep' end from account where accno in ('1820', '1825', '1840', '1845');
end $$`

const ledgersmbSettings = `[main]
auth = DB
cssdir = css/
cache_templates = 0
language =
date_format = yyyy-mm-dd
log_level = ERROR
cookie_name = LedgerSMB-bench
[environment]
PATH=/bin:/usr/bin
[paths]
templates = templates
images = UI/images
localepath = locale/po
[database]
port = 5432
default_db = farm
host = SOCKET
db_namespace = public
sslmode = prefer
[debug]
dojo_built = 0
`

func startLedgersmb(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	folder, err := h.postgres(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := h.psql(ctx, folder, "create role keeper superuser login password 'keeper'"); err != nil {
		return nil, err
	}
	if err := h.write("ledgersmb.conf", strings.ReplaceAll(ledgersmbSettings, "SOCKET", folder)); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", port)
	// It refuses to run as root, and forgets to load what it makes its pages with where there is no LaTeX.
	server, err := h.serve("/usr/share/ledgersmb", []string{"PERL5OPT=-MTemplate", "LSMB_CONFIG_FILE=" + h.path("ledgersmb.conf")}, "setpriv", "--reuid=65534", "--regid=nogroup", "--clear-groups",
		"starman", "--preload-app", "--workers", "6", "--listen", fmt.Sprintf("127.0.0.1:%d", port), "-I", "lib", "-I", "old/lib", "bin/ledgersmb-server.psgi")
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, answers(at+"/login.pl")); err != nil {
		return nil, err
	}
	setup := []url.Values{{"action": {"create_db"}}, {"action": {"select_coa"}, "coa_lc": {"us"}, "chart": {"General.sql"}}}
	for i, who := range accounts {
		setup = append(setup, url.Values{"action": {"save_user"}, "username": {who.user}, "password": {who.password}, "pls_import": {"0"}, "first_name": {who.user}, "last_name": {"Farm"}, "employeenumber": {fmt.Sprint("E-", i)}, "country_id": {"232"}, "perms": {"1"}})
	}
	for _, form := range setup {
		form.Set("database", "farm")
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, at+"/setup.pl", strings.NewReader(form.Encode()))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.SetBasicAuth("keeper", "keeper")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		_ = res.Body.Close() // what it says is not read
		if res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", form.Get("action"), res.Status)
		}
	}
	ask := func(ctx context.Context, query string) ([][]string, error) { return h.psql(ctx, folder, query, "farm") }
	if _, err := ask(ctx, strings.ReplaceAll(ledgersmbSeed, "NAMES", strings.Join(ledgersmbOld, ","))); err != nil {
		return nil, err
	}
	// From here on passwords count.
	const secure = `cd "$1" && printf 'local all postgres trust\nlocal all all scram-sha-256\n' >data/pg_hba.conf && chown postgres data/pg_hba.conf`
	if _, err := h.run(ctx, nil, "sh", "-c", secure, "sh", folder); err != nil {
		return nil, err
	}
	if _, err := ask(ctx, "select pg_reload_conf()"); err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := ask(ctx, ledgersmbState)
		s := state{}
		for _, r := range rows {
			add(s, r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	return &site{url: at + "/login.pl", accounts: accounts, state: read}, nil
}

const ledgersmbState = `select concat_ws(E'\t', 'company ' || c.legal_name, e.control_code, e.entity_class, n.name, coalesce(c.tax_id, '')) from company c join entity e on e.id = c.entity_id left join country n on n.id = e.country_id
union all select concat_ws(E'\t', 'account of ' || e.name, a.meta_number, a.description, a.startdate, a.creditlimit, a.terms, coalesce((select string_agg(t.accno, ',') from eca_tax x join account t on t.id = x.chart_id where x.eca_id = a.id), '')) from entity_credit_account a join entity e on e.id = a.entity_id
union all select concat_ws(E'\t', 'address of ' || e.name, k.class, l.line_one, l.city, l.mail_code, n.name) from entity_to_location x join entity e on e.id = x.entity_id join location l on l.id = x.location_id join location_class k on k.id = x.location_class left join country n on n.id = l.country_id
union all select concat_ws(E'\t', 'address of account ' || e.name, k.class, l.line_one, l.city, l.mail_code, n.name) from eca_to_location x join entity_credit_account a on a.id = x.credit_id join entity e on e.id = a.entity_id join location l on l.id = x.location_id join location_class k on k.id = x.location_class left join country n on n.id = l.country_id
union all select concat_ws(E'\t', 'contact ' || e.name || ' ' || x.description, k.class, x.contact) from entity_to_contact x join entity e on e.id = x.entity_id join contact_class k on k.id = x.contact_class_id
union all select concat_ws(E'\t', 'contact of account ' || a.meta_number || ' ' || x.description, k.class, x.contact) from eca_to_contact x join entity_credit_account a on a.id = x.credit_id join contact_class k on k.id = x.contact_class_id
union all select concat_ws(E'\t', 'note of ' || e.name, t.subject, replace(replace(t.note, E'\r', ''), E'\n', '/'), t.created_by) from entity_note t join entity e on e.id = t.ref_key
union all select concat_ws(E'\t', 'asset class ' || c.label, m.method, a.accno || '--' || a.description, d.accno || '--' || d.description) from asset_class c join asset_dep_method m on m.id = c.method left join account a on a.id = c.asset_account_id left join account d on d.id = c.dep_account_id`
