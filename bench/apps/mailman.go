package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mailman makes a mailing list and subscribes people to it, looks after another, its members, held messages, filters and
// bans, and deletes a third: pages of Django from the server with Bootstrap, rows that are alike, two forms of one page
// with the same button, a dialog that a request fills, a button that says the name of what it deletes.
func mailman() *app {
	return &app{
		name: "mailman", about: "pages of Django from the server with Bootstrap, rows that are alike, two forms of one page with the same button, a dialog that a request fills, a button that says the name of what it deletes", held: true,
		needs: append([]need{{"/usr/lib/mailman3/bin/master", "apt-get install mailman3"}, {"/usr/lib/python3/dist-packages/postorius/__init__.py", "apt-get install python3-django-postorius"}}, phpNeeds...), // the latter to read its databases
		start: startMailman,
		named: map[string]string{"email_2": "people", "email_3": "banned"},
		values: func(run int) values {
			return values{
				"list": oneOf(run, "ducks", "mules", "quails", "turkeys") + fmt.Sprintf("-%d", 21+run), "host": oneOf(run, "town.example", "farm.example"), "style": oneOf(run, "Announce only mailing list style.", "Discussion mailing list style with private archives."), "about": fmt.Sprintf("Birds of the yard, since %d", 1990+run), "shown": oneOf(run, "Hide this list in list index", "Advertise this list in list index"),
				"prefix": fmt.Sprintf("(yard %d) ", 31+run), "language": oneOf(run, "Danish", "Swedish", "Italian", "Dutch"), "seen": oneOf(run, "Anyone", "Only mailinglist members"), "people": fmt.Sprintf("Iris Vane <iris%d@town.example>\nTom Reed <tom%d@town.example>", 41+run, 51+run),
				"old": mailmanOld[run%len(mailmanOld)], "member": mailmanPerson(run % 4), "mode": oneOf(run, "MIME Digests", "Plain Text Digests"), "action": oneOf(run, "Accept immediately (bypass other rules)", "Hold for moderation", "Discard (no notification)"),
				"held": mailmanSubjects[(1+run)%len(mailmanSubjects)], "strict": oneOf(run, "Reject (with notification)", "Default processing"), "reason": fmt.Sprintf("Please read page %d first.", 61+run),
				"rule": oneOf(run, "Discard (no notification)", "Accept immediately (bypass other rules)"), "header": fmt.Sprintf("X-Weight-%d", 71+run), "pattern": fmt.Sprintf("^%d kg", 81+run), "then": oneOf(run, "Hold for moderation", "Reject (with notification)"),
				"banned": fmt.Sprintf("fox%d@woods.example", 91+run), "freed": mailmanBans[(1+run)%len(mailmanBans)], "gone": mailmanGone[(2+run)%len(mailmanGone)],
			}
		},
		signIn: func(p *person, who account) {
			p.click("a.nav-link{Login}")
			p.fill("#id_login", who.user)
			p.fill("#id_password", who.password)
			p.click("button{Sign In}")
		},
		flow: func(p *person, v values) {
			name, _, _ := strings.Cut(v["member"], " <")
			p.click("a{Create New List}")
			p.fill("#id_listname", v["list"])
			p.choose("#id_mail_host", v["host"])
			p.fill("#id_description", v["about"])
			p.click("label{" + v["shown"] + "}")
			p.choose("#id_list_style", v["style"])
			p.click("button{Create list}")
			p.click("a.nav-link{Settings}")
			p.refill("#id_subject_prefix", v["prefix"])
			p.choose("#id_preferred_language", v["language"])
			p.choose("#id_member_roster_visibility", v["seen"])
			p.click("button{Save changes}")
			p.see(".alert-success")
			p.click("a.dropdown-toggle{Mass operations}")
			p.click(".dropdown-item{Mass subscribe}")
			p.fill("#id_emails", v["people"])
			p.click("label:has(#id_pre_verified)")
			p.click("button{Subscribe users}")
			p.see(".alert-success")
			p.click("a.nav-link{Lists}")
			p.click("a.btn{All}")
			p.click("td a{" + v["old"] + "}")
			p.click("a.dropdown-toggle{Users}")
			p.click(".dropdown-item{Members}")
			p.click("td a[href*='" + mailmanAddress(strings.Trim(name, `"`)) + "']")
			p.choose("#id_delivery_mode", v["mode"])
			p.click("form:has(#id_delivery_mode) button{Save changes}")
			p.see(".alert-success")
			p.choose("#id_moderation_action", v["action"])
			p.click("form:has(#id_moderation_action) button{Save changes}")
			p.see(".alert-success")
			p.click("a.nav-link[href$=held_messages]")
			p.click("a.show-modal-btn{" + v["held"] + "}")
			p.see("#held-messages-modal:focus") // it takes the focus once it has come down
			p.choose("#moderation-choice", v["strict"])
			p.fill("#held-messages-modal textarea[name=reason]", v["reason"])
			p.click("#held-messages-modal input[name=reject]")
			p.see(".alert-success")
			p.click("a.nav-link{Header filters}")
			p.choose("tr:has(input[value=x-colour]) select", v["rule"])
			p.fill("input[placeholder='New header']", v["header"])
			p.fill("input[placeholder='New pattern']", v["pattern"])
			p.choose("tr:has(input[placeholder='New header']) select", v["then"])
			p.click("button{Save changes}")
			p.see(".alert-success")
			p.click("a.nav-link{Ban List}")
			p.fill("#id_email", v["banned"])
			p.click("button{Ban email}")
			p.see(".alert-success")
			p.click("tr:has(input[value='" + v["freed"] + "']) button")
			p.see(".alert-success")
			p.click("a.nav-link{Lists}")
			p.click("a.btn{All}")
			p.click("td a{" + v["gone"] + "}")
			p.click("a.nav-link{Delete}")
			p.click("button.btn-danger{Delete " + strings.ToLower(v["gone"]) + "@farm.example}")
			p.see("a{Create New List}")
			p.click(".navbar-right a.dropdown-toggle")
			p.click(".dropdown-item{Logout}")
			p.click("button{Sign Out}")
			p.see("a.nav-link{Login}")
		},
		want: func(s state, who account, v values) {
			actions := map[string]string{"Hold for moderation": "hold", "Reject (with notification)": "reject", "Discard (no notification)": "discard", "Accept immediately (bypass other rules)": "accept", "Default processing": "defer"}
			at := v["list"] + "." + v["host"]
			private, posts := "public", "1"
			if strings.Contains(v["style"], "private") {
				private = "private"
			}
			if strings.HasPrefix(v["style"], "Announce") {
				posts = "0"
			}
			shown := "0"
			if strings.HasPrefix(v["shown"], "Advertise") {
				shown = "1"
			}
			language := map[string]string{"Danish": "da", "Swedish": "sv", "Italian": "it", "Dutch": "nl"}
			seen := map[string]string{"Anyone": "public", "Only mailinglist members": "members"}
			s["list "+at] = strings.Join([]string{v["about"], shown, v["prefix"], language[v["language"]], seen[v["seen"]], private, posts}, "|")
			s["owner "+at] = who.user + "@farm.example"
			for _, line := range strings.Split(v["people"], "\n") {
				name, address, _ := strings.Cut(strings.TrimSuffix(line, ">"), " <")
				s["member "+at+" "+address] = name + "||"
			}
			of := func(name string) string { return strings.ToLower(name) + ".farm.example" }
			old := of(v["old"])
			name, _, _ := strings.Cut(v["member"], " <")
			name = strings.Trim(name, `"`)
			s["member "+old+" "+mailmanAddress(name)] = strings.Join([]string{name, map[string]string{"MIME Digests": "mime", "Plain Text Digests": "plain"}[v["mode"]], actions[v["action"]]}, "|")
			sender := mailmanPeople[mailmanSender(v["held"])]
			delete(s, "held "+old+" "+v["held"])
			s["member "+old+" "+mailmanAddress(sender)] = sender + "||" + actions[v["strict"]]
			add(s, "refused "+mailmanAddress(sender), v["reason"])
			var rules []string
			for _, rule := range strings.Split(s["rules "+old], ", ") {
				if strings.HasPrefix(rule, "x-colour ") {
					rule = "x-colour grey " + actions[v["rule"]]
				}
				if rule != "" {
					rules = append(rules, rule)
				}
			}
			s["rules "+old] = strings.Join(append(rules, strings.ToLower(v["header"])+" "+v["pattern"]+" "+actions[v["then"]]), ", ")
			s["ban "+old+" "+v["banned"]] = ""
			delete(s, "ban "+old+" "+v["freed"])
			for key := range s {
				if part := strings.Fields(key); part[1] == of(v["gone"]) {
					delete(s, key)
				}
			}
		},
	}
}

// What is there before: lists that stay and lists that are deleted, members of each of them, messages that wait for a
// decision, rules and bans.
var (
	mailmanOld      = []string{"Bees", "Cows", "Goats"}
	mailmanGone     = []string{"Hens", "Lambs", "Pigs", "Rams", "Sheep", "Swans"}
	mailmanPeople   = []string{"Alma Berg", "Bert Lund", "Cleo Falk", "Dora Holm", "Emil Roth", "Fritz Voss", "Gerda Kern", "Hugo Dahl"}
	mailmanSubjects = []string{"Hay for sale", "A lost cap", "Market on Monday", "The new gate", "Who has a cart?", "Cheap boots"}
	mailmanRules    = []string{"x-spam yes hold", "x-colour grey hold", "x-shape round reject", "x-sound loud hold"}
	mailmanBans     = []string{"bear@woods.example", "crow@woods.example", "hawk@woods.example", "lynx@woods.example", "mink@woods.example", "wolf@woods.example"}
)

// mailmanAddress is where someone has letters sent, and mailmanPerson is how the list of members says who they are.
func mailmanAddress(name string) string {
	first, _, _ := strings.Cut(name, " ")
	return strings.ToLower(first) + "@town.example"
}

func mailmanPerson(i int) string {
	return fmt.Sprintf("%q <%s>", mailmanPeople[i], mailmanAddress(mailmanPeople[i]))
}

// mailmanSender is who has written a message that is held: one of those whose options are not looked at.
func mailmanSender(subject string) int { return 4 + slices.Index(mailmanSubjects, subject)%4 }

const mailmanSettings = `[mailman]
layout: ours
site_owner: postmaster@farm.example
[paths.ours]
var_dir: %[1]s/var
bin_dir: /usr/lib/mailman3/bin
etc_dir: %[1]s
[database]
class: mailman.database.sqlite.SQLiteDatabase
url: sqlite:///%[1]s/mailman.db
[webservice]
hostname: 127.0.0.1
port: %[2]d
admin_user: rest
admin_pass: rest
[mta]
incoming: mailman.mta.null.NullMTA
`

// mailmanRunners would send and take letters.
var mailmanRunners = []string{"archive", "bounces", "command", "digest", "in", "lmtp", "nntp", "out", "pipeline", "retry", "task", "virgin"}

const mailmanFill = `import json, sys
from email import message_from_string
from mailman.core.initialize import initialize
initialize('mailman.cfg')
from zope.component import getUtility
from mailman.app.lifecycle import create_list
from mailman.app.moderator import hold_message
from mailman.config import config
from mailman.email.message import Message
from mailman.interfaces.bans import IBanManager
from mailman.interfaces.domain import IDomainManager
from mailman.interfaces.mailinglist import IHeaderMatchList
from mailman.interfaces.member import MemberRole
from mailman.interfaces.usermanager import IUserManager
from mailman.utilities.datetime import now
told = json.loads(sys.argv[1])
for domain in ("farm.example", "town.example"):
    getUtility(IDomainManager).add(domain)
users, addresses = getUtility(IUserManager), []
for name, email in told["People"]:
    user = users.create_user(email, name)
    for address in user.addresses:
        address.verified_on = now()
        user.preferred_address = address
        addresses.append(address)
for name in told["Lists"]:
    at = create_list(name.lower() + "@farm.example", ["postmaster@farm.example"])
    at.description = "All about " + name.lower()
    for address in addresses:
        at.subscribe(address, MemberRole.member)
    for rule in told["Rules"]:
        IHeaderMatchList(at).append(*rule.split())
    for email in told["Bans"]:
        IBanManager(at).ban(email)
    for i, (subject, sender) in enumerate(told["Held"]):
        letter = message_from_string(f"From: {sender}\nTo: {at.posting_address}\nSubject: {subject}\nMessage-ID: <{name}-{i}@town.example>\n\nRead this, please.\n", Message)
        letter.original_size = 100
        hold_message(at, letter, {}, "The message is to be looked at")
config.db.commit()
`

const mailmanPages = `SECRET_KEY = 'a-secret-of-a-farm'
DEBUG = True
ALLOWED_HOSTS = ['*']
SITE_ID = 1
MAILMAN_REST_API_URL = 'http://127.0.0.1:%[2]d'
MAILMAN_REST_API_USER = MAILMAN_REST_API_PASS = 'rest'
MAILMAN_ARCHIVER_FROM = ('127.0.0.1',)
MAILMAN_ARCHIVER_KEY = 'key'
POSTORIUS_TEMPLATE_BASE_URL = 'http://127.0.0.1:%[3]d'
INSTALLED_APPS = ['postorius', 'django_mailman3', 'django.contrib.admin', 'django.contrib.auth', 'django.contrib.contenttypes', 'django.contrib.sessions', 'django.contrib.sites', 'django.contrib.messages', 'django.contrib.staticfiles', 'django_gravatar', 'allauth', 'allauth.account', 'allauth.socialaccount']
MIDDLEWARE = ['django.contrib.sessions.middleware.SessionMiddleware', 'django.middleware.common.CommonMiddleware', 'django.middleware.csrf.CsrfViewMiddleware', 'django.middleware.locale.LocaleMiddleware', 'django.contrib.auth.middleware.AuthenticationMiddleware', 'django.contrib.messages.middleware.MessageMiddleware', 'django_mailman3.middleware.TimezoneMiddleware', 'postorius.middleware.PostoriusMiddleware']
ROOT_URLCONF = 'addresses'
TEMPLATES = [{'BACKEND': 'django.template.backends.django.DjangoTemplates', 'APP_DIRS': True, 'OPTIONS': {'context_processors': ['django.template.context_processors.' + c for c in ('debug', 'i18n', 'media', 'static', 'tz', 'csrf', 'request')] + ['django.contrib.auth.context_processors.auth', 'django.contrib.messages.context_processors.messages', 'django_mailman3.context_processors.common', 'postorius.context_processors.postorius']}}]
DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': '%[1]s/web.db'}}
DEFAULT_AUTO_FIELD = 'django.db.models.AutoField'
TIME_ZONE, USE_TZ, USE_I18N, USE_L10N, LANGUAGE_CODE = 'UTC', True, True, True, 'en-us'
STATIC_URL = '/static/'
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_URL = 'account_login', 'list_index', 'account_logout'
AUTHENTICATION_BACKENDS = ['django.contrib.auth.backends.ModelBackend', 'allauth.account.auth_backends.AuthenticationBackend']
ACCOUNT_AUTHENTICATION_METHOD, ACCOUNT_EMAIL_VERIFICATION, ACCOUNT_DEFAULT_HTTP_PROTOCOL = 'username_email', 'none', 'http'
ACCOUNT_EMAIL_REQUIRED = ACCOUNT_UNIQUE_EMAIL = True
EMAIL_BACKEND = 'django.core.mail.backends.dummy.EmailBackend'
GRAVATAR_URL = GRAVATAR_SECURE_URL = '/static/' # pictures of people are with another host
MESSAGE_TAGS = {40: 'danger'}
`

const mailmanAddresses = `from django.contrib import admin
from django.urls import include, path, reverse_lazy
from django.views.generic import RedirectView
urlpatterns = [path('', RedirectView.as_view(url=reverse_lazy('list_index'))), path('mailman3/', include('postorius.urls')), path('', include('django_mailman3.urls')), path('accounts/', include('allauth.urls')), path('admin/', admin.site.urls)]
`

func startMailman(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	ports, err := h.free(2)
	if err != nil {
		return nil, err
	}
	settings := fmt.Sprintf(mailmanSettings, h.dir, ports[0])
	for _, runner := range mailmanRunners {
		settings += "[runner." + runner + "]\nstart: no\n"
	}
	users := "from django.contrib.auth.models import User\nfrom allauth.account.models import EmailAddress\n"
	for _, who := range accounts {
		users += fmt.Sprintf("u = User.objects.create_superuser('%[1]s', '%[1]s@farm.example', '%[2]s')\nEmailAddress.objects.create(user=u, email=u.email, verified=True, primary=True)\n", who.user, who.password)
	}
	for name, text := range map[string]string{"mailman.cfg": settings, "fill.py": mailmanFill, "ours.py": fmt.Sprintf(mailmanPages, h.dir, ports[0], ports[1]), "addresses.py": mailmanAddresses, "users.py": users} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	var people, held [][2]string
	for _, name := range mailmanPeople {
		people = append(people, [2]string{name, mailmanAddress(name)})
	}
	for _, subject := range mailmanSubjects {
		held = append(held, [2]string{subject, mailmanAddress(mailmanPeople[mailmanSender(subject)])})
	}
	told, err := json.Marshal(map[string]any{"People": people, "Lists": slices.Concat(mailmanOld, mailmanGone), "Rules": mailmanRules, "Bans": mailmanBans, "Held": held})
	if err != nil {
		return nil, err
	}
	const python = "/usr/bin/python3" // Debian's, which knows its packages
	env := []string{"DJANGO_SETTINGS_MODULE=ours", "PYTHONPATH=" + h.dir, "PYTHONWARNINGS=ignore"}
	for _, args := range [][]string{{"fill.py", string(told)}, {"-m", "django", "migrate"}, {"-m", "django", "shell", "-c", "exec(open('users.py').read())"}} {
		if _, err := h.run(ctx, env, python, args...); err != nil {
			return nil, err
		}
	}
	core, err := h.serve(h.dir, nil, "/usr/lib/mailman3/bin/master", "-C", h.path("mailman.cfg"), "--force")
	if err != nil {
		return nil, err
	}
	if err := core.up(ctx, answers(fmt.Sprintf("http://rest:rest@127.0.0.1:%d/3.1/lists", ports[0]))); err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/mailman3/lists/", ports[1])
	pages, err := h.serve(h.dir, env, python, "-m", "django", "runserver", "--noreload", fmt.Sprintf("127.0.0.1:%d", ports[1]))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) { return readMailman(ctx, h) }
	return &site{url: url, accounts: accounts, state: read}, pages.up(ctx, answers(url))
}

// mailmanRefusal is what someone is written whose message was rejected, as it lies in the queue.
var mailmanRefusal = regexp.MustCompile(`(?s)has been rejected by the list moderator.*?rejecting your request:\s+"([^"]*)"`)

var mailmanRecipient = regexp.MustCompile(`recipients[^@]*?([a-z]+@town\.example)`)

func readMailman(ctx context.Context, h *host) (state, error) {
	const (
		action = `coalesce((select value from (select 0 as n, 'hold' as value union select 1, 'reject' union select 2, 'discard' union select 3, 'accept' union select 4, 'defer') where n = %s), '')`
		text   = `coalesce(json_extract((select value from pendedkeyvalue v join pended p on p.id = v.pended_id where p.token = r.data_hash and v.key = '_mod_subject'), '$'), '')`
	)
	s := state{}
	for kind, query := range map[string]string{
		"list":   `select list_id, description, advertised, subject_prefix, preferred_language, case member_roster_visibility when 2 then 'moderators' when 1 then 'members' else 'public' end, case archive_policy when 0 then 'never' when 1 then 'private' else 'public' end, allow_list_posts from mailinglist`,
		"owner":  `select list_id, coalesce(a.email, b.email) from member m left join address a on a.id = m.address_id left join user u on u.id = m.user_id left join address b on b.id = u._preferred_address_id where role = 2`,
		"member": `select list_id || ' ' || coalesce(a.email, b.email), coalesce(nullif(a.display_name, ''), u.display_name, b.display_name), case p.delivery_mode when 2 then 'plain' when 3 then 'mime' when 1 then 'regular' when 4 then 'summary' else '' end, ` + fmt.Sprintf(action, "m.moderation_action") + ` from member m left join address a on a.id = m.address_id left join user u on u.id = m.user_id left join address b on b.id = u._preferred_address_id join preferences p on p.id = m.preferences_id where role = 1`,
		"held":   `select l.list_id || ' ' || ` + text + ` from _request r join mailinglist l on l.id = r.mailing_list_id`,
		"rules":  `select l.list_id, (select group_concat(header || ' ' || pattern || ' ' || coalesce(chain, 'default'), ', ') from (select * from headermatch h where h.mailing_list_id = l.id order by position)) from mailinglist l where l.id in (select mailing_list_id from headermatch)`,
		"ban":    `select coalesce(list_id, 'everywhere') || ' ' || email from ban`,
	} {
		rows, err := h.sqlite(ctx, h.path("mailman.db"), query)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			add(s, kind+" "+r[0], strings.Join(r[1:], "|"))
		}
	}
	sessions, err := h.sqlite(ctx, h.path("web.db"), "select count(*) from django_session")
	if err != nil {
		return nil, err
	}
	s["sessions open"] = sessions[0][0] // who signs out has none
	letters, err := filepath.Glob(h.path("var", "queue", "virgin", "*.pck"))
	if err != nil {
		return nil, err
	}
	for _, letter := range letters {
		data, err := os.ReadFile(letter)
		if err != nil {
			return nil, err
		}
		if said := mailmanRefusal.FindSubmatch(data); said != nil {
			to := ""
			if found := mailmanRecipient.FindSubmatch(data); found != nil {
				to = string(found[1])
			}
			add(s, "refused "+to, string(said[1]))
		}
	}
	return s, nil
}
