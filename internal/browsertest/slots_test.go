package browsertest_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
)

// holdsSlot has this program take a slot and hold it until its input ends.
const holdsSlot = "REPRISE_TEST_HOLDS_SLOT"

func holdSlot() {
	if _, err := browsertest.TakeSlot(context.Background()); err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString("taken\n")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// slotHolder returns a process that has a slot until it is killed.
func slotHolder(t *testing.T) *exec.Cmd {
	t.Helper()
	other := exec.CommandContext(t.Context(), os.Args[0])
	if _, err := other.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return other
}

func TestProcessesShareTheSlotsOfTheMachine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(holdsSlot, "1")
	var others []*exec.Cmd
	for range max(2, runtime.NumCPU()) {
		others = append(others, slotHolder(t))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := browsertest.TakeSlot(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one more slot was taken, with the error %v", err)
	}
	for _, other := range others { // their slots are free again, also where they are killed
		if err := other.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = other.Wait()
	}
	browsertest.Slot(t)
}

func TestTheTestsOfAProcessShareItsSlot(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for range runtime.NumCPU() + 2 { // more than there are
		browsertest.Slot(t)
	}
}

func TestTheTimeOfATestBeginsWithItsSlot(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(holdsSlot, "1")
	var others []*exec.Cmd
	for range max(2, runtime.NumCPU()) {
		others = append(others, slotHolder(t))
	}
	began := make(chan context.Context)
	go func() { began <- browsertest.Context(t) }()
	select {
	case <-began:
		t.Fatal("it began before there was a slot")
	case <-time.After(100 * time.Millisecond):
	}
	if err := others[0].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = others[0].Wait()
	if err := (<-began).Err(); err != nil {
		t.Error(err)
	}
}
