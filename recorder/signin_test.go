package recorder_test

import (
	"slices"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

func TestRecordsASignIn(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	page := browsertest.Page(t, site.URL+"/signin")
	ctx := t.Context()
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "sign-in"})
	if err != nil {
		t.Fatal(err)
	}
	account := demosite.BuiltinAccounts()[0]
	p := simuser.At(page.Target())
	for _, act := range []func() error{
		func() error { return p.Click(ctx, "#accept-all") },
		func() error { return p.Fill(ctx, "#identifierId", account.Email) },
		func() error { return p.Click(ctx, "#identifierNext") },
		func() error { return p.Fill(ctx, "#password", account.Password) },
		func() error { return p.Click(ctx, "#passwordNext") },
		func() error { return p.See(ctx, "/dashboard") },
	} {
		if err := act(); err != nil {
			t.Fatal(err)
		}
	}
	a, integrity, err := r.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if integrity.Events == 0 || integrity.Documents < 2 {
		t.Errorf("integrity: %+v", integrity)
	}
	var tools []string
	for _, step := range a.Steps {
		tools = append(tools, step.Tool)
	}
	want := []string{"navigate", "click", "typeInput", "click", "waitForNav", "typeInput", "click", "waitForNav"}
	if !slices.Equal(tools, want) {
		t.Errorf("recorded %q, want %q", tools, want)
	}
	declared, err := a.Declared()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(declared.Names(), []string{"email", "password"}) || !slices.Equal(declared.Secrets(), []string{"password"}) {
		t.Errorf("declared %q, of them secret %q", declared.Names(), declared.Secrets())
	}
	if got := r.Username(); got != account.Email {
		t.Errorf("the user name was %q, want what was typed", got)
	}
}
