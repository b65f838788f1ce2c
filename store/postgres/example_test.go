package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

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

// One run at a time acts on a site with an account. What it writes goes through the
// fence, and is refused once another has taken its lease.
func ExampleStore_Fenced() {
	ctx := context.Background()
	s, err := postgres.Open(ctx, "postgres://me@db.example/reprise")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	run := store.NewRunID()
	lease, err := s.Leases().Take(ctx, run, []postgres.Place{{Site: "shop.example", Account: "ada"}}, 15*time.Second)
	var held *store.HeldError
	if errors.As(err, &held) {
		log.Fatalf("run %s acts there: try again later", held.Run)
	}
	if err != nil {
		log.Fatal(err)
	}
	err = s.Fenced(lease).Commits().Begin(ctx, run, 3)
	switch {
	case errors.Is(err, postgres.ErrLeaseLost), errors.Is(err, store.ErrAlreadySent):
		log.Fatalf("do not send it: %v", err)
	case err != nil:
		log.Fatal(err)
	}
	fmt.Println("send it, and renew the lease meanwhile")
	if err := s.Leases().Release(ctx, lease); err != nil {
		log.Fatal(err)
	}
}
