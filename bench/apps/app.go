package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// app is an application that others wrote.
type app struct {
	name  string
	about string // what its pages are made of
	held  bool   // nothing in the library is changed for it
	// needs are files that must be there, and what to install for them.
	needs []need
	// start starts it with nothing in it but two accounts.
	start func(ctx context.Context, h *host) (*site, error)
	// releases is whether an older release of it can be started as well.
	releases bool
	// values are what is typed in a run: different ones for each.
	values func(run int) values
	// signIn is how a user signs in, and flow what they do then. No signIn: no one has to.
	signIn func(p *person, who account)
	flow   func(p *person, v values)
	// public is whether its pages are open to everyone: without a sign-in a flow finds less there, and no page wants one.
	public bool
	// want changes the state of the back end by what a flow should have done.
	want func(s state, who account, v values)
	// named is what variables stand for which the recorder names: their key in values, or
	// "user" or "password". Default: the common names of these.
	named map[string]string
}

// need is a file or a program, and the package that has it.
type need struct{ path, install string }

// account is someone who may sign in.
type account struct{ user, password string }

// values are what is typed, by a name of the flow.
type values map[string]string

// state is what the back end holds that a flow could touch.
type state map[string]string

// site is an application that runs.
type site struct {
	url      string
	accounts [2]account // recorded and played
	// state reads what the back end holds now.
	state func(ctx context.Context) (state, error)
}

// differ returns how a state differs from the one that is wanted, "" where it does not.
func differ(got, want state) string {
	var lines []string
	keys := slices.Sorted(maps.Keys(got))
	for key := range want {
		if _, there := got[key]; !there {
			keys = append(keys, key)
		}
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		has, there := got[key]
		wanted, expected := want[key]
		switch {
		case !there:
			lines = append(lines, fmt.Sprintf("%s is missing: want %q", key, wanted))
		case !expected:
			lines = append(lines, fmt.Sprintf("%s is not wanted: %q", key, has))
		case has != wanted:
			lines = append(lines, fmt.Sprintf("%s is %q, want %q", key, has, wanted))
		}
	}
	return strings.Join(lines, "; ")
}

// add adds what there may be several of, so that one that was made twice is seen.
func add(s state, key, value string) {
	if before, there := s[key]; there {
		value = before + "; and " + value
	}
	s[key] = value
}

// oneOf chooses in turn, so that two runs have different choices.
func oneOf(run int, choices ...string) string { return choices[run%len(choices)] }
