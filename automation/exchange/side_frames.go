package exchange

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// selectFrame leads into a frame or out of it, for all that follows.
func (s *sideReader) selectFrame(c *sideCommand, _ automation.Step) {
	var index int
	switch n, _ := fmt.Sscanf(c.Target, "index=%d", &index); {
	case c.Target == "relative=parent":
		s.frame = s.frame[:max(len(s.frame)-1, 0)]
	case c.Target == "relative=top":
		s.frame = nil
	case n == 1:
		s.often(Changed, "frames are told by their place, which changes when one is added", "Give the steps a better selector of the frame")
		s.frame = append(s.frame, framePath(index))
	default:
		path, why := sidePath(c.Target)
		if path == nil {
			s.lose(Changed, "the frame cannot be told, so what follows is looked for outside of it: "+why, "Give these steps their frame")
			return
		}
		s.frame = append(s.frame, path)
	}
	if len(s.frame) > maxDepth {
		s.lose(Changed, fmt.Sprintf("frames more than %d deep", maxDepth), "")
		s.frame = s.frame[:maxDepth]
	}
}

// handle is a window that an earlier command has named.
var handle = regexp.MustCompile(`^handle=\$\{([^}]+)\}$`)

func (s *sideReader) selectWindow(c *sideCommand, _ automation.Step) {
	s.frame = nil
	m := handle.FindStringSubmatch(c.Target)
	switch {
	case m == nil:
		s.lose(Changed, fmt.Sprintf("the window %q cannot be told: what follows is done in the first tab", shorten(c.Target)), "Give these steps their page")
		s.window = ""
	case s.pages[m[1]] == 0:
		s.window = ""
	default:
		s.window, _ = s.page(m[1])
	}
}

// storeWindowHandle names the window that is there from the start; those of new
// tabs are named by what opens them.
func (s *sideReader) storeWindowHandle(*sideCommand, automation.Step) {}

func (s *sideReader) close(_ *sideCommand, step automation.Step) {
	if step.Page == "" {
		s.lose(Dropped, "the first tab is the caller's to close", "")
		return
	}
	step.Tool, step.Frame, step.Args = "tab", nil, args(map[string]any{"action": "close"})
	s.push(step)
}

func dialogs(accept bool) sideCommandReader {
	return func(s *sideReader, c *sideCommand, step automation.Step) {
		step.Tool, step.Frame, step.Args = "dialog", nil, args(map[string]any{"accept": accept})
		if strings.Contains(strings.ToLower(c.Command), "answer") {
			step.Value = s.typed(c.Target, "")
			if c.Command == "webdriverAnswerOnVisiblePrompt" {
				step.Value = s.typed(c.Value, "")
			}
		}
		s.push(step)
	}
}
