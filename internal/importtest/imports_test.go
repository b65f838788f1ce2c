// Package importtest holds the rules of the house that no compiler checks: which
// package may import which, and what no source file may contain.
package importtest

import (
	"testing"
)

// A floor is a set of packages, as folders of this module; "x/..." is x and
// everything under it.
type floor struct {
	packages []string
	why      string // what makes it stand where it does
}

// floors is the house, top to bottom. A package imports only packages of floors
// below its own, so those of one floor know nothing of each other. Tests may
// import anything.
var floors = []floor{
	{[]string{"cmd/reprise", "examples/..."}, "programs: nothing is built on them"},
	{[]string{"internal/cli/..."}, "the commands: flags, and what they print"},
	{[]string{"browser/providers/providertest"}, "what every provider of browsers promises, checked in a real one"},
	{[]string{"internal/browsertest/...", "internal/cases", "internal/importtest", "internal/page/pagetest", "internal/postgrestest"}, "for tests: only they and programs may lean on it"},
	{[]string{"internal/canary"}, "secrets for tests, and how they are found again"},
	{[]string{"internal/simuser"}, "a simulated user, who finds elements in its own way: for the demo, tests and benchmarks"},
	{[]string{"internal/demosite/..."}, "the built-in site: the demo and tests may know it, the library may not"},
	{[]string{"internal/server/..."}, "the sidecar offers all of the library over HTTP"},
	{[]string{"internal/settings"}, "the settings file, for commands; it knows the options of what it sets"},
	{[]string{"internal/worker"}, "spreads over machines what one machine does"},
	{[]string{"agent"}, "what an agent sees of everything below"},
	{[]string{"handoff/messenger"}, "tells people what runs ask for, and answers runs for them"},
	{[]string{"internal/runner"}, "the only way a run happens, for commands, workers and agents"},
	{[]string{"agent/autonomy/..."}, "the guard does not know what it guards"},
	{[]string{"handoff"}, "a takeover is recorded and resumed"},
	{[]string{"recorder/desk"}, "shows a recording, and shapes it by what the recorder offers anyone"},
	{[]string{"recorder", "replayer"}, "siblings: the document is all that they share"},
	{[]string{"store/postgres", "store/sealed", "store/storetest"}, "one kind of store, what it keeps sealed, and the suite that each kind passes"},
	{[]string{"store/internal/driver"}, "the rules that every kind of store shares, with the types of store"},
	{[]string{"store"}, "keeps documents and runs, and does not know browsers"},
	{[]string{"store/internal/files", "store/internal/rules"}, "files and their locks, which know no type of a store; a way up for its rules"},
	{[]string{"browser/providers"}, "who rents browsers out; anyone who only launches one links no service"},
	{[]string{"browser"}, "Chrome as pages and tabs, for anyone who drives it"},
	{[]string{"notify/..."}, "tells a person, whatever it is about"},
	{[]string{"internal/draft"}, "what a recording makes an automation with, anyone who acted"},
	{[]string{"automation/exchange"}, "other tools' forms of a document: anyone who only plays one links none of them"},
	{[]string{"automation"}, "the document stands under everything that makes, keeps or plays it"},
	{[]string{"selectors"}, "text forms of selectors; pure"},
	{[]string{"internal/input"}, "raw events of mouse and keyboard"},
	{[]string{"internal/target"}, "the live tree of pages, frames and isolated worlds"},
	{[]string{"internal/page"}, "the script that runs in pages, as text"},
	{[]string{"internal/gate"}, "the way to the network of what a browser shows; it knows no browser"},
	{[]string{"internal/weburl"}, "hosts, origins and sites of URLs as text; pure"},
	{[]string{"internal/netrule"}, "what kind of network address a page is about to reach; pure"},
	{[]string{"internal/keeper"}, "a process that owns a browser, and the way to it"},
	{[]string{"internal/cdp"}, "messages to and from Chrome, of any kind"},
	{[]string{"internal/commit"}, "what commits someone, by its evidence; pure"},
	{[]string{"internal/httpserver"}, "limits for whatever serves HTTP"},
	{[]string{"internal/load"}, "the clock of time limits; pure but for reading the load"},
	{[]string{"internal/humanize", "internal/redact", "internal/plaintext"}, "paths and rhythms as numbers; pieces of secrets in texts; texts that show what they say"},
}

// A fence keeps a library, "x/..." with everything under it, behind the few
// packages that need it.
type fence struct {
	library string
	allowed []string // folders of this module; "x/..." as above
	why     string
}

// fences hold for code, not for tests.
var fences = []fence{
	{"github.com/go-rod/rod", []string{"browser", "internal/cdp"},
		"its last release is from 2024: one place changes if Chrome does"},
	{"github.com/go-rod/rod/lib/launcher/...", []string{"browser"}, "launching is browser's idea"},
	{"github.com/go-rod/rod/lib/...", []string{"browser", "internal/cdp", "internal/target"},
		"callers get pages and frames, not the protocol"},
	{"github.com/go-rod/stealth", []string{"browser"}, "an option of the launch"},
	{"github.com/riverqueue/river/...", []string{"internal/worker"}, "one machine needs no queue"},
	{"github.com/jackc/pgx/v5/...", []string{"store/postgres", "internal/worker", "internal/postgrestest"}, "a program that keeps its documents in a folder links no database"},
	{"filippo.io/age/...", []string{"store/sealed"}, "one place seals and opens"},
	{"github.com/zalando/go-keyring", []string{"store/sealed"}, "one place knows where the keys are"},
	{"github.com/modelcontextprotocol/go-sdk/...", []string{"agent", "internal/server", "internal/cli/...", "examples/..."}, "what serves no agent links no protocol for them"},
	{"github.com/go-telegram/bot/...", []string{"notify", "handoff/messenger"}, "what tells no one links no chat; its debug mode prints what people write"},
	{"github.com/spf13/cobra", []string{"internal/cli/..."}, "the library has no command line"},
}

// A purity is what a package must not reach, itself or by what it imports.
type purity struct {
	pkg     string
	without []string
	why     string
}

var purities = []purity{
	{"automation", []string{"net/http", "github.com/go-rod/rod/..."}, "a document is read and checked with no network and no browser"},
	{"automation/exchange", []string{"net/http", "github.com/go-rod/rod/..."}, "bytes in, bytes out"},
	{"selectors", []string{"net/http", "github.com/go-rod/rod/..."}, "text in, text out"},
	{"agent", []string{module + "/agent/autonomy", module + "/agent/autonomy/internal/..."}, "a program without a guard links none of its phrases and weights"},
}

func TestEveryPackageImportsOnlyTheFloorsBelow(t *testing.T) {
	t.Parallel()
	report(t, checkFloors(house(t), floors))
}

func TestLibrariesStayBehindTheirFences(t *testing.T) {
	t.Parallel()
	report(t, checkFences(house(t), fences))
}

func TestPackagesReachNothingThatTheyAreToDoWithout(t *testing.T) {
	t.Parallel()
	report(t, checkPurities(purities, func(pkg string) []string { return reached(t, pkg) }))
}

func report(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}
