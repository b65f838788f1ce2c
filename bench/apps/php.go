package main

import (
	"context"
	"fmt"
)

// phpNeeds are what applications in PHP run with.
var phpNeeds = []need{{"/usr/bin/php", "apt-get install php-cli php-sqlite3 php-mysql php-pgsql php-xml php-mbstring php-curl php-intl php-gd php-zip"}}

// copyTree copies a package's files to a directory of the host, with what its links lead
// to. Links to what is not installed or not set up yet lead nowhere.
func (h *host) copyTree(ctx context.Context, from, to string) error {
	_, err := h.run(ctx, nil, "sh", "-c", `cp -rL "$1" "$2" 2>copy.log || ! grep -v "cannot stat" copy.log`, "sh", from, h.path(to))
	return err
}

// php serves a directory of the host with the server that PHP has built in.
func (h *host) php(ctx context.Context, root, probe string, port int, settings ...string) (url string, err error) {
	args := []string{
		"-S", fmt.Sprintf("127.0.0.1:%d", port), "-t", h.path(root),
		"-d", "display_errors=0", "-d", "session.save_path=" + h.dir, "-d", "memory_limit=512M", "-d", "output_buffering=4096",
	}
	for _, s := range settings {
		args = append(args, "-d", s)
	}
	server, err := h.serve(h.path(root), []string{"PHP_CLI_SERVER_WORKERS=6"}, "php", args...)
	if err != nil {
		return "", err
	}
	url = fmt.Sprintf("http://127.0.0.1:%d", port)
	return url, server.up(ctx, answers(url+probe))
}
