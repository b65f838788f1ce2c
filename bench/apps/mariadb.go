package main

import (
	"context"
	"strings"
)

var mariadbNeeds = []need{{"/usr/sbin/mariadbd", "apt-get install mariadb-server"}}

// mariadb starts a server of databases that listens on a socket alone, with a database and
// a user of the same name, whose password it is, too. It returns the socket.
func (h *host) mariadb(ctx context.Context, name string) (socket string, err error) {
	data, socket := h.path("mariadb"), h.path("mariadb.sock")
	_, err = h.run(ctx, nil, "mariadb-install-db", "--no-defaults", "--user=root", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	if err != nil {
		return "", err
	}
	server, err := h.serve(h.dir, nil, "mariadbd", "--no-defaults", "--user=root", "--datadir="+data, "--socket="+socket, "--skip-networking",
		"--pid-file="+h.path("mariadb.pid"), "--innodb-flush-log-at-trx-commit=0")
	if err != nil {
		return "", err
	}
	start := func(ctx context.Context) error { _, err := h.query(ctx, socket, "select 1"); return err }
	if err := server.up(ctx, start); err != nil {
		return "", err
	}
	_, err = h.query(ctx, socket, strings.ReplaceAll("create database NAME character set utf8mb4; grant all on NAME.* to NAME@localhost identified by 'NAME'; ", "NAME", name))
	return socket, err
}

// query asks the server of databases as its administrator, and returns rows of fields.
func (h *host) query(ctx context.Context, socket, text string) ([][]string, error) {
	out, err := h.run(ctx, nil, "mariadb", "--no-defaults", "--socket="+socket, "-u", "root", "-N", "-B", "-e", text)
	if err != nil {
		return nil, err
	}
	unescape := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`)
	var rows [][]string
	for line := range strings.Lines(out) {
		var row []string
		for field := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\t") {
			row = append(row, unescape.Replace(field))
		}
		rows = append(rows, row)
	}
	return rows, nil
}
