package replayer_test

import (
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

// recordSignIn records how a person signs an account in.
func recordSignIn(t *testing.T, site *demosite.Server, account demosite.Account) *automation.Automation {
	t.Helper()
	page := browsertest.Page(t, site.URL+"/signin")
	ctx := t.Context()
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "sign-in"})
	if err != nil {
		t.Fatal(err)
	}
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
	a, _, err := r.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestReplaySignsTheOtherAccountIn(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	accounts := site.Accounts()
	a := recordSignIn(t, site, accounts[0])
	page := browsertest.Page(t, "")
	for n := range 2 { // the consent banner is there on the first visit only
		_, err := replayer.Play(t.Context(), page, a, &replayer.Options{
			Values: replayer.Map{"email": accounts[1].Email, "password": accounts[1].Password},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := site.SignIns(accounts[1].Email); got != n+1 {
			t.Errorf("the second account was signed in %d times, want %d", got, n+1)
		}
	}
	if got := site.SignIns(accounts[0].Email); got != 1 {
		t.Errorf("the first account was signed in %d times, want once, by the person", got)
	}
}
