package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// backlog keeps a board of tasks with Backlog.md: React and Tailwind, days that are typed into the browser's own fields,
// an editor of Markdown, chips, lists and boxes that are saved at once, a row that opens a dialog, a card that is dragged.
func backlog() *app {
	return &app{
		name: "backlog", about: "React and Tailwind: days typed into the browser's own fields, an editor of Markdown, chips, lists and boxes that are saved at once, a row that opens a dialog, a card that is dragged", held: true,
		needs: backlogPages.needs(backlogProgram),
		start: startBacklog,
		values: func(run int) values {
			return values{
				"stone": oneOf(run, "First hay", "Lambing", "Market day", "Threshing") + fmt.Sprint(" ", 2+run), "until": fmt.Sprintf("2031-0%d-17", 4+run%5),
				"title": oneOf(run, "Shear the ewes", "Oil the hinges", "Sow the rye", "Cut the hedge") + fmt.Sprint(" ", 5+run), "text": fmt.Sprintf("Begin at gate %d.\nAsk for the shears.", 7+run), "due": fmt.Sprintf("2031-03-%d", 11+run), "status": oneOf(run, "In Progress", "Done"), "kind": oneOf(run, "feature", "bug", "chore"),
				"who": oneOf(run, "nora", "hugo", "irma") + fmt.Sprint(3+run), "label": oneOf(run, "wool", "iron", "seed") + fmt.Sprint(8+run), "rank": oneOf(run, "High", "Low", "Medium"), "goal": oneOf(run, "Autumn", "Spring"),
				"old": backlogOld[3+(1+run)%3], "urgent": oneOf(run, "Medium", "High"), "check": backlogChecks[(1+run)%3], "moved": backlogOld[(1+run)%3],
			}
		},
		flow: func(p *person, v values) {
			day := func(path, iso string) { p.fill(path, iso[5:7]+iso[8:10]+iso[:4]) } // as its parts stand in the field
			p.click("a{Milestones}")
			p.click("button{+ Add milestone}")
			p.fill("[role=dialog] input[type=text]", v["stone"])
			day("#new-milestone-due-date", v["until"])
			p.click("[role=dialog] button[type=submit]")
			p.see("main h3{" + v["stone"] + "}")
			p.click("a{Kanban Board}")
			p.click("button{+ New Task}")
			p.fill("[role=dialog] input[placeholder='Enter task title']", v["title"])
			p.fill("[role=dialog] .w-md-editor-text-input", strings.Split(v["text"], "\n")[0])
			p.press("Enter")
			p.typing(strings.Split(v["text"], "\n")[1])
			day("[role=dialog] input[type=date]", v["due"])
			p.choose("[role=dialog] select:has(option[value='In Progress'])", v["status"])
			p.choose("[role=dialog] select[aria-label='Task type']", v["kind"])
			p.fill("#chip-input-assignee", v["who"])
			p.press("Enter")
			p.fill("#chip-input-labels", v["label"])
			p.press("Enter")
			p.choose("[role=dialog] select:has(option[value=high])", v["rank"])
			p.choose("[role=dialog] select:has(option[value=m-0])", v["goal"])
			p.click("[role=dialog] button[title=Save]")
			p.see("main h4{" + v["title"] + "}")
			p.click("a{All Tasks}")
			p.click("tbody tr:has([aria-label$=': " + v["old"] + "']) td:nth-child(2)")
			p.choose("[role=dialog] select:has(option[value=high])", v["urgent"])
			p.click(fmt.Sprintf("[role=dialog] :has(> input[type=checkbox]):nth-child(%d) > input", 1+slices.Index(backlogChecks, v["check"])))
			p.click("[role=dialog] [aria-label='Close modal']")
			p.click("a{Kanban Board}")
			p.drag("main [draggable=true] h4{"+v["moved"]+"}", "main h3{Done}", 0, 60, true)
		},
		want: func(s state, _ account, v values) {
			s["milestone "+v["stone"]] = v["until"]
			s["task "+v["title"]] = strings.Join([]string{v["status"], v["kind"], strings.ToLower(v["rank"]), v["due"], v["goal"], v["who"], v["label"], strings.ReplaceAll(v["text"], "\n", "/"), ""}, "|")
			was := strings.Split(s["task "+v["old"]], "|")   // it may have been changed before, as which one is no variable
			was = append(was, make([]string, 9-len(was))...) // a test has no tasks
			was[2] = strings.ToLower(v["urgent"])
			was[8] = strings.Replace(was[8], fmt.Sprintf("[ ] #%d", 1+slices.Index(backlogChecks, v["check"])), fmt.Sprintf("[x] #%d", 1+slices.Index(backlogChecks, v["check"])), 1)
			s["task "+v["old"]] = strings.Join(was, "|")
			_, rest, _ := strings.Cut(s["task "+v["moved"]], "|")
			s["task "+v["moved"]] = "Done|" + rest
		},
	}
}

// backlogOld are tasks that are there before: some of the first are moved, and some of the others changed.
var (
	backlogOld    = []string{"Mend the roof", "Paint the gate", "Count the sheep", "Wash the cart", "Grind the axe", "Clear the drain"}
	backlogChecks = []string{"Wood", "Iron", "Paint"}
)

// backlogAt is where a task is before: no column is longer than the page, so that a card and where it goes are in view.
func backlogAt(title string) string {
	return []string{"To Do", "To Do", "To Do", "In Progress", "Done", "Done"}[slices.Index(backlogOld, title)]
}

var backlogPages = npm{"backlog.md", "1.52.0", ""}

const backlogProgram = "backlog.md-linux-x64/backlog" // on other machines its package is another

func startBacklog(ctx context.Context, h *host) (*site, error) {
	program := h.npm(backlogPages, backlogProgram)
	if err := h.write("farm/empty", ""); err != nil {
		return nil, err
	}
	command := func(args ...string) error {
		_, err := h.run(ctx, []string{"BACKLOG_CWD=" + h.path("farm")}, program, args...)
		return err
	}
	if err := command("init", "Farm", "--no-git", "--defaults", "--auto-open-browser", "false", "--integration-mode", "none"); err != nil {
		return nil, err
	}
	for _, name := range []string{"Spring", "Autumn"} {
		if err := command("milestone", "add", name); err != nil {
			return nil, err
		}
	}
	for _, title := range backlogOld {
		args := []string{"task", "create", title, "-d", "As before.", "--priority", "low", "-s", backlogAt(title)}
		for _, check := range backlogChecks {
			args = append(args, "--ac", check)
		}
		if err := command(args...); err != nil {
			return nil, err
		}
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	server, err := h.serve(h.path("farm"), nil, program, "browser", "--no-open", "--port", fmt.Sprint(port))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	read := func(context.Context) (state, error) { return readBacklog(h.path("farm/backlog")) }
	said := func(context.Context) error { // one who asks before that waits for ever
		if !strings.Contains(server.said(), "running at") {
			return fmt.Errorf("it is not up")
		}
		return nil
	}
	return &site{url: url, accounts: [2]account{}, state: read}, server.up(ctx, said)
}

// readBacklog reads its files: what stands before the text, the text, and what is to be ticked.
func readBacklog(folder string) (state, error) {
	files, err := filepath.Glob(folder + "/*/*.md")
	if err != nil {
		return nil, err
	}
	s, stones := state{}, map[string]string{"": ""}
	var tasks []map[string]string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		has, key := map[string]string{"in": filepath.Base(filepath.Dir(file))}, ""
		head, text, _ := strings.Cut(strings.TrimPrefix(string(data), "---\n"), "\n---\n")
		for line := range strings.Lines(head) {
			line = strings.TrimSpace(line)
			if item, is := strings.CutPrefix(line, "- "); is {
				has[key] = strings.TrimPrefix(has[key]+","+strings.Trim(item, `'"`), ",")
				continue
			}
			name, value, _ := strings.Cut(line, ":")
			key = name
			has[key] = strings.Trim(strings.TrimSpace(value), `'"`)
			if has[key] == "[]" {
				has[key] = ""
			}
		}
		_, about, _ := strings.Cut(text, "DESCRIPTION:BEGIN -->\n")
		about, _, _ = strings.Cut(about, "\n<!--")
		_, checks, _ := strings.Cut(text, "AC:BEGIN -->\n")
		checks, _, _ = strings.Cut(checks, "\n<!--")
		has["text"], has["checks"] = strings.ReplaceAll(about, "\n", "/"), strings.ReplaceAll(checks, "\n", "/")
		switch has["in"] {
		case "milestones":
			stones[has["id"]] = has["title"]
			add(s, "milestone "+has["title"], has["due_date"])
		case "tasks":
			tasks = append(tasks, has)
		default:
			add(s, has["in"]+" "+has["title"], "there")
		}
	}
	for _, t := range tasks {
		goal, there := stones[t["milestone"]]
		if !there {
			goal = t["milestone"]
		}
		add(s, "task "+t["title"], strings.Join([]string{t["status"], t["type"], t["priority"], t["due_date"], goal, t["assignee"], t["labels"], t["text"], t["checks"]}, "|"))
	}
	return s, nil
}
