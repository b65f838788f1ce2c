package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// nagios puts off a host, notes what is known of a service and takes back what was planned before: frames, a menu in one
// whose links change the other, icons of rows without words, pages that ask for one command each.
func nagios() *app {
	return &app{
		name: "nagios", about: "frames, a menu in one whose links change the other, rows told by links, icons without words, pages that ask for one command each", held: true,
		needs: slices.Concat([]need{
			{"/usr/sbin/nagios4", "apt-get install nagios4-core"}, {"/usr/lib/cgi-bin/nagios4/cmd.cgi", "apt-get install nagios4-cgi"},
			{"/usr/sbin/apache2", "apt-get install apache2"}, {"/usr/lib/apache2/modules/libphp8.2.so", "apt-get install libapache2-mod-php"},
		}, phpNeeds),
		start: startNagios, public: true,
		values: func(run int) values {
			return values{
				"host": oneOf(run, "mill", "barn", "well"), "why": fmt.Sprintf("New roof %d", 3+run), "until": fmt.Sprintf("0%d-12-2038 10:00:00", 3+run), "hours": fmt.Sprint(3 + run),
				"service": oneOf(run, "Disk", "Load", "Mail"), "on": oneOf(run, "gate", "kiln", "dairy"), "note": fmt.Sprintf("Seen at %d:30", 8+run),
				"gone": nagiosOld[(1+run)%len(nagiosOld)],
			}
		},
		flow: func(p *person, v values) {
			menu := func(text string) { p.click("frame[name=side] >>> a{" + text + "}") }
			const main = "frame[name=main] >>> "
			menu("Hosts")
			p.click(main + "table.status a{" + v["host"] + "}")
			p.click(main + "a{Schedule downtime for this host}")
			p.refill(main+"input[name=com_data]", v["why"])
			p.refill(main+"input[name=end_time]", v["until"])
			p.choose(main+"select[name=fixed]", "Flexible")
			p.refill(main+"input[name=hours]", v["hours"])
			p.click(main + "input[name=btnSubmit]")
			p.click(main + "a{Done}")
			menu("Services")
			p.click(main + "table.status a[href*='host=" + v["on"] + "&'][href*='service=" + v["service"] + "']")
			p.click(main + "a{Disable notifications for this service}")
			p.click(main + "input[name=btnSubmit]")
			p.click(main + "a{Done}")
			p.click(main + "a{Add a new comment}")
			p.click(main + "input[name=persistent]")
			p.refill(main+"input[name=com_data]", v["note"])
			p.click(main + "input[name=btnSubmit]")
			p.click(main + "a{Done}")
			menu("Downtime")
			p.click(fmt.Sprintf(main+"a[href*='cmd_typ=78'][href$='down_id=%d']", 1+slices.Index(nagiosOld, v["gone"])))
			p.click(main + "input[name=btnSubmit]")
			p.see(main + "a{Done}")
		},
		want: func(s state, _ account, v values) {
			add(s, "downtime "+v["host"], strings.Join([]string{v["why"], v["until"], "0", v["hours"]}, "|"))
			s["notifications "+v["on"]+" "+v["service"]] = "0"
			add(s, "comment "+v["on"]+" "+v["service"], v["note"]+"|0")
			delete(s, "downtime "+v["gone"])
		},
	}
}

// nagiosHosts are watched, each with the services, and nagiosOld are those that are put off before.
var (
	nagiosHosts    = []string{"barn", "cellar", "dairy", "forge", "gate", "kiln", "mill", "well"}
	nagiosServices = []string{"Disk", "Load", "Mail"}
	nagiosOld      = []string{"forge", "cellar", "kiln", "gate", "dairy"}
)

const nagiosSettings = `cfg_file=DIR/objects.cfg
log_file=DIR/run/nagios.log
object_cache_file=DIR/run/objects.cache
status_file=DIR/run/status.dat
state_retention_file=DIR/run/retention.dat
command_file=DIR/run/nagios.cmd
lock_file=DIR/run/nagios.lock
temp_file=DIR/run/nagios.tmp
temp_path=DIR/run
check_result_path=DIR/run
log_archive_path=DIR/run
query_socket=DIR/run/nagios.qh
nagios_user=www-data
nagios_group=www-data
status_update_interval=1
check_external_commands=1
execute_host_checks=0
execute_service_checks=0
check_for_updates=0
date_format=us
use_syslog=0
`

const nagiosPages = `main_config_file=DIR/nagios.cfg
physical_html_path=DIR/www
url_html_path=/nagios4
use_authentication=1
default_user_name=keeper
authorized_for_system_information=keeper
authorized_for_all_services=keeper
authorized_for_all_hosts=keeper
authorized_for_all_service_commands=keeper
authorized_for_all_host_commands=keeper
escape_html_tags=1
`

const nagiosServer = `ServerName localhost
Listen 127.0.0.1:PORT
PidFile DIR/run/apache.pid
ErrorLog DIR/run/apache.log
DefaultRuntimeDir DIR/run
LoadModule mpm_prefork_module /usr/lib/apache2/modules/mod_mpm_prefork.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule cgi_module /usr/lib/apache2/modules/mod_cgi.so
LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
LoadModule env_module /usr/lib/apache2/modules/mod_env.so
LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so
LoadModule php_module /usr/lib/apache2/modules/libphp8.2.so
TypesConfig /etc/mime.types
DirectoryIndex index.php
AddHandler application/x-httpd-php .php
SetEnv NAGIOS_CGI_CONFIG DIR/cgi.cfg
ScriptAlias /cgi-bin/nagios4 /usr/lib/cgi-bin/nagios4
Alias /nagios4/stylesheets /etc/nagios4/stylesheets
Alias /nagios4 DIR/www
`

func nagiosObjects() string {
	text := "define command {\ncommand_name none\ncommand_line /bin/true\n}\ndefine timeperiod {\ntimeperiod_name always\nalias Always\n}\n" +
		"define contact {\ncontact_name keeper\nhost_notification_period always\nservice_notification_period always\nhost_notification_options n\nservice_notification_options n\nhost_notification_commands none\nservice_notification_commands none\n}\n"
	const rest = "check_command none\ncheck_period always\nmax_check_attempts 3\nnotification_period always\ncontacts keeper\n}\n"
	for _, host := range nagiosHosts {
		text += "define host {\nhost_name " + host + "\naddress 127.0.0.1\n" + rest
		for _, service := range nagiosServices {
			text += "define service {\nhost_name " + host + "\nservice_description " + service + "\n" + rest
		}
	}
	return text
}

func startNagios(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/nagios4/htdocs", "www"); err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("DIR", h.dir, "PORT", fmt.Sprint(port))
	for name, text := range map[string]string{"nagios.cfg": nagiosSettings, "cgi.cfg": nagiosPages, "apache.conf": nagiosServer, "objects.cfg": nagiosObjects(), "run/empty": ""} {
		if err := h.write(name, fill.Replace(text)); err != nil {
			return nil, err
		}
	}
	if _, err := h.run(ctx, nil, "chown", "-R", "www-data:www-data", "run"); err != nil {
		return nil, err
	}
	as := []string{"--reuid=www-data", "--regid=www-data", "--clear-groups"}
	server, err := h.serve(h.dir, nil, "setpriv", append(as, "nagios4", h.path("nagios.cfg"))...)
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, h.has("run/nagios.cmd")); err != nil {
		return nil, err
	}
	var commands string
	for _, name := range nagiosOld {
		now := time.Now().Unix()
		commands += fmt.Sprintf("[%d] SCHEDULE_HOST_DOWNTIME;%s;%d;%d;1;0;7200;Keeper;Swept\n", now, name, now, now+90_000)
	}
	if err := os.WriteFile(h.path("run/nagios.cmd"), []byte(commands), 0); err != nil {
		return nil, err
	}
	read := func(context.Context) (state, error) { return readNagios(h) }
	planned := func(ctx context.Context) error {
		s, err := read(ctx)
		if err == nil && s["downtime "+nagiosOld[len(nagiosOld)-1]] == "" {
			err = fmt.Errorf("nothing is planned yet")
		}
		return err
	}
	if err := server.up(ctx, planned); err != nil {
		return nil, err
	}
	pages, err := h.serve(h.dir, nil, "setpriv", append(as, "apache2", "-D", "FOREGROUND", "-f", h.path("apache.conf"))...)
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/nagios4/", port)
	return &site{url: url, state: read}, pages.up(ctx, answers(url))
}

// readNagios reads what it has written of all that is watched.
func readNagios(h *host) (state, error) {
	text, err := os.ReadFile(h.path("run/status.dat"))
	if err != nil {
		return nil, err
	}
	s := state{}
	kind, fields := "", map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if begins, is := strings.CutSuffix(line, " {"); is {
			kind, fields = begins, map[string]string{}
			continue
		}
		if key, value, is := strings.Cut(line, "="); is {
			fields[key] = value
		}
		if line != "}" {
			continue
		}
		what := strings.TrimSpace(fields["host_name"] + " " + fields["service_description"])
		switch kind {
		case "hoststatus", "servicestatus":
			s["notifications "+what] = fields["notifications_enabled"]
		case "hostcomment", "servicecomment":
			if fields["entry_type"] == "1" { // one that a person wrote
				add(s, "comment "+what, fields["comment_data"]+"|"+fields["persistent"])
			}
		case "hostdowntime", "servicedowntime":
			var end, long int64
			if _, err := fmt.Sscan(fields["end_time"]+" "+fields["duration"], &end, &long); err != nil {
				return nil, err
			}
			add(s, "downtime "+what, strings.Join([]string{fields["comment"], time.Unix(end, 0).Format("01-02-2006 15:04:05"), fields["fixed"], fmt.Sprint(long / 3600)}, "|"))
		}
	}
	return s, nil
}
