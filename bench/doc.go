// Package bench measures how fast Reprise plays and what recording costs a page,
// against what stands at either end: a bare WebSocket client that does no more than it
// must, and rod's own calls, @puppeteer/replay and Playwright. Each client is a process
// of its own with a warm browser of its own.
//
// Every run is judged by the site that it was played on. `make bench` fails when
// one of them did not do its work, never because of a time: times say something
// only next to those of the same minute on the same machine, so what is reported of
// them are ratios. docs/benchmarks.md has the figures and how to read them.
package bench
