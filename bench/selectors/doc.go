// Command selectors measures who finds an element again after a page has changed,
// and who refuses when it is gone: Reprise, and what other projects use.
//
// The pages are other people's, from packages of a registry; the changes are
// made in them as they stand in a browser, and taken back. Which element is the
// right one is known to the harness alone. docs/selectors_benchmark.md says what
// the figures mean.
package main
