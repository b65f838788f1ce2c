package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/go-reprise/reprise/browser"
)

// visitor is the e-mail address that the page of a number orders with.
func visitor(n int) string { return fmt.Sprintf("visitor-%d@example.com", n) }

// serveMany plays in many pages at once, each in a browser context of its own.
func serveMany(ctx context.Context, e engagement, s script, pages int) report {
	r, err := newReprise(ctx, e)
	if err != nil {
		return report{Error: err.Error()}
	}
	defer func() { _ = r.close() }() // the process ends with it
	var all []*browser.Page
	for range pages {
		page, err := r.browser.NewIsolatedPage(ctx, "")
		if err != nil {
			return report{Error: err.Error()}
		}
		all = append(all, page)
	}
	cpu, messages, started := cpuTime(), r.messages(), time.Now()
	err = r.playInAll(ctx, all, s)
	done := report{Wall: time.Since(started), CPU: cpuTime() - cpu, Messages: r.messages() - messages, Heap: heap()}
	if err != nil {
		done.Error = err.Error()
	}
	return done
}

func (r *reprise) playInAll(ctx context.Context, pages []*browser.Page, s script) error {
	errs := make([]error, len(pages))
	var playing sync.WaitGroup
	for i, page := range pages {
		playing.Go(func() {
			values := s.values()
			values["email"] = visitor(i)
			if err := r.playIn(ctx, page, s, values, func() {}); err != nil {
				errs[i] = fmt.Errorf("page %d: %w", i, err)
			}
		})
	}
	playing.Wait()
	return errors.Join(errs...)
}

// heap is what is in use once what is not has been freed.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
