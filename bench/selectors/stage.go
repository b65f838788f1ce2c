package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/browser"
)

// worldName is of the world that the scripts run in: the page cannot reach it.
const worldName = "selbench"

// pageTimeout bounds what is done with one page. It is far above what any needs.
const pageTimeout = 3 * time.Minute

// stage is a tab with the scripts in it.
type stage struct {
	page   *browser.Page
	script string
	world  int
}

// load opens an address, waits until it rests, and puts the scripts in. From then
// on the page's own scripts run no more: nothing but the changes changes it.
func (s *stage) load(ctx context.Context, address string) error {
	if err := s.send(ctx, "Emulation.setScriptExecutionDisabled", map[string]any{"value": false}, nil); err != nil {
		return err
	}
	if err := s.page.Navigate(ctx, address); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	if err := s.eval(ctx, nil, "selbench.settled()"); err != nil {
		return fmt.Errorf("waiting for %s to rest: %w", address, err)
	}
	return s.send(ctx, "Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
}

// enter makes a world in the document and puts the scripts into it.
func (s *stage) enter(ctx context.Context) error {
	var made struct {
		Context int `json:"executionContextId"`
	}
	params := map[string]any{"frameId": s.page.Target().Main().ID(), "worldName": worldName}
	if err := s.send(ctx, "Page.createIsolatedWorld", params, &made); err != nil {
		return err
	}
	s.world = made.Context
	return s.eval(ctx, nil, s.script+"\n;undefined")
}

// eval evaluates an expression in the world; what it returns, or promises, is decoded into out.
func (s *stage) eval(ctx context.Context, out any, expression string) error {
	params := map[string]any{"expression": expression, "contextId": s.world, "awaitPromise": true, "returnByValue": true}
	var reply struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := s.send(ctx, "Runtime.evaluate", params, &reply); err != nil {
		return err
	}
	if e := reply.Exception; e != nil {
		return errors.New(strings.TrimSpace(e.Text + " " + e.Exception.Description))
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(reply.Result.Value, out)
}

// call calls a method with arguments that are sent as JSON.
func (s *stage) call(ctx context.Context, out any, method string, args ...any) error {
	texts := make([]string, len(args))
	for i, arg := range args {
		data, err := json.Marshal(arg)
		if err != nil {
			return err
		}
		texts[i] = string(data)
	}
	return s.eval(ctx, out, method+"("+strings.Join(texts, ",")+")")
}

func (s *stage) send(ctx context.Context, method string, params, out any) error {
	reply, err := s.page.Target().Send(method, params).Wait(ctx)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(reply, out)
}
