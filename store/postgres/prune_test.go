package postgres_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
)

// The prune ends right after the row of the run is gone, as a process does that is killed then:
// the note of its files cannot be removed.
func TestTheNextPruneRemovesTheFilesOfARunThatIsGone(t *testing.T) {
	data := t.TempDir()
	t.Setenv(store.DataEnv, data)
	address := postgrestest.Database(t)
	s := open(t, address)
	r := store.Run{ID: store.NewRunID(), Automation: "login", State: store.Done, Started: time.Now().Add(-2 * time.Hour), Finished: time.Now().Add(-time.Hour)}
	r.Report = filepath.Join(t.TempDir(), "login-"+r.ID+".html")
	if err := s.Runs().Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	download := filepath.Join(data, "runs", r.ID, "downloads", "invoice.pdf")
	// Of a run of another store in the same directory there is no row either.
	other := filepath.Join(data, "runs", store.NewRunID(), "downloads", "invoice.pdf")
	files := func() {
		t.Helper()
		for _, file := range []string{r.Report, download, other} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("x"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	prune := func() (all []store.Pruned, failed error) {
		for p, err := range s.Prune(t.Context(), store.PruneOptions{Before: time.Now()}) {
			if err != nil {
				return all, err
			}
			all = append(all, p)
		}
		return all, nil
	}
	files()
	execute(t, address, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'killed'; END $$`)
	execute(t, address, `CREATE TRIGGER refuse BEFORE DELETE ON reprise.pruned_files EXECUTE FUNCTION refuse()`)
	if _, err := prune(); err == nil {
		t.Fatal("the prune was not interrupted")
	}
	if _, err := s.Runs().Get(t.Context(), r.ID); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("the row is still there: %v", err)
	}
	files() // as if none had been removed
	execute(t, address, `DROP TRIGGER refuse ON reprise.pruned_files`)
	if all, err := prune(); err != nil || len(all) > 0 {
		t.Errorf("it removed %v: %v", all, err)
	}
	for _, file := range []string{r.Report, download} {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", file, err)
		}
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("the file of another store: %v", err)
	}
}
