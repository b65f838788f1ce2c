package agent

import (
	"bytes"
	"encoding/json"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
)

// longestText is how much of one text an agent is given: more fills its memory.
const longestText = 20_000

// done makes the result of a call that was done.
func done(a *answer, scrub *replayer.Scrubber) *mcp.CallToolResult {
	if a == nil {
		a = &answer{}
	}
	if a.value == nil {
		a.value = map[string]any{}
	}
	value := shortened(scrub.Value(plain(a.value)))
	text := scrub.Text(a.text)
	if text == "" {
		text = asText(value)
	}
	result := &mcp.CallToolResult{StructuredContent: value, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	for _, picture := range a.pictures {
		result.Content = append(result.Content, &mcp.ImageContent{Data: picture, MIMEType: "image/png"})
	}
	return result
}

// failed makes the result of a call that was not.
func failed(e *Error, scrub *replayer.Scrubber) *mcp.CallToolResult {
	value := plain(map[string]any{"error": e})
	if scrub != nil {
		value = scrub.Value(value)
	}
	return &mcp.CallToolResult{IsError: true, StructuredContent: value, Content: []mcp.Content{&mcp.TextContent{Text: asText(value)}}}
}

// plain is a value as JSON has it.
func plain(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return map[string]any{}
	}
	var made any
	if json.Unmarshal(data, &made) != nil {
		return map[string]any{}
	}
	return made
}

func asText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(data)
}

// shortened is a value whose texts have at most longestText bytes.
func shortened(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > longestText {
			return v[:longestText] + "… (cut)"
		}
	case []any:
		for i := range v {
			v[i] = shortened(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = shortened(v[key])
		}
	}
	return v
}

// scrubbed are arguments without secrets, plain or encoded.
func scrubbed(args json.RawMessage, scrub *replayer.Scrubber) json.RawMessage {
	if len(args) == 0 {
		return nil
	}
	var v any
	if json.Unmarshal(args, &v) != nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	if e.Encode(withoutQueries(scrub.Value(v), "")) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// withoutQueries leaves the queries of addresses out: what stands there may be a token.
func withoutQueries(v any, key string) any {
	switch v := v.(type) {
	case string:
		if key == "url" {
			return withoutQuery(v)
		}
	case map[string]any:
		for k := range v {
			v[k] = withoutQueries(v[k], k)
		}
	}
	return v
}

func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.ForceQuery = false
	return weburl.WithoutSecrets(u)
}
