package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// adminer keeps a database with Adminer: a table that is drawn up in rows of fields which grow as one types, choices of
// columns as radios and boxes, rows whose links all say "edit", a question before rows are deleted.
func adminer() *app {
	return &app{
		name: "adminer", about: "a table drawn up in rows of fields which grow as one types, choices of columns as radios and boxes, rows whose links all say the same, a question before rows are deleted", held: true,
		needs: slices.Concat([]need{{"/usr/share/adminer/adminer.php", "apt-get install adminer"}}, phpNeeds, mariadbNeeds),
		start: startAdminer,
		values: func(run int) values {
			old := adminerOld[0]
			return values{
				"db": oneOf(min(run, 1), "croft", "manor"), "table": oneOf(run, "harvest", "visits", "repairs") + fmt.Sprint(run), "text": oneOf(run, "crop", "guest", "tool"), "type": oneOf(run, "varchar", "char", "varbinary"), "long": fmt.Sprint(60 + run), "day": oneOf(run, "gathered", "came", "mended"),
				"name": oneOf(run, "Nettle", "Otter", "Pepper") + fmt.Sprint(run), "kind": oneOf(run, "goat", "sheep", "cow"), "weight": fmt.Sprintf("%d.5", 31+run), "about": fmt.Sprintf("Bought at fair %d.\nShy.", 4+run),
				"old": old[(1+run)%len(old)], "now": fmt.Sprintf("%d.0", 44+run), "later": fmt.Sprintf("Moved to pen %d.", 20+run), "gone": old[(4+run)%len(old)],
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#username", who.user)
			p.fill("input[name='auth[password]']", who.password)
			p.click("input[value=Login]")
		},
		flow: func(p *person, v values) {
			edit := func(name string, at int) {
				p.click(fmt.Sprintf("#table a[href$='where%%5Bid%%5D=%d']{%s}", at, name))
			}
			p.click("#content table a{" + v["db"] + "}")
			p.click("#content a{Create table}")
			p.fill("input[name=name]", v["table"])
			p.fill("input[name='fields[1][field]']", "id")
			p.click("input[name=auto_increment_col][value='1']")
			p.fill("input[name='fields[1.1][field]']", v["text"])
			p.choose("select[name='fields[1.1][type]']", v["type"])
			p.fill("input[name='fields[1.1][length]']", v["long"])
			p.fill("input[name='fields[1.11][field]']", v["day"])
			p.choose("select[name='fields[1.11][type]']", "date")
			p.click("#form input[value=Save]")
			p.see("#content .message")
			p.click("#tables a[href*='select=animals']")
			p.click("#content a{New item}")
			p.fill("input[name='fields[name]']", v["name"])
			p.click("label{" + v["kind"] + "}")
			p.fill("input[name='fields[weight]']", v["weight"])
			p.fill("textarea[name='fields[about]']", v["about"])
			p.click("#form input[value=Save]")
			edit("edit", 1+slices.Index(adminerOld[0], v["old"]))
			p.refill("input[name='fields[weight]']", v["now"])
			p.click("label{tame}")
			p.click("#form input[value=Save]")
			edit("edit", 1+len(adminerOld[0]))
			p.refill("textarea[name='fields[about]']", v["later"])
			p.click("#form input[value=Save]")
			p.click(fmt.Sprintf("#table input[value$='where%%5Bid%%5D=%d']", 1+slices.Index(adminerOld[0], v["gone"])))
			p.confirm("input[name=delete]")
			p.see("#content .message")
		},
		want: func(s state, who account, v values) {
			s["table "+v["db"]+"."+v["table"]] = "id int(11) auto_increment, " + v["text"] + " " + v["type"] + "(" + v["long"] + "), " + v["day"] + " date"
			animal := "animal " + v["db"] + "." // one that is made twice would be seen
			add(s, animal+v["name"], strings.Join([]string{v["kind"], "", v["weight"], v["later"]}, "|"))
			s[animal+v["old"]] = strings.Join([]string{"hen", "tame", v["now"], "Old"}, "|")
			delete(s, animal+v["gone"])
		},
	}
}

// adminerOld are the animals of each account before.
var adminerOld = [2][]string{{"Ash", "Birch", "Cedar", "Dill", "Elder", "Fern"}, {"Fern", "Moss", "Dill", "Cedar", "Ivy", "Ash", "Hazel", "Elder", "Reed", "Birch"}}

func startAdminer(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	socket, err := h.mariadb(ctx, "barn")
	if err != nil {
		return nil, err
	}
	text := ""
	for i, who := range accounts {
		db := oneOf(i, "croft", "manor")
		text += fmt.Sprintf("create database %[1]s character set utf8mb4; create table %[1]s.animals (id int auto_increment primary key, name varchar(40) not null, kind enum('hen','goat','sheep','cow') not null default 'hen', traits set('tame','loud','old') not null default '', weight decimal(6,1), about text);", db)
		for _, name := range adminerOld[i] {
			text += fmt.Sprintf("insert into %s.animals (name, weight, about) values ('%s', 20, 'Old');", db, name)
		}
		text += fmt.Sprintf("create user %[1]s@localhost identified by '%[2]s'; grant all on %[3]s.* to %[1]s@localhost;", who.user, who.password, db)
	}
	if _, err := h.query(ctx, socket, text+"grant all on barn.* to grace@localhost;"); err != nil {
		return nil, err
	}
	if err := h.copyTree(ctx, "/usr/share/adminer", "www"); err != nil {
		return nil, err
	}
	page, err := os.ReadFile("/etc/adminer/conf.php")
	if err != nil {
		return nil, err
	}
	if err := h.write("www/index.php", strings.ReplaceAll(string(page), "/usr/share/adminer", h.path("www"))); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/index.php", port, "sys_temp_dir="+h.dir, "mysqli.default_socket="+socket)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		s := state{}
		for _, db := range []string{"croft", "manor"} {
			rows, err := h.query(ctx, socket, fmt.Sprintf("select name, kind, traits, weight, about from %s.animals", db))
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				add(s, "animal "+db+"."+r[0], strings.ReplaceAll(strings.Join(r[1:], "|"), "\r\n", "\n"))
			}
		}
		columns, err := h.query(ctx, socket, "select concat(table_schema, '.', table_name), group_concat(concat(column_name, ' ', column_type, if(extra = '', '', ' '), extra) order by ordinal_position separator ', ') from information_schema.columns where table_schema in ('barn', 'croft', 'manor') group by 1")
		for _, r := range columns {
			s["table "+r[0]] = r[1]
		}
		return s, err
	}
	return &site{url: url + "/index.php", accounts: accounts, state: read}, nil
}
