package demosite_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/internal/demosite"
)

func order() url.Values {
	return url.Values{
		"name": {"Ada Lovelace"}, "email": {"ada@example.com"}, "phone": {"+44 20 7946 0018"},
		"city": {"London"}, "country": {"Norway"}, "quantity": {"3"}, "date": {"2027-04-01"},
		"delivery": {"express"}, "note": {"Leave it\r\nat the door."}, "gift": {"yes"}, "terms": {"accepted"},
	}
}

func TestOrderIsRecordedAndThankedFor(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v := visit(t, s)
	page := v.post("/form", order())
	if page.path != "/form/done" || !strings.Contains(page.body, "Thank you") || !strings.Contains(page.body, "M-00001") {
		t.Errorf("ended at %s:\n%s", page.path, page.body)
	}
	plain := order()
	plain.Del("gift")
	plain.Del("note")
	if page := v.post("/form", plain); !strings.Contains(page.body, "M-00002") {
		t.Errorf("without what is optional: %d at %s", page.status, page.path)
	}
	if diff := cmp.Diff([]url.Values{order(), plain}, s.Submissions()); diff != "" {
		t.Errorf("submissions (-want +got):\n%s", diff)
	}
	for _, ref := range []string{"M-00003", "M-1", "1", ""} {
		if page := v.get("/form/done?ref=" + ref); page.status != http.StatusNotFound {
			t.Errorf("thanks for %q: %d", ref, page.status)
		}
	}
}

func TestOrderThatIsWrongIsShownAgainAndNotRecorded(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for field, values := range map[string][]string{
		"name":     {"", "A", strings.Repeat("a", 81)},
		"email":    {"", "ada", "Ada <ada@example.com>", "a b@example.com"},
		"phone":    {"", "12345", "call me"},
		"city":     {"", "L"},
		"country":  {"", "Atlantis"},
		"quantity": {"", "0", "21", "2.5", "two"},
		"date":     {"", "2027-02-30", "tomorrow"},
		"delivery": {"", "pigeon"},
		"note":     {strings.Repeat("é", 501)},
		"gift":     {"maybe"},
		"terms":    {"", "refused"},
	} {
		for _, value := range values {
			t.Run(field+"="+value, func(t *testing.T) {
				t.Parallel()
				wrong := order()
				wrong.Set(field, value)
				refused(t, s, wrong, field)
			})
		}
	}
	t.Run("field sent twice", func(t *testing.T) {
		t.Parallel()
		wrong := order()
		wrong.Add("city", "Paris")
		refused(t, s, wrong, "city")
	})
	t.Run("field that the form does not have", func(t *testing.T) {
		t.Parallel()
		wrong := order()
		wrong.Set("price", "0")
		refused(t, s, wrong, "order")
	})
}

func refused(t *testing.T, s *demosite.Server, form url.Values, field string) {
	t.Helper()
	page := visit(t, s).post("/form", form)
	if page.status != http.StatusUnprocessableEntity || !strings.Contains(page.body, `<a href="#`+field+`">`) {
		t.Errorf("%d at %s, and no word of %q", page.status, page.path, field)
	}
	if strings.Count(page.body, `<a href="#`) != 1 {
		t.Error("other fields were found wrong too")
	}
	if len(s.Submissions()) != 0 {
		t.Errorf("recorded: %v", s.Submissions())
	}
}

func TestNoteOfAllowedLengthMayHaveLineBreaks(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	form := order()
	form.Set("note", strings.Repeat("\r\n", 500))
	if page := visit(t, s).post("/form", form); page.path != "/form/done" {
		t.Errorf("%d at %s", page.status, page.path)
	}
}

func TestWhatWasTypedIsShownAgainAsText(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	form := order()
	form.Set("name", `"><script>alert(1)</script>`)
	form.Set("date", "")
	if page := visit(t, s).post("/form", form); strings.Contains(page.body, "<script>alert") || !strings.Contains(page.body, `value="London"`) {
		t.Errorf("the page:\n%s", page.body)
	}
}

func TestBodyThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	form := order()
	form.Set("note", strings.Repeat("a", 1<<20))
	if page := visit(t, s).post("/form", form); page.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d at %s", page.status, page.path)
	}
}
