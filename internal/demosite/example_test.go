package demosite_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/go-reprise/reprise/internal/demosite"
)

func ExampleStart() {
	site, err := demosite.Start(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer site.Close()
	// Let a browser sign in at site.URL + "/signin", then ask the server, not the page.
	fmt.Println(site.SignedIn(), site.SignIns("ada@example.com"))
	// Output: [] 0
}

func ExampleNew() {
	site := demosite.New(&demosite.Options{
		Accounts: []demosite.Account{{Email: "joan@example.org", Password: "open sesame", Name: "Joan Clarke"}},
		Delay:    -1,
	})
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/signin", nil))
	fmt.Println(w.Code, len(site.Submissions()))
	// Output: 200 0
}
