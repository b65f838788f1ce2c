package recorder

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
)

func loads(url, name string) []event { return []event{{kind: downloaded, url: url, file: name}} }

func TestADownloadIsExpectedOfTheStepThatLedToIt(t *testing.T) {
	t.Parallel()
	get, report := button("get"), "https://example.com/files/report?for=ada"
	for name, test := range map[string]struct {
		events [][]event
		want   []automation.Expectation
	}{
		"by its place and its name":              {[][]event{pressed(get, 1), loads(report, "report.csv")}, []automation.Expectation{{Kind: "download", URL: "example.com/files/report", Text: "report.csv"}}},
		"by its extension where others differ":   {[][]event{pressed(get, 1), loads("https://example.com/files/20261121", "report-2026-11-21.csv")}, []automation.Expectation{{Kind: "download", URL: "example.com/files/[0-9]*", Text: ".csv"}}},
		"without a place where a page made it":   {[][]event{pressed(get, 1), loads("blob:https://example.com/1-2", "drawing.svg")}, []automation.Expectation{{Kind: "download", Text: "drawing.svg"}}},
		"without a name that repeats a variable": {[][]event{typed(mail("m"), "ada@example.com"), pressed(get, 1), loads("data:text/plain,x", "For ada@example.com.txt")}, []automation.Expectation{{Kind: "download", Text: ".txt"}}},
		"without a name that may hold a secret":  {[][]event{typedSecret(secretField("p")), pressed(get, 1), loads("data:text/plain,x", "swordfish.txt")}, []automation.Expectation{{Kind: "download", Text: ".txt"}}},
		"also when there are several":            {[][]event{pressed(get, 1), loads("data:,x", "a.txt"), loads("data:,y", "b")}, []automation.Expectation{{Kind: "download", Text: "a.txt"}, {Kind: "download", Text: "b"}}},
		"also of an address":                     {[][]event{addressBar("https://example.com/"), loads(report, "")}, []automation.Expectation{{Kind: "download", URL: "example.com/files/report"}}},
	} {
		t.Run(name, func(t *testing.T) {
			entries := merge(test.events...).entries
			if diff := cmp.Diff(test.want, entries[len(entries)-1].step.Expect); diff != "" {
				t.Errorf("expected of the last step (-want +got):\n%s", diff)
			}
		})
	}
	if m := merge(loads(report, "early.csv")); len(m.entries) != 0 {
		t.Errorf("a download that no one asked for made %+v", m.entries)
	}
}

// That a page has gone back may be heard before it says that it does so.
func TestThatAPageGoesBackOnItsOwnMayBeHeardLate(t *testing.T) {
	t.Parallel()
	list := addressBar("https://example.com/list")
	late := list[len(list)-1]
	late.asked, late.late = true, true
	entries := merge(addressBar("https://example.com/new"), pressed(button("save"), 1), list, []event{late}).entries
	if last := entries[len(entries)-1].step; last.Tool != "waitForNav" || last.URL != "example.com/list" {
		t.Errorf("the last step is %s %s", last.Tool, last.URL)
	}
}
