package target

import (
	"strings"
	"testing"
)

func TestAnErrorDoesNotTellWhatIsSecretInAnAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://example.com/in?code=SECRET", "https://example.com/#SECRET", "https://me:SECRET@example.com/",
		"data:text/html,SECRET", "javascript:SECRET", "http://%zz/SECRET",
	} {
		if text := (&NavigationError{URL: address, Reason: "net::ERR_FAILED"}).Error(); strings.Contains(text, "SECRET") {
			t.Errorf("%s: %s", address, text)
		}
	}
}
