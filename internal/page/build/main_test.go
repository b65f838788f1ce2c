package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The bundle is committed, so it can be forgotten; and it must not depend on where the
// tree is, so this builds a copy elsewhere.
func TestTheCommittedBundleIsWhatTheSourcesMake(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	copyTree(t, "../src", filepath.Join(dir, "src"))
	copyTree(t, "../tsconfig.json", filepath.Join(dir, "tsconfig.json"))
	got, err := build(dir, minified)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../" + bundle)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("internal/page/%s is not what internal/page/src makes: run `make generate` and commit it", bundle)
	}
}

// Tests break functions of the readable script by their names.
func TestTheReadableScriptHasItsNames(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := build(dir, readable)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, []byte("function isSensitive(")) {
		t.Error("it has no function isSensitive")
	}
}

func TestAMistakeInTheSourcesIsReportedWithItsPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tsconfig.json"), "{}")
	write(t, filepath.Join(dir, "src/main.ts"), "export const one = ;\n")
	_, err := build(dir, readable)
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
