// Package page is the one script that runs in pages: the recorder, the selector
// engine and the checks that an element can be acted on. It is written in
// TypeScript under src, bundled by `go generate`, and committed, so that building,
// testing and running need no node.
package page

import _ "embed"

//go:generate go run -C build .

// Script is the one script that runs in pages. It is put into an isolated world
// of each document, leaves no name in the page's own world, and tolerates being
// run twice.
//
//go:embed bundle.min.js
var Script string
