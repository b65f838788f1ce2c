package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits runs a command that must end with a code: exits 2 reprise …
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("it ended with %d, want %d", got, want)
	}
}

// terminate asks all commands in the background to end, as a supervisor does.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
}

// signIns asks the server how often somebody signed in: signins ada@example.com 1
func signIns(ts *testscript.TestScript, _ bool, args []string) {
	if got := worldOf(ts).site.SignIns(args[0]); strconv.Itoa(got) != args[1] {
		ts.Fatalf("%s signed in %d times, want %s", args[0], got, args[1])
	}
}

// orders asks the server for the values of a field in all orders: orders name Ada Grace
func orders(ts *testscript.TestScript, _ bool, args []string) {
	var got []string
	for _, order := range worldOf(ts).site.Submissions() {
		got = append(got, order.Get(args[0]))
	}
	if strings.Join(got, " ") != strings.Join(args[1:], " ") {
		ts.Fatalf("the orders' %s is %q, want %q", args[0], got, args[1:])
	}
}

// clean looks whether reprise left profiles, temporary files or processes behind.
// Files that may be there are named: clean 'reprise-demo-*'
func clean(ts *testscript.TestScript, _ bool, args []string) {
	left, err := os.ReadDir(ts.Getenv("TMPDIR"))
	ts.Check(err)
	for _, entry := range left {
		allowed := false
		for _, pattern := range args {
			ok, err := filepath.Match(pattern, entry.Name())
			ts.Check(err)
			allowed = allowed || ok
		}
		if !allowed {
			ts.Fatalf("%s was left behind", entry.Name())
		}
	}
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	process := leftRunning(ts)
	for deadline := time.Now().Add(patience); process != "" && time.Now().Before(deadline); process = leftRunning(ts) {
		<-again.C // Chrome's own watcher of crashes ends by itself, soon after it
	}
	if process != "" {
		ts.Fatalf("a process was left behind: %s", process)
	}
}

// leftRunning is the command line of a process that names the script's directory, if there is one.
func leftRunning(ts *testscript.TestScript) string {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ts.Check(err)
	for _, file := range lines {
		line, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(line), ts.Getenv("WORK")) {
			return strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return ""
}

// appears waits for a temporary file: appears 'reprise-profile-*'
func appears(ts *testscript.TestScript, _ bool, args []string) {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-again.C {
		found, err := filepath.Glob(filepath.Join(ts.Getenv("TMPDIR"), args[0]))
		ts.Check(err)
		if len(found) > 0 {
			return
		}
	}
	ts.Fatalf("%s did not appear", args[0])
}

// expand puts the script's variables into a file: expand flow.json
func expand(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		text := os.Expand(ts.ReadFile(file), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o600))
	}
}

// fillFile makes a file of many megabytes: fill big.json 50
func fillFile(ts *testscript.TestScript, _ bool, args []string) {
	megabytes, err := strconv.Atoi(args[1])
	ts.Check(err)
	step := `{"tool": "click", "selector": "#go"},` + "\n"
	text := `{"format": 1, "name": "big", "match": {"urls": ["localhost"]}, "steps": [` + "\n" +
		strings.Repeat(step, megabytes<<20/len(step)) + `{"tool": "click", "selector": "#go"}]}`
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// without looks for a text in all files of directories, which must not be in any:
// without hunter2 data. With ! before it one of them must hold it.
func without(ts *testscript.TestScript, neg bool, args []string) {
	holder := ""
	for _, dir := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), args[0]) {
				holder = path
			}
			return err
		}))
	}
	if found := holder != ""; found != neg {
		ts.Fatalf("%q is in %q", args[0], holder)
	}
}

// forget has the site forget who is signed in.
func forget(ts *testscript.TestScript, _ bool, _ []string) { worldOf(ts).site.Reset() }
