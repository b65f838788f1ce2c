package server_test

import (
	"context"
	"log"
	"net/http"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/store"
)

func ExampleNew() {
	ctx := context.Background()
	st, err := store.Open(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	agents, err := agent.New(ctx, &agent.Options{Store: st})
	if err != nil {
		log.Fatal(err)
	}
	defer agents.Close()
	sidecar, err := server.New(&server.Options{Agent: agents, Token: server.NewToken(), Hosts: server.LoopbackHosts("7337")})
	if err != nil {
		log.Fatal(err)
	}
	defer sidecar.Close()
	if err := http.ListenAndServe("127.0.0.1:7337", sidecar); err != nil {
		log.Print(err)
	}
}
