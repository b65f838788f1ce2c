package cdp_test

import (
	"strings"
	"testing"
)

func BenchmarkRoundTrip(b *testing.B) {
	c, browser := connect(b)
	go func() {
		for {
			cmd, err := browser.in.ReadBytes(0)
			if err != nil {
				return
			}
			id := string(cmd[len(`{"id":`):strings.IndexByte(string(cmd), ',')])
			if _, err := browser.out.Write([]byte(`{"id":` + id + `,"result":{"result":{"type":"number","value":2}}}` + "\x00")); err != nil {
				return
			}
		}
	}()
	params := map[string]string{"expression": "1 + 1"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), "S", "Runtime.evaluate", params); err != nil {
			b.Fatal(err)
		}
	}
}
