package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/postgres"
)

// deepest is how deep automations play one another, at most, for the sites that they act
// on to be known.
const deepest = 8

// places are what a run of a document acts on: the sites in its scope, and those of the
// automations that it plays, each with the account.
func places(ctx context.Context, all store.Automations, doc *automation.Automation, account string) ([]postgres.Place, error) {
	found := map[postgres.Place]bool{}
	err := collect(ctx, all, doc, cmp.Or(account, doc.Match.Account), deepest, found)
	var list []postgres.Place
	for p := range found {
		list = append(list, p)
	}
	return list, err
}

func collect(ctx context.Context, all store.Automations, doc *automation.Automation, account string, depth int, found map[postgres.Place]bool) error {
	kept, err := doc.Match.Places()
	if err != nil {
		return err
	}
	for _, place := range kept {
		found[postgres.Place{Site: siteOf(place), Account: account}] = true
	}
	for _, step := range doc.Steps {
		var args struct{ Name, Account string }
		if step.Tool != "run" || depth == 0 || json.Unmarshal(step.Args, &args) != nil {
			continue
		}
		inner, err := all.Get(ctx, args.Name, cmp.Or(args.Account, account))
		if err != nil {
			inner, err = all.Get(ctx, args.Name, "")
		}
		if err != nil {
			continue // the run will say so
		}
		if err := collect(ctx, all, inner, cmp.Or(args.Account, account), depth-1, found); err != nil {
			return err
		}
	}
	return nil
}

// siteOf is the site of a place of a scope (automation.Scope.Places): the part of the
// host that somebody has registered, which shares its cookies and its accounts. A port
// tells no site from another, as with cookies.
func siteOf(place string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(place, "*."), "/")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return host
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil { // as localhost, or where everybody registers
		return host
	}
	return site
}
