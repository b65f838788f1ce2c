package files

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// chunk is how many files one processor takes at a time.
const chunk = 64

// Each calls do for every index below n, on all processors where there are many: a look at
// a file takes a processor, and not a disk.
func Each(n int, do func(i int)) {
	var next atomic.Int64
	work := func() {
		for from := int(next.Add(chunk)) - chunk; from < n; from = int(next.Add(chunk)) - chunk {
			for i := from; i < min(from+chunk, n); i++ {
				do(i)
			}
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0)-1, n/chunk) {
		others.Go(work)
	}
	work()
	others.Wait()
}
