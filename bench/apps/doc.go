// Command apps plays recordings of real web applications, and asks their own back ends
// what became of it.
//
// Each application is one that others wrote, installed from a package and started here
// with a data directory of its own. A simulated user signs in as one account and makes
// something with typed and chosen values, while the recorder watches. What was recorded is
// played for another account with other values, at full speed, humanized, with a slower
// processor and over a slower network. The document is not edited: other values are given
// only to what the recorder makes a variable, and to what it lets its user mark as one.
//
// The state of the back end is read before and after each run, and must have changed by
// what the flow should have done and by nothing else. A run that ends without an error
// while the back end disagrees is DONE-WRONG.
//
//	make bench-apps APPSFLAGS='-only dokuwiki,wordpress -modes strict,human'
//
// In the mode "takeover" the sign-in is learned from a person who drives the live view in a second browser, and played
// for both accounts after that.
//
// Applications that are held out are run for the figure only: nothing is changed for them.
// docs/apps.md has the figures and the cause of each failure.
package main
