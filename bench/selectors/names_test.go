package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	pagescript "github.com/go-reprise/reprise/internal/page"
)

// pressed are roles by which people find something to use.
var pressed = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "checkbox": true, "radio": true, "switch": true,
	"slider": true, "spinbutton": true, "listbox": true, "tab": true, "menuitem": true, "heading": true,
}

// alike is how much of what Chrome reports of the pages must be what we report. The rest
// are icons of fonts and the other exceptions that internal/page's test names.
const alike = 0.97

// axNode is an element as Chrome reports it to assistive technology.
type axNode struct {
	Ignored    bool
	Role, Name struct{ Value string }
	Backend    int `json:"backendDOMNodeId"`
}

// On real pages role and name of what can be used are those that Chrome reports.
// Each difference is logged with -v.
func TestRolesAndNamesOnRealPages(t *testing.T) {
	t.Parallel()
	modules := filepath.Join("pages", "node_modules")
	if _, err := os.Stat(modules); err != nil {
		t.Skip("the pages are not installed: `make bench-selectors` installs them")
	}
	site, err := serve(modules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.close() })
	pages, err := pagesOf(".", "tuning")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{page: browsertest.Page(t, ""), script: pagescript.Script}
	var all, same int
	for _, page := range pages {
		n, agreed := s.compareNames(t, site.address(page))
		all, same = all+n, same+agreed
	}
	t.Logf("%d of %d elements are called as Chrome calls them", same, all)
	if all < 500 || float64(same) < alike*float64(all) {
		t.Errorf("%d of %d elements are called as Chrome calls them, want %.0f %%; -v tells which are not", same, all, 100*alike)
	}
}

// compareNames asks Chrome and the page script about everything on a page that people use.
func (s *stage) compareNames(t *testing.T, address string) (all, same int) {
	t.Helper()
	ctx := t.Context()
	if err := s.page.Navigate(ctx, address); err != nil {
		t.Fatal(err)
	}
	if err := s.enter(ctx); err != nil {
		t.Fatal(err)
	}
	var tree struct{ Nodes []axNode }
	if err := s.send(ctx, "Accessibility.getFullAXTree", map[string]any{}, &tree); err != nil {
		t.Fatal(err)
	}
	for _, node := range tree.Nodes {
		if node.Ignored || !pressed[node.Role.Value] || node.Backend == 0 {
			continue
		}
		role, name, html, err := s.accessible(ctx, node.Backend)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(html, `pseudo="-`) {
			continue // Chrome has made it, in a field of its own
		}
		all++
		if chrome := strings.Join(strings.Fields(node.Name.Value), " "); role == node.Role.Value && name == chrome {
			same++
		} else {
			t.Logf("%s: %s: Chrome says %s %q, we %s %q", address, html, node.Role.Value, chrome, role, name)
		}
	}
	return all, same
}

// accessible is what the page script reports of an element.
func (s *stage) accessible(ctx context.Context, backend int) (role, name, html string, err error) {
	var at struct{ Object struct{ ObjectID string } }
	if err := s.send(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": backend, "executionContextId": s.world}, &at); err != nil {
		return "", "", "", err
	}
	var said struct{ Result struct{ Value []string } }
	const ask = `function() { const {role, name} = __reprise.call("", "accessible", this).value; return [role, name, this.outerHTML.slice(0, 160)] }`
	err = s.send(ctx, "Runtime.callFunctionOn", map[string]any{"objectId": at.Object.ObjectID, "functionDeclaration": ask, "returnByValue": true}, &said)
	if err != nil {
		return "", "", "", err
	}
	if len(said.Result.Value) != 3 {
		return "", "", "", fmt.Errorf("the page script says %q", said.Result.Value)
	}
	return said.Result.Value[0], said.Result.Value[1], said.Result.Value[2], nil
}
