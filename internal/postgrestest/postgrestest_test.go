package postgrestest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/internal/postgrestest"
)

// A child is this test binary, told by its environment to start a server, to say
// where it is, and to wait.
const childEnv = "REPRISE_POSTGRESTEST_CHILD"

func TestADatabaseIsNewAndTakesAnyText(t *testing.T) {
	t.Parallel()
	for range 2 {
		conn := connect(t, postgrestest.Database(t))
		if _, err := conn.Exec(t.Context(), "CREATE TABLE mine AS SELECT 'é日'::text AS words"); err != nil {
			t.Error(err)
		}
		var encoding string
		err := conn.QueryRow(t.Context(), "SHOW server_encoding").Scan(&encoding)
		if err != nil || encoding != "UTF8" {
			t.Errorf("its encoding is %q, %v", encoding, err)
		}
	}
}

func TestAServerIsStoppedAndStarted(t *testing.T) {
	t.Parallel()
	s := postgrestest.Start(t)
	address := s.Database(t)
	connect(t, address)
	for what, stop := range map[string]func(testing.TB){"stop": s.Stop, "crash": s.Crash} {
		stop(t)
		if conn, err := pgx.Connect(t.Context(), address); err == nil {
			t.Errorf("after %s it answers: %v", what, conn.Close(t.Context()))
		}
		s.Start(t)
		connect(t, address)
	}
}

func TestTheServerEndsWithAProcessThatIsKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv(postgrestest.URLEnv) != "" {
		t.Skip("the server is someone else's")
	}
	postgrestest.Database(t) // or there is none to start
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self, "-test.run", "^TestChild$", "-test.v")
	child.Env = append(os.Environ(), childEnv+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var address string
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		_, _ = fmt.Sscanf(lines.Text(), "address %s", &address) // other lines are the test's own
	}
	conn := connect(t, address)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := conn.WaitForNotification(ctx); ctx.Err() != nil {
		t.Errorf("the server still runs: %v", err)
	}
	_ = child.Wait() // which says that it was killed
}

func TestChild(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		t.Skip("not a child")
	}
	fmt.Println("\naddress", postgrestest.Database(t))
	_, _ = io.ReadAll(os.Stdin)
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
