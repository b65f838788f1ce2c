package browser

import (
	"bufio"
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

// Bounds of the end of a browser: after it was asked to end, after it was
// killed, and for those that it started to follow it.
const (
	closeTimeout = 5 * time.Second
	pipeTimeout  = time.Second            // more, when the pipe has closed too
	saidTimeout  = 100 * time.Millisecond // for its last words, which are there already
	killTimeout  = 5 * time.Second
	groupTimeout = 5 * time.Second

	// askAgain is the interval at which the system is asked about what it does not
	// tell on its own: that a process group is empty, that a directory is gone.
	askAgain = 5 * time.Millisecond
)

// process is a browser that Launch started, and everything that it started.
type process struct {
	cmd     *exec.Cmd
	pid     int
	profile *profile
	pipe    cdp.Transport
	stderr  *stderr
	errors  *os.File // that stderr reads; its standard output too
	wg      sync.WaitGroup

	exited chan struct{} // closed when it and its group have ended
	state  string        // how it ended; readable once exited is closed
}

// start starts the browser, in a process group of its own, and gives the pipe to
// it. When the pipe closes, also because this process was killed, the browser
// ends on its own.
func start(path string, args, env []string, p *profile) (*process, error) {
	var files []*os.File // ours and theirs by turns
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, errors.Join(err, closeAll(files))
		}
		files = append(files, r, w)
	}
	theirIn, ourIn, ourOut, theirOut, ourErr, theirErr := files[0], files[1], files[2], files[3], files[4], files[5]
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, theirErr, theirErr
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4 in the browser
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Start()
	if err = errors.Join(err, closeAll([]*os.File{theirIn, theirOut, theirErr})); err != nil {
		return nil, errors.Join(err, closeAll([]*os.File{ourIn, ourOut, ourErr}))
	}
	proc := &process{
		cmd: cmd, pid: cmd.Process.Pid, profile: p, pipe: cdp.NewPipe(ourIn, ourOut),
		stderr: newStderr(), errors: ourErr, exited: make(chan struct{}),
	}
	proc.wg.Go(func() { proc.stderr.listen(ourErr) })
	proc.wg.Go(proc.reap)
	return proc, nil
}

func closeAll(files []*os.File) error {
	var err error
	for _, f := range files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// reap waits for the browser to end and at once kills what is left of its group:
// later the group's number may be another's. It closes the pipe, for a helper
// that left the group may hold the other end, like that of errors.
func (p *process) reap() {
	_ = p.cmd.Wait() // the state says it
	_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	soon(groupTimeout, func() bool { return groupIsEmpty(p.pid) })
	_ = p.pipe.Close()
	p.state = p.cmd.ProcessState.String()
	close(p.exited)
}

// endpoint waits for the address of the debugging port.
func (p *process) endpoint(ctx context.Context) (string, error) {
	select {
	case address := <-p.stderr.address:
		return address, nil
	case <-p.exited:
		return "", errors.New(p.state)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// wait reports whether the browser ended in time.
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

// kill kills the browser; reap kills what it started.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// end sees to it that the browser has ended, and removes its profile.
func (p *process) end() error {
	if !p.wait(pipeTimeout) {
		p.kill()
		if !p.wait(killTimeout + groupTimeout) {
			return fmt.Errorf("the browser (process %d) was killed and has not ended", p.pid)
		}
	}
	// What it said last is read to the end, unless a helper holds the end open.
	_ = p.errors.SetReadDeadline(time.Now().Add(saidTimeout))
	p.wg.Wait()
	_ = p.errors.Close()
	return p.profile.remove()
}

// soon asks ok until it holds, for so long at most, and reports whether it did.
func soon(limit time.Duration, ok func() bool) bool {
	ticker := time.NewTicker(askAgain)
	defer ticker.Stop()
	for deadline := time.Now().Add(limit); !ok(); <-ticker.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// Limits of what is read of a browser's complaints. Chrome's own lines are shorter.
const (
	keptLines  = 12
	lineLength = 1 << 10
)

const (
	// listening begins the line that tells the address of the debugging port.
	listening = "DevTools listening on "
	// dbus is in lines about desktop services that are missing, which come by the
	// dozen on servers and harm nothing.
	dbus = "ERROR:dbus/"
)

// stderr keeps the end of what the browser says, and the address that it tells.
type stderr struct {
	address chan string // one, if any

	mu    sync.Mutex
	lines []string
}

func newStderr() *stderr { return &stderr{address: make(chan string, 1)} }

// listen reads until the end.
func (s *stderr) listen(from io.Reader) {
	in := bufio.NewReaderSize(from, lineLength)
	for {
		line, _, err := in.ReadLine() // a longer line is taken as several
		if err != nil {
			return
		}
		s.hear(strings.TrimSpace(string(line)))
	}
}

func (s *stderr) hear(line string) {
	if address, ok := strings.CutPrefix(line, listening); ok {
		select {
		case s.address <- address:
		default: // it has told before
		}
		return
	}
	if line == "" || strings.Contains(line, dbus) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) == keptLines {
		s.lines = append(s.lines[:0], s.lines[1:]...)
	}
	s.lines = append(s.lines, line)
}

// String is the last lines.
func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}
