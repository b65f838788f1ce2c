package target

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/go-reprise/reprise/internal/cdp"
)

// Closed shadow roots: no script can see them, and the protocol can.

// hostsAsked is what the page script says when it wants to know of elements
// whether they have one.
const hostsAsked = `{"type":"hosts"}`

// giveRoots hands the page script the closed shadow roots of the elements that
// it asks about.
func (f *Frame) giveRoots(ctx context.Context) error {
	if err := f.Call(ctx, nil, "flush"); err != nil { // the world knows that it is meant
		return err
	}
	w, err := f.enter(ctx)
	if err != nil {
		return err
	}
	g := giver{f: f, w: w, group: fmt.Sprint("roots ", answers.Add(1))}
	defer f.page.tree.client.Send(w.session, "Runtime.releaseObjectGroup", map[string]any{"objectGroup": g.group})
	asked, hosts, err := g.hosts(ctx)
	if err != nil {
		return f.explain(w, err)
	}
	return f.explain(w, g.give(ctx, asked, hosts))
}

// giver is one answer.
type giver struct {
	f     *Frame
	w     placed
	group string // of the objects that it holds, and no other answer
}

var answers atomic.Uint64

type object struct {
	ID string `json:"objectId"`
}

func (g giver) ask(ctx context.Context, method string, params map[string]any, out any) error {
	return g.f.page.tree.ask(ctx, g.w.session, method, params, out)
}

// hosts are the elements that are asked about: as one list, and each.
func (g giver) hosts(ctx context.Context) (list object, each []object, err error) {
	var asked struct {
		Result    object          `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	err = g.ask(ctx, "Runtime.evaluate", map[string]any{
		"expression": "__reprise.element(" + strconv.Quote(g.w.token) + `,"hosts")`, "contextId": g.w.context, "objectGroup": g.group, "silent": true,
	}, &asked)
	if err != nil {
		return object{}, nil, err
	}
	if asked.Exception != nil {
		return object{}, nil, ErrNavigated
	}
	var held struct {
		Properties []struct {
			Name  string `json:"name"`
			Value object `json:"value"`
		} `json:"result"`
	}
	err = g.ask(ctx, "Runtime.getProperties", map[string]any{"objectId": asked.Result.ID, "ownProperties": true}, &held)
	for _, p := range held.Properties {
		if i, err := strconv.Atoi(p.Name); err == nil && i == len(each) {
			each = append(each, p.Value)
		}
	}
	return asked.Result, each, err
}

// give finds the roots and hands them over, with the indices of their hosts.
func (g giver) give(ctx context.Context, asked object, hosts []object) error {
	if len(hosts) == 0 {
		return nil
	}
	nodes, err := g.closedRoots(ctx, hosts)
	if err != nil {
		return err
	}
	at, roots := []int{}, []any{}
	for i, call := range g.resolve(nodes) {
		var resolved struct {
			Object object `json:"object"`
		}
		if call == nil || read(ctx, call, &resolved) != nil {
			continue // it has none, or has gone meanwhile
		}
		at = append(at, i)
		roots = append(roots, resolved.Object)
	}
	arguments := append([]any{argument{g.w.token}, argument{at}}, roots...)
	reply, err := g.f.page.tree.client.Call(ctx, g.w.session, "Runtime.callFunctionOn", map[string]any{
		"objectId":            asked.ID,
		"functionDeclaration": `function(token, at, ...roots) { return __reprise.call(token, "adoptRoots", this, at, roots) }`,
		"arguments":           arguments, "returnByValue": true, "silent": true,
	})
	if err != nil {
		return err
	}
	return g.f.decode(g.w, reply, nil)
}

// closedRoots gives the node of each host's closed root, 0 where there is none.
// The browser's own roots, as those of fields, stay its own.
func (g giver) closedRoots(ctx context.Context, hosts []object) ([]int, error) {
	calls := make([]*cdp.Call, len(hosts))
	for i, host := range hosts {
		calls[i] = g.f.page.tree.client.Send(g.w.session, "DOM.describeNode", map[string]any{"objectId": host.ID})
	}
	nodes := make([]int, len(hosts))
	for i, call := range calls {
		var described struct {
			Node struct {
				Roots []struct {
					Node int    `json:"backendNodeId"`
					Type string `json:"shadowRootType"`
				} `json:"shadowRoots"`
			} `json:"node"`
		}
		if err := read(ctx, call, &described); err != nil {
			return nil, err
		}
		for _, root := range described.Node.Roots {
			if root.Type == "closed" {
				nodes[i] = root.Node
			}
		}
	}
	return nodes, nil
}

// resolve asks for nodes as objects in the script's world; nil where there is no node.
func (g giver) resolve(nodes []int) []*cdp.Call {
	calls := make([]*cdp.Call, len(nodes))
	for i, node := range nodes {
		if node != 0 {
			calls[i] = g.f.page.tree.client.Send(g.w.session, "DOM.resolveNode", map[string]any{
				"backendNodeId": node, "executionContextId": g.w.context, "objectGroup": g.group,
			})
		}
	}
	return calls
}

// read waits for a reply and decodes it.
func read(ctx context.Context, call *cdp.Call, out any) error {
	reply, err := call.Wait(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(reply, out)
}
