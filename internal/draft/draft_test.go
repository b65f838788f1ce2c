package draft

import "testing"

func TestVariablesAreNamedAfterTheirFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"Member number"}, "member_number"},
		{[]string{"", "2nd", "user[city]"}, "user_city"},
		{[]string{"field-0f3a91c47d2e4b6f8a1c3e5d7f9b0a2c4e6f8", "note"}, "note"},
		{[]string{"名前"}, "value"},
		{nil, "value"},
	} {
		if got := VariableName("value", c.texts...); got != c.want {
			t.Errorf("the name of %q is %q, want %q", c.texts, got, c.want)
		}
	}
	taken := map[string]bool{"city": true, "city_2": true}
	if got := Unique("city", func(name string) bool { return taken[name] }); got != "city_3" {
		t.Errorf("the third city is %q", got)
	}
}

func TestSitesHaveASchemeOnlyWhereItIsNotTheUsualOne(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.com/a?b": "example.com/*", "http://example.com:8080/": "http://example.com:8080/*",
		"http://127.0.0.1:4000/a": "127.0.0.1:4000/*", "https://localhost/": "localhost/*",
		"about:blank": "", "file:///etc/passwd": "", "": "",
	} {
		if got, ok := SiteGlob(address); got != want || ok != (want != "") {
			t.Errorf("the glob of %q is %q, %v, want %q", address, got, ok, want)
		}
	}
}
