package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ours are the commands that are not cobra's own.
func ours(t *testing.T) []*cobra.Command {
	t.Helper()
	root := newRoot(newApp())
	if len(root.Commands()) < 10 {
		t.Fatalf("there are %d commands: this test looks in the wrong place", len(root.Commands()))
	}
	return root.Commands()
}

func TestEachCommandHasHelpToWorkFrom(t *testing.T) {
	t.Parallel()
	for _, c := range ours(t) {
		if c.Short == "" || len(c.Long) < len(c.Short) || !strings.Contains(c.Example, "reprise "+c.Name()) {
			t.Errorf("%s: it needs a Short, a Long that says more, and an Example of itself", c.Name())
		}
		if c.GroupID == "" {
			t.Errorf("%s: it stands in no group of the help", c.Name())
		}
		for _, line := range strings.Split(c.Long, "\n") {
			if len([]rune(line)) > 95 {
				t.Errorf("%s: a line of its help is too wide for a terminal: %s", c.Name(), line)
			}
		}
	}
}

func TestEachFlagSaysItsDefault(t *testing.T) {
	t.Parallel()
	flags := 0
	check := func(c *cobra.Command) func(*pflag.Flag) {
		return func(f *pflag.Flag) {
			flags++
			shown := f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0s" && f.DefValue != "[]"
			if !shown && !strings.Contains(f.Usage, "default: ") {
				t.Errorf("%s --%s: its usage does not say what holds without it", c.Name(), f.Name)
			}
		}
	}
	for _, c := range ours(t) {
		c.LocalNonPersistentFlags().VisitAll(check(c))
	}
	newRoot(newApp()).PersistentFlags().VisitAll(check(newRoot(newApp())))
	if flags < 20 {
		t.Errorf("only %d flags were looked at", flags)
	}
}

func TestEachCommandCompletesItsArguments(t *testing.T) {
	t.Parallel()
	for _, c := range ours(t) {
		if c.ValidArgsFunction == nil {
			t.Errorf("%s: it does not say what its arguments may be, so a shell would offer files", c.Name())
		}
	}
}
