package cdp_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-reprise/reprise/internal/cdp"
)

// The browser behind this pipe says one thing and ends: the call that it leaves
// without an answer says why.
func ExampleNew() {
	_, toBrowser := io.Pipe()
	fromBrowser := io.NopCloser(strings.NewReader(`{"method":"Target.targetCreated","params":{}}` + "\x00"))
	c := cdp.New(cdp.NewPipe(toBrowser, fromBrowser))
	defer func() { _ = c.Close() }()

	_, err := c.Send("", "Browser.getVersion", nil).Wait(context.Background())
	fmt.Println(err)
	// Output: Browser.getVersion: the connection to the browser has ended: read: EOF
}
