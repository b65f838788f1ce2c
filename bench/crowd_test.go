package bench

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// How many pages are played at once, and how much more memory that may take than one,
// in bytes.
const (
	crowdPages   = 64
	crowdFew     = 4
	budgetMemory = 20 << 20
)

// maxCrowd bounds what many pages take on a busy machine.
const maxCrowd = 10 * time.Minute

// crowded is what became of pages that were played at once.
type crowded struct {
	report
	right int    // pages whose order came, once
	peak  uint64 // of the client's memory
}

// playCrowd has a fresh client order the form in many pages at once.
func playCrowd(t testing.TB, pages int) crowded {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), maxCrowd)
	t.Cleanup(cancel)
	a := enterArena(t, namePlain)
	r, err := a.players[namePlain].play(ctx, request{Play: "form", Pages: pages})
	if err != nil {
		t.Errorf("%d pages at once: %v", pages, err)
	}
	times := map[string]int{}
	for _, sent := range a.stage.Submissions() {
		times[sent.Get("email")]++
	}
	done := crowded{report: r, peak: a.players[namePlain].peak()}
	for i := range pages {
		if times[visitor(i)] == 1 {
			done.right++
		}
	}
	if done.right != pages || len(times) != pages {
		t.Errorf("%d of %d pages were right, %d were heard of", done.right, pages, len(times))
	}
	return done
}

func TestPagesArePlayedAtOnce(t *testing.T) {
	t.Parallel()
	playCrowd(t, crowdFew)
}

// BenchmarkManyPages measures what the client takes for one page and for many.
func BenchmarkManyPages(b *testing.B) {
	for b.Loop() {
		one, many := playCrowd(b, 1), playCrowd(b, crowdPages)
		more, moreHeap := int64(many.peak)-int64(one.peak), int64(many.Heap)-int64(one.Heap)
		fmt.Printf("\n%d pages at once: %d of %d right in %.1f s, one in %.2f s; CPU of the client %.0f and %.0f ms\n",
			crowdPages, many.right, crowdPages, many.Wall.Seconds(), one.Wall.Seconds(), ms(many.CPU), ms(one.CPU))
		fmt.Printf("memory of the client: peak %d and %d MB, %.1f MB more (budget %d: %s); heap in use %.1f MB more\n",
			many.peak>>20, one.peak>>20, float64(more)/(1<<20), budgetMemory>>20, verdict(more <= budgetMemory), float64(moreHeap)/(1<<20))
		b.ReportMetric(float64(more)/(1<<20), "MB-more")
		b.ReportMetric(many.Wall.Seconds(), "s/crowd")
	}
}
