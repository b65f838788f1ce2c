package agent

import (
	"testing"
	"testing/synctest"
	"time"
)

// A client that hears nothing gives up.
func TestWhoWaitsIsToldAgainAndAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		told := 0
		stop := again(tellEvery, func() { told++ })
		<-time.After(3*tellEvery + tellEvery/2)
		stop()
		if told != 4 {
			t.Errorf("told %d times in %v, want once and then each %v", told, 3*tellEvery+tellEvery/2, tellEvery)
		}
	})
}
