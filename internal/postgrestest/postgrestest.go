// Package postgrestest gives a test a Postgres database of its own.
//
// The server is the one that $REPRISE_TEST_POSTGRES names, as a URL whose user may
// create databases; else one that is started for the test process from the installed
// programs, on a socket in a temporary directory that no one else can reach. It ends
// with the process, also when that is killed. Where no Postgres is installed the test
// is skipped, and says what to install; with $CI set to true it fails.
package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// URLEnv names the environment variable that holds the address of a server.
const URLEnv = "REPRISE_TEST_POSTGRES"

// shared is the server of the test process.
var shared = sync.OnceValues(func() (*Server, error) {
	if address := os.Getenv(URLEnv); address != "" {
		return &Server{address: address}, nil
	}
	return start()
})

// Database returns the URL of a new, empty database, which is dropped when the test ends.
func Database(t testing.TB) string {
	t.Helper()
	s, err := shared()
	demand(t, err)
	return s.Database(t)
}

// Database returns the URL of a new, empty database on this server. It is dropped when
// the test ends, if the server still runs.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := "reprise_test_" + strings.ToLower(rand.Text())
	if err := s.create(t.Context(), name); err != nil {
		t.Fatalf("making a database: %v", err)
	}
	t.Cleanup(func() {
		if err := s.exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil && s.running() {
			t.Errorf("dropping the database: %v", err)
		}
	})
	u, err := url.Parse(s.address)
	if err != nil {
		t.Fatalf("$%s is not a URL", URLEnv) // which may hold a password
	}
	u.Path = "/" + name
	return u.String()
}

// create makes a database of template0, which holds nothing of this machine, and allows
// any encoding. Where files are copied, which Postgres 15 has to be told, that takes
// half the time.
func (s *Server) create(ctx context.Context, name string) error {
	const like = " TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"
	err := s.exec(ctx, "CREATE DATABASE "+name+like+" STRATEGY FILE_COPY")
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == "42601" { // a syntax error, to an older one
		err = s.exec(ctx, "CREATE DATABASE "+name+like)
	}
	return err
}

func (s *Server) exec(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, s.address)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	_, err = conn.Exec(ctx, sql)
	return err
}

// Start returns a server of the test's own, which it may stop and start.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	demand(t, err)
	t.Cleanup(func() {
		if err := s.end(); err != nil {
			t.Errorf("ending the server: %v", err)
		}
	})
	return s
}

// demand skips the test where there is no Postgres.
func demand(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, errNotInstalled) && os.Getenv("CI") != "true":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}
