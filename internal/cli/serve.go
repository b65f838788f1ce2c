package cli

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/internal/httpserver"
	"github.com/go-reprise/reprise/internal/server"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	agentOptions
	listen    string
	hosts     []string
	tokenFile string
}

// tokenEnv names the environment variable that holds the token of serve.
const tokenEnv = "REPRISE_TOKEN"

const serveLong = `Serve answers agents over HTTP, by the Model Context Protocol, at /mcp: many of them at once,
each with a page of its own. It listens on this machine only, unless --listen says otherwise.

Who has the token controls the browser. It is that of $REPRISE_TOKEN, or that in --token-file,
which is made where it is not there; else a new one, which is told once. Clients send it as
Authorization: Bearer TOKEN.

A request by another name than those of this machine is refused, as pages make it that rebind
their DNS name; --host adds a name (host:port). So is one from a page of another site.
Each client sees its own calls and runs alone, those of its session, and --share-journal shows
it all. There is no TLS here: beyond this machine put a proxy that has it in front.`

func (a *app) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve LLM agents over HTTP (MCP)",
		Long:  serveLong,
		Example: `  REPRISE_TOKEN=… reprise serve
  reprise serve --listen 127.0.0.1:7337 --token-file ~/.config/reprise/token`,
		Args:              between(nil, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			return a.serve(cmd.Context(), &o)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:7337", "`ADDRESS` to listen on")
	f.StringSliceVar(&o.hosts, "host", nil, "another `HOST:PORT` that it is reached by, may be given again (default: only this machine's names)")
	f.StringVar(&o.tokenFile, "token-file", "", "`FILE` that holds the token, made where it is not there (default: $"+tokenEnv+", else a new token each time)")
	o.flags(f)
	a.completeAgent(cmd)
	return cmd
}

func (a *app) serve(ctx context.Context, o *serveOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	token, told, err := o.token()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return usagef("--listen %s: %v", o.listen, err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	hosts := append(server.LoopbackHosts(port), o.hosts...)
	kept, err := a.openStore(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { a.warn(kept.Close()) }()
	served, err := a.agent(ctx, kept, &o.agentOptions, hosts)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { a.warn(served.Close()) }()
	handler, err := server.New(&server.Options{Agent: served, Token: token, Hosts: hosts, Logger: a.logger()})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer handler.Close()
	a.say("Agents are served at http://%s%s", listener.Addr(), server.Path)
	if told {
		a.say("The token, which is not told again: %s", token)
	}
	return answerUntil(ctx, httpserver.New(handler, nil), listener)
}

// answerUntil answers until ctx ends.
func answerUntil(ctx context.Context, s *http.Server, on net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // streams stay open for as long as they are let
	defer stop()
	err := s.Serve(on)
	if ctx.Err() != nil || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// token gives the token, and whether it is new and kept nowhere.
func (o *serveOptions) token() (token string, told bool, err error) {
	if o.tokenFile == "" {
		if token := os.Getenv(tokenEnv); token != "" {
			return token, false, nil
		}
		return server.NewToken(), true, nil
	}
	data, err := readInput(nil, o.tokenFile, maxToken)
	if errors.Is(err, fs.ErrNotExist) {
		token = server.NewToken()
		return token, false, makeToken(o.tokenFile, token)
	}
	if err != nil {
		return "", false, err
	}
	if info, err := os.Stat(o.tokenFile); err != nil || info.Mode().Perm()&0o077 != 0 {
		return "", false, usagef("--token-file %s: others can read it: chmod 600 it, or remove it to have another made", o.tokenFile)
	}
	return strings.TrimSpace(string(data)), false, nil
}

// makeToken makes the file of a token, which only its owner can read.
func makeToken(path, token string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(token + "\n")
	return errors.Join(err, f.Close())
}
