package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// fedwiki changes a plan in a federated wiki: pages that open side by side, paragraphs that are
// put in another order by dragging and are typed over where they stand, a menu of what may be
// added, a dialog for a code.
func fedwiki() *app {
	return &app{
		name: "fedwiki", about: "pages that open side by side, paragraphs that jQuery UI lets one drag into another order and that are typed over where they stand, a menu of what may be added, a dialog for a code", held: true,
		needs: fedwikiPackage.needs(fedwikiProgram),
		start: startFedwiki,
		named: map[string]string{"secret": "password"},
		values: func(run int) values {
			return values{
				"plan": oneOf(run, "Summer Plan", "Spring Plan", "Winter Plan", "Autumn Plan"), "moved": oneOf(run, "Turn the heap.", "Sharpen the scythe."), "second": oneOf(run, "Sharpen the scythe.", "Turn the heap."), "changed": oneOf(run, "Mend the gate.", "Thin the beets.", "Count the hens.", "Oil the pump.", "Rake the yard.", "Sow the beans."), "task": fmt.Sprintf("Whitewash stall %d.", 12+run),
				"kind": oneOf(run, "Markdown", "HTML"), "more": fmt.Sprintf("Ask the mill for %d sacks.", 21+run), "notes": oneOf(run, fedwikiNotes[1:]...), "note": fmt.Sprintf("It rained on day %d.", 5+run),
			}
		},
		signIn: func(p *person, who account) {
			p.click("#show-security-dialog")
			p.fill("#reclaimcode", who.password)
			p.click("#confirmBtn")
			p.see("#logout")
		},
		flow: func(p *person, v values) {
			p.click("footer > span:last-of-type") // one may edit now
			p.see(".editEnable")
			p.click("#welcome-visitors a.internal{" + v["plan"] + "}")
			p.see(".page.active h1 .title{" + v["plan"] + "}")
			for _, key := range []string{"moved", "second"} {
				p.drag(".page.active .item p{"+v[key]+"}", ".page.active .item:first-child", 0, -20, false)
				p.see(".page.active .item:first-child p{" + v[key] + "}")
			}
			p.doubleClick(".page.active .item p{" + v["changed"] + "}")
			p.see(".page.active .textEditing textarea")
			p.press("a", "Control")
			p.typing(v["task"])
			p.press("Escape")
			p.see(".page.active .item p{" + v["task"] + "}")
			p.click(".page.active .add-factory")
			p.click(".page.active .item.factory a.menu{" + v["kind"] + "}")
			p.see(".page.active .textEditing textarea")
			p.typing(v["more"])
			p.press("Escape")
			p.see(".page.active .item:last-child:not(.textEditing)")
			p.click(".page.active a.internal{" + v["notes"] + "}")
			p.see(".page.active h1 .title{" + v["notes"] + "}")
			p.click(".page.active .add-factory")
			p.click(".page.active .item.factory a.menu{HTML}")
			p.see(".page.active .textEditing textarea")
			p.typing(v["note"])
			p.press("Escape")
			p.see(".page.active .item.html:last-child:not(.textEditing)")
		},
		want: func(s state, _ account, v values) {
			plan := "page " + v["plan"]
			items := strings.Split(s[plan], "|")
			var moves int
			_, _ = fmt.Sscan(s["moves of "+v["plan"]], &moves) // it is written so
			for _, key := range []string{"moved", "second"} {
				if moved := "paragraph: " + v[key]; items[0] != moved {
					items = append([]string{moved}, slices.DeleteFunc(items, func(item string) bool { return item == moved })...)
					moves++
				}
			}
			s["moves of "+v["plan"]] = fmt.Sprint(moves)
			for i, item := range items {
				if item == "paragraph: "+v["changed"] {
					items[i] = "paragraph: " + v["task"]
				}
			}
			s[plan] = strings.Join(append(items, strings.ToLower(v["kind"])+": "+v["more"]), "|")
			s["page "+v["notes"]] += "|html: " + v["note"]
		},
	}
}

var (
	// fedwikiTasks are in each of the plans, and links to fedwikiNotes, which are pages.
	fedwikiTasks = []string{"Sow the beans.", "Mend the gate.", "Turn the heap.", "Sharpen the scythe.", "Thin the beets.", "Count the hens.", "Oil the pump.", "Rake the yard."}
	fedwikiNotes = []string{"Bean Notes", "Goat Notes", "Hay Notes", "Pond Notes", "Bee Notes", "Oven Notes", "Loft Notes"}
)

var fedwikiPackage = npm{"wiki", "0.40.2", ""}

const fedwikiProgram = "wiki/index.js"

type fedwikiItem struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Text string `json:"text"`
}

type fedwikiPage struct {
	Title   string        `json:"title"`
	Story   []fedwikiItem `json:"story"`
	Journal []fedwikiItem `json:"journal"`
}

func startFedwiki(ctx context.Context, h *host) (*site, error) {
	who := account{"", "Analytical-7"} // a code alone, and it has one owner
	pages := []fedwikiPage{{Title: "Welcome Visitors", Journal: []fedwikiItem{}}}
	var links []string
	for i, note := range fedwikiNotes {
		links = append(links, "[["+note+"]]")
		first := fedwikiItem{"paragraph", fmt.Sprintf("9999%012d", i), "Written each year."}
		pages = append(pages, fedwikiPage{Title: note, Story: []fedwikiItem{first}, Journal: []fedwikiItem{}})
	}
	for i, name := range []string{"Spring", "Summer", "Autumn", "Winter"} {
		plan := fedwikiPage{Title: name + " Plan", Journal: []fedwikiItem{}}
		for j, task := range append(slices.Clone(fedwikiTasks), "Look into "+strings.Join(links, ", ")+".") {
			plan.Story = append(plan.Story, fedwikiItem{"paragraph", fmt.Sprintf("%08d%08d", i+1, j), task})
		}
		pages = append(pages, plan)
		pages[0].Story = append(pages[0].Story, fedwikiItem{"paragraph", fmt.Sprintf("%016d", i), "What is to be done: [[" + plan.Title + "]]"})
	}
	for _, page := range pages {
		data, err := json.Marshal(page)
		if err != nil {
			return nil, err
		}
		if err := h.write("wiki/pages/"+strings.ToLower(strings.ReplaceAll(page.Title, " ", "-")), string(data)); err != nil {
			return nil, err
		}
	}
	if err := h.write("wiki/status/owner.json", fmt.Sprintf(`{"name": "Ada Byron", "friend": {"secret": %q}}`, who.password)); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.path("wiki"), []string{"HOME=" + h.dir}, "node", h.npm(fedwikiPackage, fedwikiProgram), "--port", fmt.Sprint(port), "--host", "127.0.0.1", "--data", h.path("wiki"),
		"--security_type", "friends", "--packageDir", h.npm(fedwikiPackage, ""), "--cookieSecret", "secret")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/view/welcome-visitors", port)
	return &site{url: url, accounts: [2]account{who, who}, state: h.readFedwiki}, server.up(ctx, answers(url))
}

// readFedwiki reads the pages, each of which is a file.
func (h *host) readFedwiki(context.Context) (state, error) {
	files, err := os.ReadDir(h.path("wiki/pages"))
	if err != nil {
		return nil, err
	}
	s := state{}
	for _, file := range files {
		data, err := os.ReadFile(h.path("wiki/pages", file.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was written under another name first
		}
		if err != nil {
			return nil, err
		}
		var page fedwikiPage
		if err := json.Unmarshal(data, &page); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err) // it is being written
		}
		var items []string
		for _, item := range page.Story {
			items = append(items, item.Type+": "+item.Text)
		}
		add(s, "page "+page.Title, strings.Join(items, "|"))
		moves := slices.DeleteFunc(page.Journal, func(done fedwikiItem) bool { return done.Type != "move" })
		add(s, "moves of "+page.Title, fmt.Sprint(len(moves)))
	}
	return s, nil
}
