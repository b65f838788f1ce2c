package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

// apps are all that are measured.
func apps() []*app {
	return []*app{dokuwiki(), radicale(), tiddlywiki(), fossilTicket(), nodered(), wordpress(), mediawiki(), roundcube(), phpmyadmin(), pocketbase(), etherpad(), jupyter(), jupyterEdit(), syncthing(), redmine(), zabbix(), miniflux(), transmission(), ttrss(), qbittorrent(), rt(), deluge(), directus(), sogo(), vendure(), unleash(), djangoAdmin(), parse(), homebridge(), n8n(), tryton(), ghost(), strapi(), nocodb(), jsreport(), alertmanager(), temporal(), lam(), fedwiki(), rabbitmq(), postfixadmin(), adminjs(), flood(), cacti(), ungit(), kronolith(), icingaweb(), rediscommander(), cloudcmd(), sqlpad(), signalk(), cncjs(), zoneminder(), decap(), actual(), medusa(), phpldapadmin(), fauxton(), converse(), cameraUI(), nzbget(), lemonldap(), shaarli(), thelounge(), graphite(), kopia(), mailman(), fuxa(), backuppc(), cups(), znc(), adminer(), nagios(), cockpit(), sftpgo(), mox(), gophish(), glewlwyd(), nagvis(), ledgersmb(), gosa(), backlog(), davical(), consul(), calibre()}
}

func main() {
	only := flag.String("only", "", "names of the applications to run, with commas (default: all)")
	how := flag.String("modes", "strict,human,cpu,network,release,takeover", "modes to play in, with commas")
	dump := flag.String("dump", "", "a directory for what was recorded (default: it is not written)")
	headed := flag.Bool("headed", false, "show the browser")
	list := flag.Bool("needs", false, "print how to install what is missing, a line each, and run nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	chosen, err := choose(*only, *how)
	if err == nil {
		chosen.dump, chosen.headed = *dump, *headed
		if *list {
			chosen.printNeeds()
			return
		}
		err = chosen.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-apps:", err)
		os.Exit(1)
	}
}

// selection is what was asked for.
type selection struct {
	apps   []*app
	modes  []mode
	dump   string
	headed bool
}

func choose(only, how string) (*selection, error) {
	s := &selection{}
	for _, a := range apps() {
		if only == "" || slices.Contains(strings.Split(only, ","), a.name) {
			s.apps = append(s.apps, a)
		}
	}
	if only != "" && len(s.apps) != len(strings.Split(only, ",")) {
		return nil, fmt.Errorf("-only %s: not all of these are applications here", only)
	}
	for _, name := range strings.Split(how, ",") {
		i := slices.IndexFunc(modes, func(m mode) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-modes %s: there is no mode %q", how, name)
		}
		s.modes = append(s.modes, modes[i])
	}
	return s, nil
}

// run runs each application in turn, and prints a table. What could not be started or
// recorded is in the table, and an error in the end.
func (s *selection) run(ctx context.Context) error {
	if err := s.missing(); err != nil {
		return err
	}
	if s.dump != "" {
		if err := os.MkdirAll(s.dump, 0o755); err != nil {
			return err
		}
	}
	var rows []row
	var errs []error
	for _, a := range s.apps {
		r, err := s.try(ctx, a)
		if err != nil {
			err = fmt.Errorf("%s: %w", a.name, err)
			fmt.Fprintln(os.Stderr, err)
			errs = append(errs, err)
		}
		rows = append(rows, r)
		if ctx.Err() != nil {
			break
		}
	}
	printTable(os.Stdout, s.modes, rows)
	return errors.Join(errs...)
}

// printNeeds prints how to install what is missing.
func (s *selection) printNeeds() {
	for _, a := range s.apps {
		for _, n := range a.needs {
			if _, err := os.Stat(n.path); err != nil {
				fmt.Println(n.install)
			}
		}
	}
}

// missing reports all packages that are missing at once.
func (s *selection) missing() error {
	var lines []string
	for _, a := range s.apps {
		for _, n := range a.needs {
			if _, err := os.Stat(n.path); err != nil {
				lines = append(lines, fmt.Sprintf("%s needs %s: %s", a.name, n.path, n.install))
			}
		}
	}
	if lines == nil {
		return nil
	}
	return errors.New("something is missing. scripts/bench-apps installs it, or:\n" + strings.Join(lines, "\n"))
}

func (s *selection) try(ctx context.Context, a *app) (r row, err error) {
	r = row{app: a}
	h, err := newHost()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	site, err := a.start(ctx, h)
	if err != nil {
		return r, fmt.Errorf("starting it: %w", err)
	}
	b, err := browser.Launch(ctx, &browser.Options{Headed: s.headed, Width: width, Height: height})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	t := &trial{app: a, site: site, b: b, dump: s.dump}
	if slices.ContainsFunc(s.modes, func(m mode) bool { return m.name != takeoverMode }) {
		recorded, err := t.record(ctx)
		if err != nil {
			_ = s.write(t) // as far as it came
			return r, fmt.Errorf("recording: %w", err)
		}
		r.add("recorded", recorded)
		if err := s.write(t); err != nil || t.doc == nil {
			return r, err
		}
	}
	for _, m := range s.modes {
		play := t.play
		switch {
		case m.name == afterRelease && !a.releases, m.name == takeoverMode && (a.signIn == nil || a.public):
			continue
		case m.name == afterRelease:
			play = s.playRelease(a, b)
		case m.name == takeoverMode:
			play = func(ctx context.Context, _ mode) (outcome, error) { return s.playTakeover(ctx, a, b) }
		}
		o, err := play(ctx, m)
		if err != nil {
			return r, fmt.Errorf("%s: %w", m.name, err)
		}
		r.add(m.name, o)
	}
	return r, nil
}

// playRelease returns what records with the release before and plays with the current one, at the same address.
func (s *selection) playRelease(a *app, b *browser.Browser) func(context.Context, mode) (outcome, error) {
	return func(ctx context.Context, m mode) (o outcome, err error) {
		older, err := newHost()
		if err != nil {
			return outcome{}, err
		}
		older.older = true
		t := &trial{app: a, b: b, dump: s.dump}
		if t.site, err = a.start(ctx, older); err == nil {
			o, err = t.record(ctx)
		}
		if err = errors.Join(err, older.close()); err != nil || o.verdict != right {
			return o, err
		}
		current, err := newHost()
		if err != nil {
			return outcome{}, err
		}
		defer func() { err = errors.Join(err, current.close()) }()
		current.again = older.ports
		if t.site, err = a.start(ctx, current); err != nil {
			return outcome{}, err
		}
		return t.play(ctx, m)
	}
}

// The size of the window, that of a common laptop.
const width, height = 1280, 800

func (s *selection) write(t *trial) error {
	if s.dump == "" || t.doc == nil {
		return nil
	}
	return s.writeDocument(t.doc, filepath.Join(s.dump, t.app.name+".json"))
}

func (s *selection) writeDocument(doc *automation.Automation, path string) error {
	data, err := automation.Marshal(doc)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
