// Outside is a program of another module. It does the whole way with what Reprise
// exports, and names the types of it: none of them is an internal one. It prints
// what it did as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
	"github.com/go-reprise/reprise/store"
)

// outcome is what the test looks at.
type outcome struct {
	Steps   []string `json:"steps"`   // recorded
	Changes int      `json:"changes"` // heard while recording
	User    string   `json:"user"`
	Matched string   `json:"matched"`
	Missing string   `json:"missing"` // the code of a run without values
	Played  int      `json:"played"`
	Ended   string   `json:"ended"`
	Runs    int      `json:"runs"`
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done, err := run(ctx, os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(done); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, site, data string) (done *outcome, err error) {
	var b *browser.Browser
	if b, err = browser.Launch(ctx, &browser.Options{Width: 1280, Height: 800}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var st store.Store
	if st, err = store.Open(ctx, data); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	done = &outcome{}
	if err := record(ctx, b, st.Automations(), site, done); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	if err := play(ctx, b, st, site, done); err != nil {
		return nil, fmt.Errorf("playing: %w", err)
	}
	return done, nil
}

// record watches while this program's own rod code signs in.
func record(ctx context.Context, b *browser.Browser, st store.Automations, site string, done *outcome) error {
	page, err := b.NewIsolatedPage(ctx, "")
	if err != nil {
		return err
	}
	var r *recorder.Recorder
	r, err = recorder.Start(ctx, page, &recorder.Options{
		Name: "sign-in", Account: "ada", Description: "Sign in to Meadow",
		OnChange: func(recorder.Change) { done.Changes++ },
	})
	if err != nil {
		return err
	}
	if err := page.Navigate(ctx, site+"/signin"); err != nil {
		return err
	}
	if err := signIn(ctx, page); err != nil {
		return err
	}
	var a *automation.Automation
	var integrity *recorder.Integrity
	a, integrity, err = r.Stop(ctx)
	if err = errors.Join(err, integrity.Err()); err != nil {
		return err
	}
	done.User = r.Username()
	for _, step := range a.Steps {
		var on selectors.Path = step.Selector
		done.Steps = append(done.Steps, fmt.Sprint(step.Tool, " ", on))
	}
	_, err = st.Save(ctx, a)
	return errors.Join(err, page.Close(ctx))
}

func signIn(ctx context.Context, page *browser.Page) error {
	rod := page.Rod().Context(ctx)
	for _, act := range []struct{ selector, text string }{
		{"#accept-all", ""},
		{"#identifierId", os.Getenv("FIRST_EMAIL")}, {"#identifierNext", ""},
		{"#password", os.Getenv("FIRST_PASSWORD")}, {"#passwordNext", ""},
	} {
		el, err := rod.Element(act.selector)
		if err != nil {
			return err
		}
		if act.text != "" {
			err = el.Input(act.text)
		} else {
			err = el.Click("left", 1)
		}
		if err != nil {
			return err
		}
	}
	_, err := rod.Element("[data-email]")
	return err
}

// secrets is a source of values of this program's own.
type secrets struct{}

func (secrets) Value(_ context.Context, name string) (any, error) {
	if name != "password" {
		return nil, replayer.ErrNoValue
	}
	return automation.NewSecret(os.Getenv("SECOND_PASSWORD"))
}

func play(ctx context.Context, b *browser.Browser, st store.Store, site string, done *outcome) error {
	a, err := st.Automations().Match(ctx, site+"/signin", "ada")
	if err != nil {
		return err
	}
	done.Matched = a.Name
	page, err := b.NewIsolatedPage(ctx, "")
	if err != nil {
		return err
	}
	var failed *replayer.Error
	if _, err := replayer.Play(ctx, page, a, nil); errors.As(err, &failed) {
		done.Missing = string(failed.Code)
	}
	var values replayer.Values = replayer.First(replayer.Map{"email": os.Getenv("SECOND_EMAIL")}, secrets{})
	var result *replayer.Result
	result, err = replayer.Play(ctx, page, a, &replayer.Options{Values: values, OnStep: func(replayer.StepResult) { done.Played++ }})
	if err != nil {
		return err
	}
	done.Ended = result.URL
	run := store.Run{ID: store.NewRunID(), Automation: a.Name, State: store.Done}
	if err := st.Runs().Save(ctx, run); err != nil {
		return err
	}
	for _, err := range st.Runs().List(ctx) {
		if err != nil {
			return err
		}
		done.Runs++
	}
	return page.Close(ctx)
}
