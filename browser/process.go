package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
)

// process is a browser that Launch started.
type process struct {
	cmd     *exec.Cmd
	profile *profile
	stderr  *tail
	exited  chan struct{} // closed when it has ended and was waited for
}

// start starts the browser and gives the pipe to it. When the pipe closes, also
// because this process was killed, the browser ends by itself.
func start(path string, args []string, env []string, p *profile) (*process, cdp.Transport, error) {
	toChild, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	out, fromChild, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, toChild.Close(), in.Close())
	}
	proc := &process{cmd: exec.Command(path, args...), profile: p, stderr: &tail{}, exited: make(chan struct{})}
	proc.cmd.Env = env
	proc.cmd.Stderr = proc.stderr
	proc.cmd.ExtraFiles = []*os.File{toChild, fromChild} // 3 and 4 in the browser
	proc.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = proc.cmd.Start()
	err = errors.Join(err, toChild.Close(), fromChild.Close())
	if err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		_ = proc.cmd.Wait() // how it ended is in stderr, where anyone cares
		close(proc.exited)
	}()
	return proc, cdp.NewPipe(in, out), nil
}

// Bounds of the end of a browser: after it was asked to, and after it was killed.
const (
	closeTimeout = 5 * time.Second
	killTimeout  = 5 * time.Second
)

// end waits for the browser to end, kills what is left of it, and removes its
// profile.
func (p *process) end() error {
	if !p.wait(closeTimeout) {
		p.kill()
		p.wait(killTimeout)
	}
	p.kill() // helpers that outlived it
	return p.profile.remove()
}

func (p *process) wait(timeout time.Duration) bool {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// kill kills the browser's process group.
func (p *process) kill() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// tail keeps the end of what the browser says.
type tail struct {
	mu   sync.Mutex
	data []byte
	more chan struct{}
}

const tailSize = 8 << 10

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, data...)
	if over := len(t.data) - tailSize; over > 0 {
		t.data = t.data[over:]
	}
	if t.more != nil {
		close(t.more)
		t.more = nil
	}
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.data))
}

// find waits until what was said holds something after prefix, up to the end of
// the line.
func (t *tail) find(ctx context.Context, prefix string, ended <-chan struct{}) (string, error) {
	for {
		t.mu.Lock()
		_, rest, found := strings.Cut(string(t.data), prefix)
		line, _, whole := strings.Cut(rest, "\n")
		if t.more == nil {
			t.more = make(chan struct{})
		}
		more := t.more
		t.mu.Unlock()
		if found && whole {
			return strings.TrimSpace(line), nil
		}
		select {
		case <-more:
		case <-ended:
			return "", io.ErrUnexpectedEOF
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// StartError is a browser that did not start.
type StartError struct {
	Path   string
	Stderr string // the end of what it said
	Err    error
}

func (e *StartError) Error() string {
	said := e.Stderr
	if said == "" {
		said = "it said nothing"
	}
	return fmt.Sprintf("starting %s: %v: %s", e.Path, e.Err, said)
}

func (e *StartError) Unwrap() error { return e.Err }
