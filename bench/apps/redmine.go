package main

import (
	"context"
	"fmt"
	"strings"
)

// redmine reports an issue and changes it later: a form that a choice has the server draw
// again, date fields of the browser, a list that is sorted by a press, a form that unfolds.
func redmine() *app {
	return &app{
		name: "redmine", about: "a form that a choice has the server draw again, date fields, a list that is sorted by a press", held: true,
		needs: append([]need{{"/usr/share/redmine/config.ru", "apt-get install redmine redmine-sqlite"}, {"/usr/bin/puma", "apt-get install puma"}}, phpNeeds...),
		start: startRedmine,
		values: func(run int) values {
			return values{
				"subject": oneOf(run, "Mow", "Fence", "Water") + fmt.Sprintf(" the lawn %d", run), "about": fmt.Sprintf("It is %d cm high.\nSince *May*.", 20+run),
				"tracker": oneOf(run, "Feature", "Support"), "priority": oneOf(run, "High", "Urgent"), "due": fmt.Sprintf("2031-06-%02d", 15+run), "ratio": oneOf(run, "30 %", "70 %"),
			}
		},
		signIn: func(p *person, who account) {
			p.click("#account a.login")
			p.fill("#username", who.user)
			p.fill("#password", who.password)
			p.click("#login-submit")
		},
		flow: func(p *person, v values) {
			p.click("#top-menu a.projects")
			p.click("#projects-index a.project")
			p.click("#new-object")
			p.click(".new-issue-sub")
			p.choose("#issue_tracker_id", v["tracker"])
			p.see("#issue_tracker_id:has(option[selected]:checked)") // the form that the choice asked for
			p.fill("#issue_subject", v["subject"])
			p.fill("#issue_description", v["about"])
			p.choose("#issue_priority_id", v["priority"])
			p.click("label[for=issue_due_date]")
			p.typing(v["due"][5:7] + v["due"][8:] + v["due"][:4])
			p.click("#issue_is_private")
			p.click("#issue-form input[name=commit]")
			p.see("#flash_notice")
			p.click("#main-menu a.issues")
			p.click("th.subject a")
			p.click("tr.issue td.subject a{" + v["subject"] + "}")
			p.click("#content > .contextual .icon-edit")
			p.choose("#issue_done_ratio", v["ratio"])
			p.click("#issue-form > input[name=commit]")
			p.see("#flash_notice")
		},
		want: func(s state, who account, v values) {
			s["issue "+v["subject"]] = strings.Join([]string{who.user, v["tracker"], v["priority"], v["due"], strings.TrimSuffix(v["ratio"], " %"), "1", v["about"]}, "|")
		},
	}
}

func startRedmine(ctx context.Context, h *host) (*site, error) {
	if err := h.copyTree(ctx, "/usr/share/redmine", "www"); err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	database := h.path("redmine.db")
	if err := h.write("www/instances/default/config/database.yml", "production:\n  adapter: sqlite3\n  database: "+database+"\n  timeout: 5000\n"); err != nil {
		return nil, err
	}
	if err := h.write("www/instances/default/config/secret_key.txt", strings.Repeat("abcdef", 12)); err != nil {
		return nil, err
	}
	fill := `Redmine::DefaultData::Loader.load('en')
p = Project.create!(name: 'Garden', identifier: 'garden', is_public: true, enabled_module_names: ['issue_tracking'])
`
	for _, who := range accounts {
		fill += fmt.Sprintf(`u = User.new(firstname: '%[1]s', lastname: 'Test', mail: '%[1]s@example.com', language: 'en'); u.login = '%[1]s'; u.password = '%[2]s'; u.save!
Member.create!(user: u, project: p, roles: [Role.givable.first])
`, who.user, who.password)
	}
	fill += `['Beds', 'Hedge', 'Pond', 'Trees'].each { |s| Issue.create!(project: p, subject: s, author: User.find_by_login('ada'), tracker: Tracker.first, priority: IssuePriority.default) }` + "\n"
	env := []string{"RAILS_ENV=production", "RAILS_SERVE_STATIC_FILES=1", "RAILS_LOG_TO_STDOUT=1"}
	// The classes are read by what the tables have, so that these come in a run of their own.
	for _, script := range []string{"ActiveRecord::Migration.verbose = false\nActiveRecord::Base.connection.migration_context.migrate\n", fill} {
		if err := h.write("setup.rb", script); err != nil {
			return nil, err
		}
		if _, err := h.run(ctx, env, "sh", "-c", "cd www && exec bin/rails runner ../setup.rb"); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	server, err := h.serve(h.path("www"), env, "puma", "-e", "production", "-b", fmt.Sprintf("tcp://127.0.0.1:%d", port), "-t", "4:4")
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.sqlite(ctx, database, `select subject, login, t.name, e.name, coalesce(due_date, ''), done_ratio, is_private, coalesce(i.description, '') from issues i
			join users u on u.id = author_id join trackers t on t.id = tracker_id join enumerations e on e.id = priority_id`)
		s := state{}
		for _, r := range rows {
			add(s, "issue "+r[0], strings.ReplaceAll(strings.Join(r[1:], "|"), "\r\n", "\n"))
		}
		return s, err
	}
	return &site{url: url, accounts: accounts, state: read}, server.up(ctx, answers(url))
}
