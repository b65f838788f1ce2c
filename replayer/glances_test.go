package replayer_test

import (
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

const lazy = `<div id=list style="height:200px;overflow:auto"><div style="height:6000px;position:relative" id=in></div></div><script>
	const draw = () => { const at = Math.floor(list.scrollTop / 20); let html = ""; for (let i = at; i < at + 12; i++) html += "<button style='position:absolute;top:" + i*20 + "px' id=b" + i + " onclick=\"document.title='ok'\">item " + i + "</button>"; document.getElementById("in").innerHTML = html };
	list.onscroll = draw; draw()</script>`

const menu = `<style>#m ul{display:none}#m:hover ul{display:block}</style><div style="height:50px"></div><div id=m>Menu<ul><li><button id=b150 onclick="document.title='ok'">x</button></ul></div>`

func TestLooksLeaveTheTimeToWhatComesAfter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		html string
		o    replayer.Options
	}{
		"list plain":     {lazy, replayer.Options{}},
		"list pictures":  {lazy, replayer.Options{OnPicture: func(replayer.StepPicture) {}}},
		"list humanized": {lazy, replayer.Options{Humanize: true, Seed: 4}},
		"menu plain":     {menu, replayer.Options{}},
		"menu pictures":  {menu, replayer.Options{OnPicture: func(replayer.StepPicture) {}}},
		"menu humanized": {menu, replayer.Options{Humanize: true, Seed: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, c.html)
			page := browsertest.Page(t, server.URL)
			c.o.Timeout = 4 * time.Second
			started := time.Now()
			_, err := replayer.Play(t.Context(), page, document(t, server.URL, `{"tool":"click","selector":"#b150"}`), &c.o)
			if err != nil {
				t.Errorf("%v after %v", err, time.Since(started))
			}
		})
	}
}
