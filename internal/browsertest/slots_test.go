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

func TestProcessesShareTheSlotsOfTheMachine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(holdsSlot, "1")
	var others []*exec.Cmd
	for range max(2, runtime.NumCPU()) {
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
		others = append(others, other)
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
