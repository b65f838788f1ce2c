package browser_test

import (
	"testing"

	"github.com/go-reprise/reprise/browser"
)

// What the browser itself says of its preferences, on the page of its settings.
func TestTheBrowserShowsNothingOfItsOwnAboveAPage(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"fresh profile": "", "new profile of the caller": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := launch(t, &browser.Options{ProfileDir: dir})
			p, err := b.NewPage(within(t), "")
			if err != nil {
				t.Fatal(err)
			}
			page := p.Rod().Context(within(t))
			if err := page.Navigate("chrome://settings/"); err != nil {
				t.Fatal(err)
			}
			for _, pref := range []string{
				"credentials_enable_service", "credentials_enable_autosignin", "profile.password_manager_leak_detection",
				"autofill.profile_enabled", "autofill.credit_card_enabled", "translate.enabled",
			} {
				got, err := page.Eval(`name => new Promise(done => chrome.settingsPrivate.getPref(name, p => done(JSON.stringify(p.value))))`, pref)
				if err != nil {
					t.Fatalf("%s: %v", pref, err)
				}
				if got.Value.Str() != "false" {
					t.Errorf("%s is %s, want false", pref, got.Value.Str())
				}
			}
		})
	}
}
