package postgrestest

import (
	"path/filepath"
	"testing"
)

// Dir returns the directory of a server that Start gave: data, with the log of what is
// written ahead in data/pg_wal, and log, which is what it says.
func (s *Server) Dir() string { return s.dir }

// Program returns the path of a program that is installed with the server, as pg_dump.
func Program(t testing.TB, name string) string {
	t.Helper()
	dir, err := find()
	demand(t, err)
	return filepath.Join(dir, name)
}
