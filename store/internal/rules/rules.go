// Package rules passes the rules of package store to the packages of other stores. It is
// below store and knows none of its types: package driver, which is above, does.
package rules

// Store is set by package store when it is initialized: the implementation of
// driver.Rules' type.
var Store any

// MaxOffers is how often a question is offered at most: far more than the ways in which a
// person is notified.
const MaxOffers = 32

// TraceEnd is the last line of a trace: how many there are, and its hash. The zero
// value is that of a trace without lines.
type TraceEnd struct {
	Calls int
	Hash  string
}
