package main

import (
	"context"
	"fmt"
	"strings"
)

// rt makes a ticket and changes it where it is shown: lists that a script draws over those of
// the browser, an editor in a frame, people who are suggested as one types, fields that unfold.
func rt() *app {
	return &app{
		name: "rt", about: "lists that a script draws over those of the browser, an editor in a frame, people who are suggested, fields that unfold where they are shown", held: true,
		needs: append([]need{
			{"/usr/share/request-tracker5/libexec/rt-server", "apt-get install request-tracker5 rt5-db-sqlite rt5-standalone"},
			{"/usr/bin/starman", "apt-get install starman"},
		}, phpNeeds...), // to read its database
		start: startRT,
		values: func(run int) values {
			return values{
				"subject": oneOf(run, "Oven", "Lamp", "Sink") + fmt.Sprintf(" is broken %d", run), "about": fmt.Sprintf("Since %d days.", 2+run), "queue": oneOf(run, "Kitchen", "Office", "General"),
				"copy": oneOf(run, "dorothy", "mary", "emmy"), "owner": oneOf(run, "mary", "emmy", "dorothy"), "kind": oneOf(run, "Repair", "Purchase", "Idea"), "priority": oneOf(run, "High", "Medium"), "status": oneOf(run, "open", "stalled", "rejected"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#user", who.user)
			p.fill("input[name=pass]", who.password)
			p.click("input[value=Login]")
		},
		flow: func(p *person, v values) {
			p.click("input[value='Create new ticket']")
			choose := func(list, text string) {
				p.click("select[name" + list + "] + button")
				p.click(".bootstrap-select .dropdown-menu.show .dropdown-item .text{" + text + "}")
			}
			choose("=Queue", v["queue"])
			p.see("h1{Create a new ticket in " + v["queue"] + "}") // the form that the choice asked for
			p.fill("input[name=Cc] + * input", v["copy"])
			p.click(".selectize-dropdown-content .option")
			p.fill("input[name=Subject]", v["subject"])
			p.fill(".cke_wysiwyg_frame >>> body", v["about"])
			choose("=Owner", v["owner"])
			choose("$=CustomField-2-Values", v["kind"])
			p.click("input[name=SubmitTicket]")
			p.click(".ticket-info-basics .inline-edit-toggle.edit")
			choose("=Status", v["status"])
			choose("=Priority", v["priority"])
			p.click(".ticket-info-basics form.inline-edit input[value=Save]")
			p.see(".jGrowl-notification, .action-results")
		},
		want: func(s state, who account, v values) {
			s["ticket "+v["subject"]] = strings.Join([]string{who.user, v["queue"], v["copy"], v["owner"], v["status"], v["priority"], v["kind"], v["about"]}, "|")
		},
	}
}

const rtSetup = `use lib '/usr/share/request-tracker5/lib';
use RT -init;
my $group = RT::Group->new(RT->SystemUser); $group->LoadSystemInternalGroup('Privileged');
for my $right (qw(SeeQueue ShowTicket ShowTicketComments CreateTicket ModifyTicket OwnTicket ReplyToTicket CommentOnTicket ModifySelf LoadSavedSearch ShowSavedSearches SeeSelfServiceGroup)) { $group->PrincipalObj->GrantRight(Right => $right, Object => RT->System) }
for my $right (qw(SeeCustomField ModifyCustomField SetInitialCustomField)) { $group->PrincipalObj->GrantRight(Right => $right, Object => RT->System) }
for my $name (qw(Garden Kitchen Office)) { my ($ok, $said) = RT::Queue->new(RT->SystemUser)->Create(Name => $name); die $said unless $ok }
my $field = RT::CustomField->new(RT->SystemUser);
my ($ok, $said) = $field->Create(Name => 'Kind', Type => 'Select', RenderType => 'Dropdown', MaxValues => 1, LookupType => 'RT::Queue-RT::Ticket'); die $said unless $ok;
$field->AddValue(Name => $_, SortOrder => $i++) for qw(Idea Purchase Repair);
$field->AddToObject(RT::Queue->new(RT->SystemUser));
while (@ARGV) { my ($name, $password) = splice(@ARGV, 0, 2); my ($ok, $said) = RT::User->new(RT->SystemUser)->Create(Name => $name, Password => $password, Privileged => 1, EmailAddress => "$name\@example.com", RealName => ucfirst $name); die $said unless $ok }
for my $subject ('Paint the fence', 'Order seeds') { my $t = RT::Ticket->new(RT::CurrentUser->new('mary')); my ($ok, undef, $said) = $t->Create(Queue => 'Garden', Subject => $subject, Requestor => 'mary'); die $said unless $ok }
`

func startRT(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, database := fmt.Sprintf("http://127.0.0.1:%d", port), h.path("rt.db")
	settings := fmt.Sprintf(`Set($rtname, 'Works'); Set($Organization, 'works'); Set($WebPath, ''); Set($WebDomain, '127.0.0.1'); Set($WebPort, %d); Set($WebBaseURL, '%s');
Set($DatabaseType, 'SQLite'); Set($DatabaseName, '%s'); Set($Timezone, 'UTC'); Set($LogToSyslog, undef); Set($LogToSTDERR, 'warning'); Set($MailCommand, 'testfile');
$RT::MasonDataDir = '%[4]s/mason'; $RT::MasonSessionDir = '%[4]s/session'; $RT::VarPath = '%[4]s';
1;
`, port, url, database, h.dir)
	for name, text := range map[string]string{"RT_SiteConfig.pm": settings, "conf.d/empty": "", "mason/empty": "", "session/empty": "", "setup.pl": rtSetup} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	env := []string{"RT_SITE_CONFIG=" + h.path("RT_SiteConfig.pm"), "RT_SITE_CONFIG_DIR=" + h.path("conf.d")}
	if _, err := h.run(ctx, env, "rt-setup-database-5", "--action", "init", "--skip-create", "--dba", "root", "--dba-password", ""); err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	args := []string{h.path("setup.pl"), "mary", "Somerville-3", "dorothy", "Vaughan-4", "emmy", "Noether-5"}
	for _, who := range accounts {
		args = append(args, who.user, who.password)
	}
	if _, err := h.run(ctx, env, "perl", args...); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, env, "/usr/share/request-tracker5/libexec/rt-server", "--server", "Starman", "--port", fmt.Sprint(port), "--host", "127.0.0.1", "--workers", "4")
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.sqlite(ctx, database, `select t.Subject, c.Name, q.Name,
			coalesce((select group_concat(u.Name) from Groups g join GroupMembers m on m.GroupId = g.id join Users u on u.id = m.MemberId where g.Domain = 'RT::Ticket-Role' and g.Instance = t.id and g.Name = 'Cc'), ''),
			o.Name, t.Status, case t.Priority when 100 then 'High' when 50 then 'Medium' else '' end, coalesce((select group_concat(v.Content) from ObjectCustomFieldValues v where v.ObjectType = 'RT::Ticket' and v.ObjectId = t.id and v.Disabled = 0), ''),
			coalesce((select group_concat(a.Content) from Transactions x join Attachments a on a.TransactionId = x.id where x.ObjectType = 'RT::Ticket' and x.ObjectId = t.id and x.Type in ('Create', 'Correspond', 'Comment') and a.ContentType = 'text/html'), '')
			from Tickets t join Users c on c.id = t.Creator join Users o on o.id = t.Owner join Queues q on q.id = t.Queue`)
		s := state{}
		for _, r := range rows {
			said := strings.NewReplacer("<p>", "", "</p>", "", "&nbsp;", "").Replace(r[len(r)-1])
			r[len(r)-1] = strings.TrimSpace(said)
			add(s, "ticket "+r[0], strings.Join(r[1:], "|"))
		}
		return s, err
	}
	return &site{url: url + "/", accounts: accounts, state: read}, server.up(ctx, answers(url))
}
