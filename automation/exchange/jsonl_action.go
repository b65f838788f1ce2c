package exchange

import (
	"encoding/json"
)

// jsonlAction is a line of Playwright's codegen with the language jsonl
// (https://github.com/microsoft/playwright/tree/main/packages/recorder).
type jsonlAction struct {
	Name       string          `json:"name"`
	Selector   string          `json:"selector,omitempty"`
	URL        string          `json:"url,omitempty"`
	Button     string          `json:"button,omitempty"`
	Modifiers  *int            `json:"modifiers,omitempty"`
	ClickCount *int            `json:"clickCount,omitempty"`
	Position   json.RawMessage `json:"position,omitempty"`
	Text       *string         `json:"text,omitempty"`
	Substring  *bool           `json:"substring,omitempty"`
	Value      *string         `json:"value,omitempty"`
	Checked    *bool           `json:"checked,omitempty"`
	Key        string          `json:"key,omitempty"`
	Options    []string        `json:"options,omitempty"`
	Files      []string        `json:"files,omitempty"`
	Signals    []jsonlSignal   `json:"signals"`
	PageGUID   string          `json:"pageGuid,omitempty"`
	PageAlias  string          `json:"pageAlias,omitempty"`
	Locator    json.RawMessage `json:"locator,omitempty"`
}

type jsonlSignal struct {
	Name          string `json:"name"`
	URL           string `json:"url,omitempty"`
	PopupAlias    string `json:"popupAlias,omitempty"`
	PopupPageGUID string `json:"popupPageGuid,omitempty"`
	DialogAlias   string `json:"dialogAlias,omitempty"`
	DownloadAlias string `json:"downloadAlias,omitempty"`
	Selector      string `json:"selector,omitempty"`
}

// key is by what a line names its tab: older versions have an alias.
func (a *jsonlAction) key() string {
	if a.PageGUID != "" {
		return a.PageGUID
	}
	return a.PageAlias
}

// modifierBits are those of Playwright's recorder.
var modifierBits = []string{"Alt", "Control", "Meta", "Shift"}

func modifiers(bits *int) []string {
	var names []string
	for i, name := range modifierBits {
		if bits != nil && *bits&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}
