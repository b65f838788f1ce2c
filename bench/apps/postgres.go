package main

import (
	"context"
	"strings"
)

const postgresPrograms = "/usr/lib/postgresql/15/bin/"

var postgresNeeds = []need{{postgresPrograms + "initdb", "apt-get install postgresql-15"}}

// postgres starts a server of databases that listens on a socket alone, as the user of its
// package, as it refuses to run as root. It returns the folder of the socket.
func (h *host) postgres(ctx context.Context) (folder string, err error) {
	folder = h.path("postgres")
	if _, err := h.run(ctx, nil, "install", "-d", "-o", "postgres", folder); err != nil {
		return "", err
	}
	as := []string{"-u", "postgres", "--"}
	if _, err := h.run(ctx, nil, "runuser", append(as, postgresPrograms+"initdb", "-A", "trust", "-N", "-D", folder+"/data")...); err != nil {
		return "", err
	}
	server, err := h.serve(h.dir, nil, "runuser", append(as, postgresPrograms+"postgres", "-D", folder+"/data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off")...)
	if err != nil {
		return "", err
	}
	return folder, server.up(ctx, func(ctx context.Context) error { _, err := h.psql(ctx, folder, "select 1"); return err })
}

// psql asks the server of databases, or one of these, and returns rows of fields without line breaks.
func (h *host) psql(ctx context.Context, folder, text string, database ...string) ([][]string, error) {
	args := []string{"-h", folder, "-U", "postgres", "-X", "-q", "-A", "-t", "-F", "\t", "-c", text}
	out, err := h.run(ctx, nil, "psql", append(args, database...)...)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for line := range strings.Lines(out) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows, nil
}
