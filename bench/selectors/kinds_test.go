package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	tags    = regexp.MustCompile(`(?s)<style.*?</style>|<title.*?</title>|<[^>]*>`)
	classes = regexp.MustCompile(`class="([^"]*)"`)
	ids     = regexp.MustCompile(`\bid="([^"]*)"`)
	hrefs   = regexp.MustCompile(`href="[^"]*"`)
)

func words(html string) []string { return strings.Fields(tags.ReplaceAllString(html, " ")) }

// inside returns what an expression finds in each place, split at white space.
func inside(of *regexp.Regexp, html string) []string {
	var all []string
	for _, m := range of.FindAllStringSubmatch(html, -1) {
		all = append(all, strings.Fields(m[len(m)-1])...)
	}
	slices.Sort(all)
	return all
}

// shared reports whether they have any in common.
func shared(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func count(html, tag string) int { return strings.Count(html, tag) }

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }

// differences say of a kind what it must have done to a page; was and is are the
// page before and after, el the element as it was, now as it is.
var differences = map[string]func(was, is, el, now string) bool{
	"unchanged":                    func(was, is, _, _ string) bool { return was == is },
	"classes hashed on both sides": func(was, is, _, _ string) bool { return !shared(inside(classes, was), inside(classes, is)) },
	"ids generated on both sides":  func(was, is, _, _ string) bool { return !shared(inside(ids, was), inside(ids, is)) },
	"classes renamed": func(was, is, _, _ string) bool {
		return !shared(inside(classes, was), inside(classes, is)) && slices.Equal(words(was), words(is))
	},
	"id removed or renamed": func(was, is, _, _ string) bool {
		return !slices.Equal(inside(ids, was), inside(ids, is)) && slices.Equal(words(was), words(is))
	},
	"wrapped":                 oneMore,
	"ancestor wrapped":        oneMore,
	"wrapper removed":         func(was, is, _, _ string) bool { return count(is, "<") == count(was, "<")-2 },
	"sibling inserted before": more,
	"sibling inserted after":  more,
	"list grown":              more,
	"hidden twin":             more,
	"hidden copy came":        more,
	"boxes changed places":    moves,
	"note before a box":       more,
	"visible twin":            func(was, is, el, _ string) bool { return count(is, "<") > count(was, "<") },
	"sibling removed":         func(was, is, _, _ string) bool { return count(is, "<") < count(was, "<") },
	"siblings reordered":      moves,
	"moved elsewhere":         moves,
	"word added":              func(was, is, el, now string) bool { return el != now || len(words(is)) == len(words(was))+1 },
	"word replaced":           func(was, is, el, now string) bool { return was != is && len(words(is)) == len(words(was)) },
	"count added or changed": func(was, is, _, _ string) bool {
		return was != is && withoutDigits(strings.Join(words(was), " ")) == strings.ReplaceAll(withoutDigits(strings.Join(words(is), " ")), " ()", "")
	},
	"context edited": func(was, is, el, now string) bool { return el == now && !slices.Equal(words(was), words(is)) },
	"page translated": func(was, is, _, _ string) bool {
		return !shared(letters(words(was)), letters(words(is))) && slices.Equal(inside(hrefs, was), inside(hrefs, is))
	},
	"attribute changed": func(was, is, el, now string) bool { return el != now && slices.Equal(words(was), words(is)) },
	"tag swapped": func(was, is, el, now string) bool {
		return el[:3] != now[:3] && slices.Equal(words(was), words(is))
	},
	"deleted":     less,
	"row deleted": less,
	"hidden": func(was, is, _, _ string) bool {
		return count(is, "!important") == 1 && slices.Equal(words(was), words(is))
	},
	"replaced": func(was, is, el, _ string) bool {
		return count(was, "<") == count(is, "<") && !strings.Contains(is, el)
	},
	"deleted, page translated": less,
}

func oneMore(was, is, _, _ string) bool { return count(is, "<") == count(was, "<")+2 }
func more(was, is, _, _ string) bool    { return count(is, "<") > count(was, "<") }
func less(was, is, _, _ string) bool    { return count(is, "<") < count(was, "<") }

// moves: nothing came, nothing went, and it stands elsewhere.
func moves(was, is, _, _ string) bool {
	return was != is && slices.Equal(sorted(words(was)), sorted(words(is)))
}

var digits = regexp.MustCompile(`\d+`)

func withoutDigits(s string) string { return digits.ReplaceAllString(s, "") }

// letters leaves out what is no word in any language.
func letters(all []string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return !regexp.MustCompile(`^\pL{3,}$`).MatchString(s) })
}

func TestEachChangeDoesWhatItsNameSays(t *testing.T) {
	t.Parallel()
	c, ctx := opened(t)
	if err := c.run(ctx); err != nil {
		t.Fatal(err)
	}
	was := before(t, c)
	checked := map[string]bool{}
	for _, tr := range c.trials {
		differ := differences[tr.Kind]
		if tr.Skipped != "" || differ == nil {
			continue
		}
		checked[tr.Kind] = true
		if is := seen(t, tr.Verdicts["watcher"]); !differ(was, is, tr.HTML, tr.Now) {
			t.Errorf("%s did not to %s what it says; it is now %s, in\n%s", tr.Kind, tr.HTML, tr.Now, is)
		}
	}
	for name := range differences {
		if !checked[name] {
			t.Errorf("%q was not checked", name)
		}
	}
}

func TestAPageKeepsItsLooksWhenClassesAndIdsAreMade(t *testing.T) {
	t.Parallel()
	c, ctx := opened(t)
	if err := c.run(ctx); err != nil {
		t.Fatal(err)
	}
	var want string
	for _, tr := range c.trials {
		looks := string(tr.Verdicts["onlooker"].Says)
		switch {
		case tr.Kind == kindUnchanged:
			want = looks
		case strings.HasSuffix(tr.Kind, "on both sides") || tr.Kind == "classes renamed":
			if tr.Skipped != "" || looks != want {
				t.Errorf("%s: %s sees %s, and %s on the page unchanged; %s", tr.Kind, tr.HTML, looks, want, tr.Skipped)
			}
		}
	}
}
