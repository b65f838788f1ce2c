package target

import "testing"

func TestFramesAtEqualIntervalsAreHeartbeats(t *testing.T) {
	t.Parallel()
	s := &socket{sizes: map[int]rhythm{}}
	for i, frame := range []struct {
		size int
		at   float64
		want bool
	}{
		{4, 1, false}, {4, 2, false}, {9, 2.5, false}, {4, 3.02, true}, {4, 4, true},
		{9, 3, false}, {9, 4.5, false}, // at no interval
		{7, 5, false}, {7, 5.1, false}, {7, 5.2, false}, // keys
	} {
		if got := s.beats(frame.size, frame.at); got != frame.want {
			t.Errorf("frame %d is a heartbeat: %v, want %v", i, got, frame.want)
		}
	}
}
