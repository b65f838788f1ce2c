package exchange

import (
	"strings"

	"github.com/go-reprise/reprise/selectors"
)

// sidePath reads a locator of Selenium IDE. why says what is wrong with it; of an
// empty one there is nothing to say.
func sidePath(locator string) (path selectors.Path, why string) {
	kind, body, found := strings.Cut(locator, "=")
	switch {
	case strings.TrimSpace(locator) == "":
		return nil, ""
	case strings.HasPrefix(locator, "//") || strings.HasPrefix(locator, "(//"):
		kind, body = "xpath", locator
	case !found:
		kind, body = "id", locator // as Selenium takes what has no strategy
	}
	text := sideSelector(kind, body)
	if text == "" {
		return nil, "its kind is not known"
	}
	path, err := selectors.ParsePath(text)
	if err != nil {
		return nil, err.Error()
	}
	return path, ""
}

func sideSelector(kind, body string) string {
	switch kind {
	case "id":
		return "[id=" + cssString(body) + "]"
	case "name":
		return "[name=" + cssString(body) + "]"
	case "css":
		return body
	case "xpath":
		return "xpath/" + body
	case "link", "linkText":
		return `aria/` + strings.TrimPrefix(body, "exact:") + `[role="link"]`
	case "partialLinkText":
		return "xpath///a[contains(normalize-space(.), " + xpathString(body) + ")]"
	}
	return ""
}

// sideLocators are the ways to an element as Selenium IDE writes them, best first.
// Approximate is set where none of them says quite the same.
func sideLocators(paths []selectors.Path, testID func(string) string) (locators [][]string, approximate bool) {
	var near [][]string
	for _, path := range paths {
		if len(path) != 1 {
			continue // it knows no shadow roots
		}
		switch part := path[0]; part.Kind {
		case selectors.CSS:
			locators = append(locators, []string{"css=" + part.Body, "css:finder"})
		case selectors.TestID:
			locators = append(locators, []string{"css=" + testID(part.Body), "css:data-attr"})
		case selectors.XPath:
			locators = append(locators, []string{"xpath=" + part.Body, "xpath:position"})
		case selectors.Pierce:
			near = append(near, []string{"css=" + part.Body, "css:finder"})
		case selectors.Text:
			near = append(near, []string{"xpath=//*[normalize-space(.)=" + xpathString(part.Body) + " and not(*[normalize-space(.)=" + xpathString(part.Body) + "])]", "xpath:innerText"})
		case selectors.Aria:
			if name, role := part.Aria(); name != "" || role != "" {
				near = append(near, []string{"xpath=" + xpathByName(name, role, false), "xpath:attributes"})
			}
		}
	}
	return append(locators, near...), len(locators) == 0
}
