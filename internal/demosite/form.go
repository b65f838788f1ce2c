package demosite

import (
	"fmt"
	"html/template"
	"net/http"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The limits of the plain form. The page states the same ones in its attributes, so that a recorder
// can read them there; the server is the one who decides.
const (
	maxLine     = 80
	maxNote     = 500
	maxQuantity = 20
)

// phone is what a person may type as a telephone number; the page's pattern attribute is the same.
var phone = regexp.MustCompile(`^\+?[0-9 ()\-]{6,20}$`)

var (
	countries  = []string{"Austria", "France", "Germany", "India", "Japan", "Kenya", "Norway", "Spain", "Switzerland", "United States"}
	deliveries = []string{"standard", "express", "pickup"}
)

// fields are what the form asks for, in the order of the page. A check says what is wrong with a
// value, or nothing.
var fields = []struct {
	name, label string
	check       func(string) string
}{
	{"name", "Full name", line},
	{"email", "Email", email},
	{"phone", "Phone", matches(phone, "enter a telephone number, for example +43 512 0123")},
	{"city", "City", line},
	{"country", "Country", oneOf(countries, "choose one from the list")},
	{"quantity", "Boxes", quantity},
	{"date", "Send on", date},
	{"delivery", "Delivery", oneOf(deliveries, "choose how it should reach you")},
	{"note", "Note", note},
	{"gift", "Gift", oneOf([]string{"", "yes"}, "is either chosen or not")},
	{"terms", "Terms", oneOf([]string{"accepted"}, "accept them to go on")},
}

// Submissions returns what was sent with the plain form and found valid, in order, in clear. The
// form asks for no secret.
func (s *Site) Submissions() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	copies := make([]url.Values, len(s.submissions))
	for i, v := range s.submissions {
		copies[i] = cloneValues(v)
	}
	return copies
}

// formView is what the plain form is rendered from.
type formView struct {
	base
	Values    url.Values
	Problems  []problem
	Countries []string
	Reference string
}

// problem is what is wrong with a field.
type problem struct{ Field, Label, Message string }

// Mark gives the attributes of a field that has to be looked at again.
func (v formView) Mark(field string) template.HTMLAttr {
	if slices.ContainsFunc(v.Problems, func(p problem) bool { return p.Field == field }) {
		return `aria-invalid="true" aria-describedby="form-errors"`
	}
	return ""
}

func (s *Site) form(w http.ResponseWriter, _ *http.Request) {
	render(w, http.StatusOK, "form.html", formView{Countries: countries})
}

func (s *Site) submitForm(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	if wrong := validate(r.PostForm); len(wrong) > 0 {
		render(w, http.StatusUnprocessableEntity, "form.html", formView{Values: r.PostForm, Problems: wrong, Countries: countries})
		return
	}
	s.mu.Lock()
	s.submissions = append(s.submissions, cloneValues(r.PostForm))
	reference := reference(len(s.submissions))
	s.mu.Unlock()
	http.Redirect(w, r, "/form/done?"+url.Values{"ref": {reference}}.Encode(), http.StatusSeeOther)
}

func (s *Site) formDone(w http.ResponseWriter, r *http.Request) {
	asked := r.FormValue("ref")
	n, err := strconv.Atoi(strings.TrimPrefix(asked, "M-"))
	sent := s.Submissions()
	if err != nil || n < 1 || n > len(sent) || reference(n) != asked {
		s.notFound(w, r)
		return
	}
	render(w, http.StatusOK, "done.html", formView{Values: sent[n-1], Reference: asked})
}

// reference counts, so that a first submission has the same reference on every run.
func reference(n int) string { return fmt.Sprintf("M-%05d", n) }

// validate returns what is wrong: each field at most once, and none that the form does not have.
func validate(form url.Values) []problem {
	var wrong []problem
	sent := 0
	for _, f := range fields {
		message := f.check(form.Get(f.name))
		if len(form[f.name]) > 1 {
			message = "was sent more than once"
		}
		if message != "" {
			wrong = append(wrong, problem{f.name, f.label, message})
		}
		if form.Has(f.name) {
			sent++
		}
	}
	if sent < len(form) {
		wrong = append(wrong, problem{"order", "Form", "it was sent with a field that it does not have"})
	}
	return wrong
}

func line(v string) string {
	if n := utf8.RuneCountInString(v); n < 2 || n > maxLine {
		return fmt.Sprintf("enter 2 to %d characters", maxLine)
	}
	return ""
}

func email(v string) string {
	if a, err := mail.ParseAddress(v); err != nil || a.Address != v {
		return "enter an address, for example ada@example.com"
	}
	return ""
}

func quantity(v string) string {
	if n, err := strconv.Atoi(v); err != nil || n < 1 || n > maxQuantity {
		return fmt.Sprintf("enter a number from 1 to %d", maxQuantity)
	}
	return ""
}

func date(v string) string {
	if _, err := time.Parse(time.DateOnly, v); err != nil {
		return "choose a date"
	}
	return ""
}

func note(v string) string {
	// A browser counts a line break as one character and sends two.
	if utf8.RuneCountInString(strings.ReplaceAll(v, "\r\n", "\n")) > maxNote {
		return fmt.Sprintf("write at most %d characters", maxNote)
	}
	return ""
}

func matches(pattern *regexp.Regexp, message string) func(string) string {
	return func(v string) string {
		if pattern.MatchString(v) {
			return ""
		}
		return message
	}
}

func oneOf(allowed []string, message string) func(string) string {
	return func(v string) string {
		if slices.Contains(allowed, v) {
			return ""
		}
		return message
	}
}
