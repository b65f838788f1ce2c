package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-reprise/reprise/browser"
)

// The window is that of a common laptop.
const width, height = 1280, 800

// harness is what all pages share.
type harness struct {
	o       options
	script  string
	site    *site
	browser *browser.Browser
}

func newHarness(ctx context.Context, o options) (*harness, error) {
	modules, err := filepath.Abs(filepath.Join(o.dir, "pages", "node_modules"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(modules); err != nil {
		return nil, fmt.Errorf("the pages are not installed: run `npm ci --prefix %s`: %w", filepath.Join(o.dir, "pages"), err)
	}
	h := &harness{o: o}
	if h.script, err = bundle(ctx, o.dir, o.entry(), modules); err != nil {
		return nil, err
	}
	if h.site, err = serve(modules); err != nil {
		return nil, err
	}
	// What is not on this machine fails at once and is not waited for.
	args := []string{"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"}
	if h.browser, err = browser.Launch(ctx, &browser.Options{Width: width, Height: height, Args: args}); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// entry is the script to bundle: the peers' packages are read only when asked for.
func (o options) entry() string {
	if o.parts {
		return "parts.ts"
	}
	if len(o.only) == 1 && strings.EqualFold(o.only[0], nameReprise) {
		return "main.ts"
	}
	return "peers.ts"
}

func (h *harness) close() error {
	var errs []error
	if h.browser != nil {
		errs = append(errs, h.browser.Close())
	}
	return errors.Join(append(errs, h.site.close())...)
}

// bundle makes one script of a file in the folder of scripts.
func bundle(ctx context.Context, dir, entry, modules string) (string, error) {
	scripts, err := filepath.Abs(filepath.Join(dir, "page"))
	if err != nil {
		return "", err
	}
	out := filepath.Join(os.TempDir(), fmt.Sprintf("selbench-%d.js", os.Getpid()))
	defer os.Remove(out)
	build := exec.CommandContext(ctx, "go", "run", "-C", filepath.Join(dir, "build"), ".", filepath.Join(scripts, entry), out, modules)
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("bundling %s: %w\n%s", entry, err, said)
	}
	code, err := os.ReadFile(out)
	return string(code), err
}

// measure measures on all pages of the set.
func (h *harness) measure(ctx context.Context) (*report, error) {
	pages, err := pagesOf(h.o.dir, h.o.set)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	queue := make(chan string)
	go func() {
		defer close(queue)
		for _, page := range pages {
			if !h.o.pages.MatchString(page) {
				continue
			}
			select {
			case queue <- page:
			case <-ctx.Done():
				return
			}
		}
	}()
	r := newReport(h.o)
	errs := make([]error, max(1, h.o.workers))
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() {
			errs[i] = h.work(ctx, queue, r)
			if errs[i] != nil {
				stop()
			}
		})
	}
	workers.Wait()
	return r, errors.Join(errs...)
}

// work measures on one page after the other, in one tab.
func (h *harness) work(ctx context.Context, queue <-chan string, r *report) error {
	page, err := h.browser.NewIsolatedPage(ctx, "")
	if err != nil {
		return err
	}
	s := &stage{page: page, script: h.script}
	for name := range queue {
		if err := h.onPage(ctx, s, name, r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return page.Close(ctx)
}

func (h *harness) onPage(ctx context.Context, s *stage, name string, r *report) error {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	c := &contest{stage: s, o: h.o, page: name, at: h.site.address(name)}
	if err := c.run(ctx); err != nil {
		return err
	}
	r.add(c.found)
	return nil
}
