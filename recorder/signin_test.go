package recorder_test

import (
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/person"
	"github.com/go-reprise/reprise/recorder"
)

func TestRecordsASignIn(t *testing.T) {
	t.Parallel()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	page := browsertest.Page(t, site.URL+"/signin")
	ctx := t.Context()
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "sign-in"})
	if err != nil {
		t.Fatal(err)
	}
	account := demosite.BuiltinAccounts()[0]
	p := person.At(page.Target())
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
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v\n%s", integrity, data)
}
