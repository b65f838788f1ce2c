// Package lab holds the corpora that the guard (agent/autonomy) was learnt from, and what
// learns and measures it, all as tests. It is a module of its own: the guard needs only the
// weights that come out of it.
//
//	make guard-model    learns the weights again and writes them
//	make bench-guard    measures each annotator's answers by weights learnt without them
//
// testdata/README.md describes the corpora, docs/guard.md has the figures.
package lab
