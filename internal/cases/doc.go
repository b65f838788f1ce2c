// Package cases holds what breaks recorders and replayers, one text file for each
// case: a page, what a person does there, what is recorded of it, and what the page
// must hear when that is played. There is nothing in it but tests; docs/cases.md says
// which case is held by which.
//
// A case is a txtar file of testdata:
//
//	What it is about.
//	-- page.html --        the page at /; other files are at /NAME
//	-- played/page.html -- what it is by the time that it is played; so for other files
//	-- headers --          lines like: page.html Content-Security-Policy: default-src 'self'
//	-- actions --          what a person does, a line for each gesture (actions_test.go)
//	-- automation.json --  what is recorded, but for evidence, alternatives and offsets
//	-- play --             the values that it is played with, as JSON; "step 1" is the literal of a step
//	-- want --             what the server hears while it is played, line by line
//	-- fails --            the code that it fails with when it is played, and perhaps ": " and a part of the reason
//
// In a page, said(text) tells the server; here.test is its first site and there.test
// another one. Files under files/ are a person's own, named @NAME in play. Without want
// and fails nothing is played. Go on with go test ./internal/cases -update when what is recorded
// was meant to change, and read the difference.
package cases
