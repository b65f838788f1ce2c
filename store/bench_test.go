package store_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// How many automations there are.
var (
	sizes      = []int{100, 10_000}
	largeSizes = []int{1_000, 100_000}
)

// filled returns a directory with n automations that were last changed long ago,
// written without a sync each.
func filled(b *testing.B, n int) (string, store.Store) {
	b.Helper()
	dir := b.TempDir()
	lastYear := time.Now().AddDate(-1, 0, 0)
	const name = "login-name"
	first := string(text(b, storetest.Document(b, name, "", name+".example/*")))
	for i := range n {
		path := file(dir, fmt.Sprintf("login-%d.json", i))
		write(b, path, []byte(strings.ReplaceAll(first, name, fmt.Sprint("login-", i))))
		try(b, os.Chtimes(path, lastYear, lastYear))
	}
	return dir, open(b, dir)
}

func BenchmarkSave(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, s := filled(b, n)
			a := get(b, s, "login-7", "")
			for b.Loop() {
				a = save(b, s, a)
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, s := filled(b, n)
			for b.Loop() {
				get(b, s, "login-7", "")
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, s := filled(b, n)
			match(b, s)
			for b.Loop() {
				match(b, s)
			}
		})
	}
}

// BenchmarkFirstMatch is what a command does: it opens the store, matches once
// and is done.
func BenchmarkFirstMatch(b *testing.B) {
	for _, n := range largeSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir, s := filled(b, n)
			match(b, s) // which stores the index
			for b.Loop() {
				match(b, open(b, dir))
			}
		})
	}
}

// BenchmarkFirstList lists the first twenty.
func BenchmarkFirstList(b *testing.B) {
	for _, n := range largeSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir, s := filled(b, n)
			match(b, s)
			for b.Loop() {
				listed := 0
				for _, err := range open(b, dir).Automations().List(b.Context()) {
					try(b, err)
					if listed++; listed == 20 {
						break
					}
				}
			}
		})
	}
}

func match(b *testing.B, s store.Store) {
	if _, err := s.Automations().Match(b.Context(), "https://login-7.example/x", ""); err != nil {
		b.Fatal(err)
	}
}
