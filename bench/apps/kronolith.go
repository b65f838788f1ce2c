package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// kronolith keeps calendars with Horde: a page that Prototype draws, a dialog with tabs, a calendar
// that opens at a picture, times that are chosen in a list under their field, events in the days of
// a month.
func kronolith() *app {
	return &app{
		name: "kronolith", about: "a page that Prototype draws, a dialog with tabs, a calendar that opens at a picture, times that are chosen in a list under their field, events in the days of a month", held: true,
		needs: append([]need{{"/usr/share/horde/kronolith/index.php", "apt-get install php-horde-kronolith"}}, phpNeeds...),
		start: startKronolith,
		named: map[string]string{"horde_user": "user", "horde_pass": "password", "title": "title", "name": "calendar", "location": "place", "location_2": "later"},
		values: func(run int) values {
			return values{
				"title": oneOf(run, "Seed swap", "Barn dance", "Cheese night", "Open gate") + fmt.Sprintf(" %d", 30+run), "day": fmt.Sprint(12 + 2*run), "from": oneOf(run, "10:30", "14:00", "09:30", "16:30"), "until": oneOf(run, "17:45", "18:15", "19:10", "20:25"),
				"status": oneOf(run, "Tentative", "Cancelled", "Free"), "place": fmt.Sprintf("Shed %d", 4+run), "in": oneOf(run, "Club", "Works", "Home"), "about": fmt.Sprintf("Bring %d chairs.\nNo dogs.", 20+run),
				"every": oneOf(run, "Tue", "Wed", "Mon", "Fri"), "times": fmt.Sprint(5 + run), "url": fmt.Sprintf("https://farm.example/e/%d", 80+run), "old": kronolithOld[run%4], "later": fmt.Sprintf("Yard %d", 60+run),
				"calendar": oneOf(run, "Lambing", "Harvest", "Fairs", "Trips") + fmt.Sprintf(" %d", 2031+run), "kept": fmt.Sprintf("Kept until %d.", 2040+run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#horde_user", who.user)
			p.fill("#horde_pass", who.password)
			p.click("#login-button")
			p.see("#kronolithNewEvent")
		},
		flow: func(p *person, v values) {
			p.see(".kronolith-event")
			p.click("#kronolithNewEvent")
			p.fill("#kronolithEventTitle", v["title"])
			p.click("#kronolithEventStartPicker")
			p.click("#hordeCalendar a.hordeCalendarDay{" + v["day"] + "}")
			p.click("#kronolithEventStartTime")
			p.click(".KeyNavList:not([style*='none']) li{" + v["from"] + "}")
			p.refill("#kronolithEventEndTime", v["until"])
			p.press("Tab")
			p.choose("#kronolithEventStatus", v["status"])
			p.fill("#kronolithEventLocation", v["place"])
			p.choose("#kronolithEventTarget", v["in"])
			p.fill("#kronolithEventDescription", v["about"])
			p.click("#kronolithEventLinkRecur")
			p.click("#kronolithEventLinkWeekly")
			p.click("#kronolithEventRepeatWeekly label{" + v["every"] + "}")
			p.click("input[name=recur_end_type][value=count]")
			p.fill("#kronolithEventRecurCount", v["times"])
			p.click("#kronolithEventLinkUrl")
			p.refill("#kronolithEventUrl", v["url"])
			p.click("#kronolithEventSave")
			p.click(".kronolith-event{" + v["old"] + "}")
			p.see("#kronolithEventTitle")
			p.fill("#kronolithEventLocation", v["later"])
			p.click("#kronolithEventPrivate")
			p.click("#kronolithEventSave")
			p.click("#kronolithAddinternal")
			p.fill("#kronolithCalendarinternalName", v["calendar"])
			p.fill("#kronolithCalendarinternalDescription", v["kept"])
			p.click("#kronolithCalendarForminternal .kronolithCalendarSave")
		},
		want: func(s state, who account, v values) {
			day := thisMonth(dayOf(v)).Format(time.DateOnly)
			mask := map[string]string{"Sun": "1", "Mon": "2", "Tue": "4", "Wed": "8", "Thu": "16", "Fri": "32", "Sat": "64"}[v["every"]]
			status := map[string]string{"Free": "4", "Tentative": "1", "Confirmed": "2", "Cancelled": "3"}[v["status"]]
			s[who.user+" "+v["in"]+" event "+v["title"]] = strings.Join([]string{who.user, day + " " + v["from"] + ":00", day + " " + v["until"] + ":00", v["place"], v["about"], status, "0", "0", "2", "1", mask, v["times"], v["url"]}, "|")
			for key, text := range s {
				if key == who.user+" Works event "+v["old"] {
					parts := strings.Split(text, "|")
					parts[3], parts[6] = v["later"], "1"
					s[key] = strings.Join(parts, "|")
				}
			}
			s[who.user+" calendar "+v["calendar"]] = v["kept"]
		},
	}
}

// kronolithOld are events that are there before, and kronolithIn the calendars.
var (
	kronolithOld = []string{"Shearing", "Auction", "Vet visit", "Market"}
	kronolithIn  = []string{"Works", "Home", "Club"}
)

// kronolithBegin is a program that makes the tables of Horde and of its calendars, in rounds as they need each other.
const kronolithBegin = `error_reporting(0); require $argv[1] . '/lib/Application.php';
Horde_Registry::appInit('horde', array('authentication' => 'none', 'cli' => true));
$all = new Horde_Core_Db_Migration($argv[1] . '/..', null);
foreach (array(1, 2) as $round) foreach ($all->apps as $app) try { $all->getMigrator($app)->up(); } catch (Exception $e) { if ($round == 2) throw $e; }`

func startKronolith(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, nil, "mkdir", "www"); err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/horde", "www/horde"); err != nil {
		return nil, err
	}
	const (
		sql    = "array('driver' => 'Sql', 'params' => array('driverconfig' => 'horde'), 'driverconfig' => 'horde', 'maxsize' => 65535, 'cache' => false)"
		no     = "array('driver' => 'Null')"
		driver = "'driverconfig' => 'horde'"
	)
	base := fmt.Sprintf("<?php $conf = array('use_ssl' => 0, 'server' => array('name' => '127.0.0.1', 'port' => %d), 'cookie' => array('domain' => '', 'path' => '/'), 'vhosts' => false, 'testdisable' => true, 'debug_level' => 0, 'umask' => 077, 'compress_pages' => false, 'max_exec_time' => 0, 'secret_key' => 'a-secret-of-a-farm', 'tmpdir' => '%s',", port, h.dir) +
		"'session' => array('name' => 'Horde', 'cache_limiter' => 'nocache', 'max_time' => 72000, 'timeout' => 0, 'use_only_cookies' => true), 'sessionhandler' => array('type' => 'Builtin', 'hashtable' => false, 'memcache' => false)," +
		fmt.Sprintf("'sql' => array('phptype' => 'sqlite', 'database' => '%s', 'charset' => 'utf-8'),", h.path("horde.db")) +
		"'auth' => array('admins' => array('root'), 'driver' => 'Sql', 'checkip' => false, 'checkbrowser' => false, 'resetpassword' => false, 'alternate_login' => false, 'redirect_on_logout' => false, 'list_users' => 'list', 'params' => array(" + driver + ", 'table' => 'horde_users', 'encryption' => 'plain', 'show_encryption' => false, 'login_block' => false, 'username_field' => 'user_uid', 'password_field' => 'user_pass'))," +
		"'prefs' => " + sql + ", 'group' => " + sql + ", 'perms' => " + sql + ", 'history' => " + sql + ", 'share' => array('driver' => 'Sqlng', 'auto_create' => true, 'cache' => false, 'no_sharing' => false, 'any_group' => false, 'world' => false, 'hidden' => false)," +
		"'cache' => array('driver' => 'Null', 'default_lifetime' => 86400, 'compress' => false), 'cachecss' => false, 'cachejs' => false, 'cachecssparams' => array(), 'cachejsparams' => array(), 'alarms' => array('driver' => false), 'token' => " + no + ", 'lock' => " + no + ", 'mailer' => array('type' => 'null', 'params' => array()), 'vfs' => array('type' => 'Null')," +
		"'portal' => array('fixed_blocks' => array()), 'imsp' => array('enabled' => false), 'kolab' => array('enabled' => false), 'accounts' => array('driver' => 'null'), 'user' => array('verify_from_addr' => false, 'select_view' => false, 'force_view' => 'dynamic'), 'facebook' => array('enabled' => false), 'twitter' => array('enabled' => false), 'urlshortener' => false, 'nobase64_img' => false," +
		"'image' => array('driver' => false), 'activesync' => array('enabled' => false), 'timezone' => array('location' => ''), 'menu' => array('always' => false, 'links' => array('help' => 'all', 'prefs' => 'authenticated', 'problem' => 'never', 'login' => 'all', 'logout' => 'authenticated')), 'problems' => array('enabled' => false), 'signup' => array('allow' => false), 'hashtable' => array('driver' => 'none')," +
		fmt.Sprintf("'log' => array('priority' => 'INFO', 'ident' => 'HORDE', 'name' => '%s', 'type' => 'file', 'enabled' => true, 'params' => array('append' => true)), 'urls' => array('token_lifetime' => 3000, 'hmac_lifetime' => 3000, 'pretty' => false));\n", h.path("horde.log"))
	calendars := "<?php $conf = array('calendar' => array('driver' => 'sql', 'params' => array('table' => 'kronolith_events', " + driver + ", 'utc' => true)), 'storage' => array('driver' => 'sql', 'default_domain' => '', 'freebusy_cache' => false, 'params' => array('table' => 'kronolith_storage', " + driver + ")), 'calendars' => array('driver' => 'default')," +
		"'resource' => array('driver' => 'sql', 'enabled' => false), 'resources' => array('enabled' => false), 'autoshare' => array('shareperms' => 'none'), 'share' => array('notify' => false, 'hidden' => false), 'holidays' => array('enable' => false), 'menu' => array('print' => true, 'import_export' => true, 'apps' => array()), 'maps' => array('driver' => false)," +
		"'metadata' => array('keywords' => false), 'reminder' => array('server_name' => '', 'from_addr' => ''), 'user' => array('allow_url' => false), 'documents' => array('type' => 'none'));\n"
	for name, text := range map[string]string{"www/horde/config/conf.php": base, "www/horde/kronolith/config/conf.php": calendars} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	if _, err := h.run(ctx, []string{"TZ=UTC"}, "php", "-d", "error_reporting=0", "-d", "date.timezone=UTC", "-r", kronolithBegin, h.path("www/horde")); err != nil {
		return nil, err
	}
	text := ""
	for _, who := range accounts {
		text += fmt.Sprintf("insert into horde_users (user_uid, user_pass) values ('%s', '%s');", who.user, who.password)
		shown := fmt.Sprintf("a:%d:{", len(kronolithIn))
		for i, name := range kronolithIn {
			id := who.user + "-" + strings.ToLower(name)
			shown += fmt.Sprintf(`i:%d;s:%d:"%s";`, i, len(id), id)
			text += fmt.Sprintf("insert into kronolith_sharesng (share_name, share_owner, attribute_name, attribute_desc, attribute_color) values ('%s', '%s', '%s', '', '#4b%d815');", id, who.user, name, 3+i)
		}
		for key, value := range map[string]string{"horde twentyFour": "1", "kronolith display_cals": shown + "}", "kronolith default_share": who.user + "-works", "kronolith defaultview": "month"} {
			scope, name, _ := strings.Cut(key, " ")
			text += fmt.Sprintf("insert into horde_prefs (pref_uid, pref_scope, pref_name, pref_value) values ('%s', '%s', '%s', '%s');", who.user, scope, name, value)
		}
		for i, name := range kronolithOld {
			id, day := fmt.Sprintf("%s-%d", who.user, i), thisMonth(6+i).Format(time.DateOnly)
			text += fmt.Sprintf("insert into kronolith_events (event_id, event_uid, calendar_id, event_creator_id, event_title, event_location, event_description, event_status, event_start, event_end, event_private) values ('%[1]s', '%[1]s@farm', '%[2]s-works', '%[2]s', '%[3]s', '', '', 2, '%[4]s 10:00:00', '%[4]s 11:00:00', 0);", id, who.user, name, day)
		}
	}
	for one := range strings.SplitSeq(strings.TrimSuffix(text, ";"), ";insert") {
		if !strings.HasPrefix(one, "insert") {
			one = "insert" + one
		}
		if _, err := h.sqlite(ctx, h.path("horde.db"), one); err != nil {
			return nil, err
		}
	}
	url, err := h.php(ctx, "www", "/horde/login.php", port, "date.timezone=UTC", "error_reporting=0")
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		rows, err := h.sqlite(ctx, h.path("horde.db"), `select share_owner, attribute_name, event_title, event_creator_id, event_start, event_end, event_location, event_description, event_status, event_private, event_alarm, coalesce(event_recurtype, 0), coalesce(event_recurinterval, ''), coalesce(event_recurdays, ''), coalesce(event_recurcount, ''), coalesce(event_url, '')
			from kronolith_events join kronolith_sharesng on share_name = calendar_id`)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			add(s, r[0]+" "+r[1]+" event "+r[2], strings.ReplaceAll(strings.Join(r[3:], "|"), "\r\n", "\n"))
		}
		rows, err = h.sqlite(ctx, h.path("horde.db"), "select share_owner, attribute_name, attribute_desc from kronolith_sharesng")
		for _, r := range rows {
			add(s, r[0]+" calendar "+r[1], r[2])
		}
		return s, err
	}
	return &site{url: url + "/horde/kronolith/", accounts: accounts, state: read}, nil
}
