package person

import (
	"context"
	"encoding/json"
	"fmt"
)

// Travel goes that many places through the tab's history, as the browser's own buttons
// for back and forward do. It does not wait for what comes.
func (p *Person) Travel(ctx context.Context, by int) error {
	reply, err := p.page.Send("Page.getNavigationHistory", nil).Wait(ctx)
	if err != nil {
		return err
	}
	var history struct {
		At      int `json:"currentIndex"`
		Entries []struct {
			ID int `json:"id"`
		} `json:"entries"`
	}
	if err := json.Unmarshal(reply, &history); err != nil {
		return err
	}
	to := history.At + by
	if to < 0 || to >= len(history.Entries) {
		return fmt.Errorf("going %+d places through the history of %s: there are %d, and this is number %d", by, p.page.URL(), len(history.Entries), history.At+1)
	}
	_, err = p.page.Send("Page.navigateToHistoryEntry", map[string]any{"entryId": history.Entries[to].ID}).Wait(ctx)
	return err
}

// Reload has the browser load the tab's document again.
func (p *Person) Reload(ctx context.Context) error {
	_, err := p.page.Send("Page.reload", nil).Wait(ctx)
	return err
}
