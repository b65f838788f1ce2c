package exchange

import (
	"encoding/json"
)

// chromeFlow is a UserFlow of Chrome's recorder
// (https://github.com/puppeteer/replay/blob/main/src/Schema.ts).
type chromeFlow struct {
	Title             string            `json:"title"`
	Timeout           float64           `json:"timeout,omitempty"` // ms
	SelectorAttribute string            `json:"selectorAttribute,omitempty"`
	Steps             []json.RawMessage `json:"steps"`
}

type chromeStep struct {
	Type           string           `json:"type"`
	Target         string           `json:"target,omitempty"`
	Timeout        float64          `json:"timeout,omitempty"`
	AssertedEvents []chromeEvent    `json:"assertedEvents,omitempty"`
	Frame          []int            `json:"frame,omitempty"`
	Selectors      []chromeSelector `json:"selectors,omitempty"`
	OffsetX        *float64         `json:"offsetX,omitempty"`
	OffsetY        *float64         `json:"offsetY,omitempty"`
	Button         string           `json:"button,omitempty"`
	DeviceType     string           `json:"deviceType,omitempty"`
	Duration       float64          `json:"duration,omitempty"`
	Value          *string          `json:"value,omitempty"`
	Key            string           `json:"key,omitempty"`
	URL            string           `json:"url,omitempty"`
	X              *float64         `json:"x,omitempty"`
	Y              *float64         `json:"y,omitempty"`
	Operator       string           `json:"operator,omitempty"`
	Count          *int             `json:"count,omitempty"`
	Visible        *bool            `json:"visible,omitempty"`
	Properties     map[string]any   `json:"properties,omitempty"`
	Attributes     map[string]any   `json:"attributes,omitempty"`
	Name           string           `json:"name,omitempty"`
	Parameters     json.RawMessage  `json:"parameters,omitempty"`
	chromeViewport
}

// chromeViewport is what a setViewport must have, all of it.
type chromeViewport struct {
	Width             *float64 `json:"width,omitempty"`
	Height            *float64 `json:"height,omitempty"`
	DeviceScaleFactor *float64 `json:"deviceScaleFactor,omitempty"`
	IsMobile          *bool    `json:"isMobile,omitempty"`
	HasTouch          *bool    `json:"hasTouch,omitempty"`
	IsLandscape       *bool    `json:"isLandscape,omitempty"`
}

type chromeEvent struct {
	Type  string  `json:"type"`
	URL   string  `json:"url,omitempty"`
	Title *string `json:"title,omitempty"`
}

// chromeSelector is a text, or a list of them that leads through shadow roots.
type chromeSelector []string

func (s *chromeSelector) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*s = chromeSelector{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(s))
}

// restored is the name of the custom steps that hold a step of ours.
const restored = "reprise"
