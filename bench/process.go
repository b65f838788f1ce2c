package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// player has scripts played by a client, wherever that is.
type player interface {
	play(ctx context.Context, r request) (report, error)
	peak() uint64 // bytes of memory that the client's process has had at most; 0 where the system does not tell
	close() error
}

// process is a client in a process of its own: what it takes is its own alone. It is
// asked over its standard input to play, and answers when that is done.
type process struct {
	cmd     *exec.Cmd
	in      *json.Encoder
	out     *json.Decoder
	stop    func() error
	said    bytes.Buffer
	highest uint64
}

// engage starts the program that a client is, and sends it what there is to play.
func engage(ctx context.Context, cmd *exec.Cmd, e engagement) (*process, error) {
	p := &process{cmd: cmd}
	cmd.Stderr = &p.said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out, p.stop = json.NewEncoder(in), json.NewDecoder(out), in.Close
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := p.ask(ctx, e); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", e.Client, err), p.close())
	}
	return p, nil
}

// ourselves are this program as one client.
func ourselves() (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	return cmd, nil
}

func (p *process) play(ctx context.Context, r request) (report, error) {
	answer, err := p.ask(ctx, r)
	p.highest = max(p.highest, peakOf(p.cmd.Process.Pid))
	return answer, err
}

func (p *process) peak() uint64 { return p.highest }

// ask sends a line and waits for the next; when ctx ends, so does the process.
func (p *process) ask(ctx context.Context, what any) (report, error) {
	kill := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	defer kill()
	var answer report
	err := p.in.Encode(what)
	if err == nil {
		err = p.out.Decode(&answer)
	}
	switch {
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	case err != nil:
		return answer, fmt.Errorf("it ended: %w: %s", err, strings.TrimSpace(p.said.String()))
	case answer.Error != "":
		return answer, errors.New(answer.Error)
	}
	return answer, nil
}

// close ends the process and waits for it.
func (p *process) close() error {
	stopped := p.stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(p.said.String()))
	}
	return stopped
}

// peakOf reads how much memory a process has had at most, as Linux reports it.
func peakOf(pid int) uint64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes uint64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return 0
}
