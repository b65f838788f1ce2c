package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The bundles are committed, so they can be forgotten; and they must not depend on
// where the tree lies, so this builds copies elsewhere.
func TestTheCommittedBundlesAreWhatTheSourcesGive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	copyTree(t, "../src", filepath.Join(dir, "src"))
	copyTree(t, "../tsconfig.json", filepath.Join(dir, "tsconfig.json"))
	for name, particular := range bundles {
		got, err := build(dir, particular)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("internal/page/%s is not what internal/page/src gives: run `make generate` and commit it", name)
		}
	}
}

func TestAMistakeInTheSourcesIsReportedWithItsPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tsconfig.json"), "{}")
	write(t, filepath.Join(dir, "src/main.ts"), "export const one = ;\n")
	_, err := build(dir, bundles["bundle.js"])
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte("src/main.ts:1:19")) {
		t.Errorf("build gave %v, want an error that names src/main.ts:1:19", err)
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		write(t, filepath.Join(to, rel), string(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
