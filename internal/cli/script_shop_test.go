package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

// shop is a site of one page, which the script changes as its makers would.
type shop struct {
	*httptest.Server
	sent atomic.Int32
}

// openShop serves what is in a file, whenever it is asked for, at $SHOP:
// shop page.html. A new release is a new file: cp second.html page.html
func openShop(ts *testscript.TestScript, _ bool, args []string) {
	file, s := ts.MkAbs(args[0]), &shop{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		page, err := os.ReadFile(file)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	mux.HandleFunc("POST /sold", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "sold %d", s.sent.Add(1))
	})
	s.Server = httptest.NewServer(mux)
	ts.Defer(s.Close)
	ts.Setenv("SHOP", s.URL)
	ts.Setenv("SHOPHOST", strings.TrimPrefix(s.URL, "http://"))
	worldOf(ts).shop = s
}

// records has a person act on the shop's page while it is recorded, and keeps that
// in a file: records order.json 'click #buy' 'see /sold'
func records(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	page, err := worldOf(ts).browser.NewPage(ctx, worldOf(ts).shop.URL+"/")
	ts.Check(err)
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: strings.TrimSuffix(filepath.Base(args[0]), ".json")})
	ts.Check(err)
	p := simuser.At(page.Target())
	for _, gesture := range args[1:] {
		ts.Check(act(ctx, page, p, strings.SplitN(gesture, " ", 3)))
	}
	document, _, err := r.Stop(ctx)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o700))
	ts.Check(writeDocument(ts.MkAbs(args[0]), document))
	ts.Check(page.Close(ctx))
}

// sold asks the shop how often anything was sent to it: sold 2
func sold(ts *testscript.TestScript, _ bool, args []string) {
	if got := worldOf(ts).shop.sent.Load(); strconv.Itoa(int(got)) != args[0] {
		ts.Fatalf("%d orders were sent, want %s", got, args[0])
	}
}
