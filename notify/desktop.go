package notify

import (
	"context"
	"errors"
	"html"
	"os/exec"
	"runtime"
	"strings"
)

const desktopName = "desktop"

// Desktop shows messages on the screen of this machine, by the system's own program. It shows no links, which others at
// the screen would see.
type Desktop struct{ options DesktopOptions }

// DesktopOptions are the options of a Desktop.
type DesktopOptions struct {
	// Program is run to show a message: notify-send or osascript, with a path or found on PATH. Default: that of the system.
	Program string
}

// NewDesktop makes a channel.
func NewDesktop(o *DesktopOptions) *Desktop {
	d := &Desktop{}
	if o != nil {
		d.options = *o
	}
	if d.options.Program == "" {
		d.options.Program = "notify-send"
		if runtime.GOOS == "darwin" {
			d.options.Program = "osascript"
		}
	}
	return d
}

// Name is "desktop".
func (d *Desktop) Name() string { return desktopName }

// Check returns why nothing can be shown, nil where the program is there.
func (d *Desktop) Check() error {
	if _, err := exec.LookPath(d.options.Program); err != nil {
		return &SendError{Channel: desktopName, Reason: d.options.Program + " is not installed", Next: "install libnotify-bin, or set notify.desktop to false"}
	}
	return nil
}

// Send shows a message.
func (d *Desktop) Send(ctx context.Context, m Message) (string, error) {
	if err := d.Check(); err != nil {
		return "", err
	}
	const limit = 500
	title, text := m.Title, body(Message{Text: m.Text, Whole: m.Whole, NoLink: m.NoLink, Deadline: m.Deadline}, "", limit)
	if title == "" {
		title = "Reprise"
	}
	args := []string{"--app-name=Reprise", "--urgency=critical", "--", title, html.EscapeString(text)} // its text is markup
	if strings.HasSuffix(d.options.Program, "osascript") {
		args = []string{"-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", title, text}
	}
	out, err := exec.CommandContext(ctx, d.options.Program, args...).CombinedOutput()
	switch {
	case err == nil:
		return "", nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", unanswered(desktopName)
	}
	return "", &SendError{Channel: desktopName, Reason: shorten(strings.TrimSpace(err.Error()+": "+string(out)), 200), Next: "notices are shown where a session with a screen runs"}
}
