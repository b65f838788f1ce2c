package main

import (
	"context"
	"fmt"
)

// roundcube adds someone to an address book: lists at the left whose forms are shown in a
// frame, fields that are added on demand, and a server that answers with scripts.
func roundcube() *app {
	return &app{
		name: "roundcube", about: "forms in a frame, fields that are added on demand, answers that are scripts",
		needs: append([]need{
			{"/usr/share/roundcube/index.php", "apt-get install roundcube-core roundcube-sqlite3"},
			{"/usr/sbin/dovecot", "apt-get install dovecot-imapd"},
		}, phpNeeds...),
		start: startRoundcube,
		values: func(run int) values {
			return values{"first": fmt.Sprintf("Alan%d", run), "last": fmt.Sprintf("Turing%d", run), "mail": fmt.Sprintf("alan%d@example.org", run)}
		},
		named: map[string]string{"first_name": "first", "last_name": "last", "email": "mail"},
		signIn: func(p *person, who account) {
			p.fill("#rcmloginuser", who.user)
			p.fill("#rcmloginpwd", who.password)
			p.click("#rcmloginsubmit")
			p.see("#taskmenu a.contacts")
		},
		flow: func(p *person, v values) {
			p.click("#taskmenu a.contacts")
			p.click("a.create:not(.disabled)")
			p.fill("#contact-frame >>> #ff_firstname", v["first"])
			p.fill("#contact-frame >>> #ff_surname", v["last"])
			p.fill("#contact-frame >>> input[placeholder=Email]", v["mail"])
			p.click("#contact-frame >>> .formbuttons button.submit")
			p.see("#contacts-table tbody tr")
		},
		want: func(s state, who account, v values) {
			s[who.user+": "+v["first"]+" "+v["last"]] = v["mail"]
		},
	}
}

func startRoundcube(ctx context.Context, h *host) (*site, error) {
	if err := h.copyTree(ctx, "/var/lib/roundcube", "www"); err != nil {
		return nil, err
	}
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	imap, err := h.dovecot(ctx, accounts[:])
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`<?php $config = ['db_dsnw' => 'sqlite:///%s?mode=0646', 'imap_host' => '127.0.0.1:%d', 'smtp_host' => '127.0.0.1:1',
	'des_key' => 'rcmail-!24ByteDESkey*Str', 'plugins' => [], 'skin' => 'elastic', 'log_dir' => '%s', 'temp_dir' => '%s', 'mail_domain' => 'example.com',
	'session_lifetime' => 60, 'enable_installer' => false, 'language' => 'en_US'];
`, h.path("roundcube.db"), imap, h.dir, h.dir)
	if err := h.write("www/config/config.inc.php", config); err != nil {
		return nil, err
	}
	create := `$d = new PDO('sqlite:' . $argv[1]); $d->exec(file_get_contents($argv[2]));`
	if _, err := h.run(ctx, nil, "php", "-r", create, h.path("roundcube.db"), "/usr/share/roundcube/SQL/sqlite.initial.sql"); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	// Where it is, it takes for granted.
	if err := h.write("prepend.php", fmt.Sprintf("<?php define('INSTALL_PATH', '%s/');\n", h.path("www"))); err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/index.php", port, "auto_prepend_file="+h.path("prepend.php"))
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		rows, err := h.sqlite(ctx, h.path("roundcube.db"), "select username, firstname, surname, email from contacts c join users u on u.user_id = c.user_id where del = 0")
		s := state{}
		for _, r := range rows {
			add(s, r[0]+": "+r[1]+" "+r[2], r[3])
		}
		return s, err
	}
	return &site{url: url + "/", accounts: accounts, state: read}, nil
}

// dovecot starts a server of mailboxes, and returns its port.
func (h *host) dovecot(ctx context.Context, accounts []account) (port int, err error) {
	if port, err = h.port(); err != nil {
		return 0, err
	}
	users := ""
	for _, who := range accounts {
		users += fmt.Sprintf("%s:{PLAIN}%s:8:8::%s::\n", who.user, who.password, h.path("mail", who.user))
	}
	if err := h.write("passwd", users); err != nil {
		return 0, err
	}
	if _, err := h.run(ctx, nil, "sh", "-c", "mkdir -p mail && chown 8:8 mail"); err != nil {
		return 0, err
	}
	config := fmt.Sprintf(`protocols = imap
base_dir = %[1]s/dovecot
state_dir = %[1]s/dovecot
log_path = /dev/stderr
ssl = no
disable_plaintext_auth = no
first_valid_uid = 8
mail_location = maildir:~/Maildir
listen = 127.0.0.1
service imap-login {
  chroot =
  inet_listener imap {
    port = %[2]d
  }
  inet_listener imaps {
    port = 0
  }
}
passdb {
  driver = passwd-file
  args = %[1]s/passwd
}
userdb {
  driver = passwd-file
  args = %[1]s/passwd
}
namespace inbox {
  inbox = yes
}
`, h.dir, port)
	if err := h.write("dovecot.conf", config); err != nil {
		return 0, err
	}
	_, err = h.serve(h.dir, nil, "dovecot", "-F", "-c", h.path("dovecot.conf"))
	return port, err
}
