package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// A program that imports the package opens a database as it opens a directory.
func Example() {
	s, err := store.Open(context.Background(), "postgres://me:password@127.0.0.1:1/reprise?sslmode=disable")
	var failed *postgres.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Op, "at", failed.Server+":", failed.Advice)
		return
	}
	defer s.Close()
	// Output: open at 127.0.0.1/reprise: no server answers there: start it, or name another one
}

// The address may have the settings of pgxpool in it.
func ExampleOpen() {
	s, err := postgres.Open(context.Background(), "postgres://db.example/reprise?pool_max_conns=many")
	if err != nil {
		fmt.Println(strings.Contains(err.Error(), "pool_max_conns"))
		return
	}
	defer s.Close()
	// Output: true
}
