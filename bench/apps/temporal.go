package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// temporal removes a schedule, makes one and pauses it: pages that Svelte draws, an editor of
// code that closes what is opened, tabs with buttons for days and months, a list with a second
// line for each choice, a button that is a menu, too, dialogs of the browser's own.
func temporal() *app {
	return &app{
		name: "temporal", about: "pages that Svelte draws, an editor of code that closes what is opened, tabs with buttons for days and months, a list with two lines for each choice, a button with a menu, dialogs of the browser's own", held: true,
		needs: []need{{program("temporal"), "go install github.com/temporalio/cli/cmd/temporal@v1.5.1"}},
		start: startTemporal,
		named: map[string]string{"name": "name"},
		values: func(run int) values {
			return values{
				"old": oneOf(run, temporalOld[2:]...), "name": oneOf(run, "water", "feed", "sweep", "air") + fmt.Sprintf("-%d", 7+run), "type": oneOf(run, "WaterBeds", "FeedHens", "SweepYard", "AirCellar"), "id": fmt.Sprintf("job-%d", 30+run), "queue": oneOf(run, "garden", "stable", "yard", "cellar"),
				"input": fmt.Sprintf("\"Bring %d buckets\"", 4+run), "day": fmt.Sprint(14 + run), "month": oneOf(run, "May", "August", "March", "October"), "hour": fmt.Sprint(6 + run), "minute": fmt.Sprint(25 + run),
				"attribute": oneOf(run, "Crop", "Helper", "Field") + " Keyword", "about": oneOf(run, "Barley", "Ines Ruiz", "Long acre", "Oats"), "why": fmt.Sprintf("Frost until week %d.", 10+run),
			}
		},
		flow: func(p *person, v values) {
			p.see("h2{No Workflows running in this Namespace}") // it goes there first
			p.click("a[href$='/namespaces/default/schedules']")
			p.click("main a[href$='/schedules/" + v["old"] + "']")
			p.click("#schedule-actions-menu-button")
			p.click("[data-testid=delete-schedule]")
			p.click("#delete-schedule-modal [data-testid=confirm-modal-button]")
			p.click("[data-testid=create-schedule]")
			p.fill("#name", v["name"])
			p.fill("#workflowType", v["type"])
			p.fill("#workflowId", v["id"])
			p.fill("#taskQueue", v["queue"])
			p.click("main .cm-content")
			p.typing(v["input"])
			p.click("#monthly-tab")
			p.click("#monthly-panel button{" + v["day"] + "}")
			p.click("#monthly-panel button{" + v["month"] + "}")
			p.fill("#monthly-panel #hour", v["hour"])
			p.fill("#monthly-panel #minute", v["minute"])
			p.click("#schedule-panel [data-testid=add-search-attribute-button]")
			p.click("[data-testid=search-attribute-select-button]")
			p.click("#search-attribute-select [role=option] span{" + strings.Fields(v["attribute"])[0] + "}")
			p.fill("#attribute-value", v["about"])
			p.click("[data-testid=create-schedule-button]")
			p.click("main a[href$='/schedules/" + v["name"] + "']")
			p.click("#schedule-actions-primary-button")
			p.fill("#pause-reason", v["why"])
			p.click("#pause-schedule-modal [data-testid=confirm-modal-button]")
			p.see("#schedule-actions-primary-button{Unpause}")
		},
		want: func(s state, _ account, v values) {
			delete(s, "schedule "+v["old"])
			s["schedule "+v["name"]] = strings.Join([]string{v["type"], v["id"], v["queue"], "[" + v["input"] + "]", v["day"], monthNumber(v["month"]), v["hour"], v["minute"], fmt.Sprintf("%s=%q", strings.Fields(v["attribute"])[0], v["about"]), "true", v["why"]}, "|")
		},
	}
}

// temporalOld are the schedules that are there before.
var temporalOld = []string{"weigh-1", "weigh-2", "weigh-3", "count-1", "count-2", "paint-1", "paint-2", "mend-1"}

func monthNumber(name string) string {
	month, _ := time.Parse("January", name) // it is written so
	return fmt.Sprint(int(month.Month()))
}

func startTemporal(ctx context.Context, h *host) (*site, error) {
	ports, err := h.free(4)
	if err != nil {
		return nil, err
	}
	args := []string{"server", "start-dev", "--ip", "127.0.0.1", "--log-level", "error"}
	for i, name := range []string{"--port", "--http-port", "--ui-port", "--metrics-port"} {
		args = append(args, name, fmt.Sprint(ports[i]))
	}
	for _, name := range []string{"Crop", "Helper", "Field"} {
		args = append(args, "--search-attribute", name+"=Keyword")
	}
	server, err := h.serve(h.dir, []string{"TZ=UTC", "HOME=" + h.dir}, program("temporal"), args...)
	if err != nil {
		return nil, err
	}
	url, api := fmt.Sprintf("http://127.0.0.1:%d", ports[2]), fmt.Sprintf("http://127.0.0.1:%d/api/v1/namespaces/default/", ports[1])
	type object = map[string]any
	start := func(ctx context.Context) error {
		return errors.Join(answers(url)(ctx), getJSON(ctx, api+"schedules", &object{}))
	}
	if err := server.up(ctx, start); err != nil {
		return nil, err
	}
	for i, name := range temporalOld {
		action := object{"workflowId": "old-" + name, "workflowType": object{"name": "Weigh"}, "taskQueue": object{"name": "barn"}}
		spec := object{"interval": []object{{"interval": fmt.Sprintf("%ds", (i+30)*86400)}}}
		schedule := object{"spec": spec, "action": object{"startWorkflow": action}, "state": object{"paused": true, "notes": "Not yet"}}
		if err := post(ctx, api+"schedules/"+name, "", object{"schedule": schedule, "requestId": name}, nil); err != nil {
			return nil, err
		}
	}
	read := func(ctx context.Context) (state, error) { return readSchedules(ctx, api) }
	all := func(ctx context.Context) error {
		s, err := read(ctx)
		if err == nil && len(s) != len(temporalOld) {
			err = fmt.Errorf("there are %d schedules", len(s))
		}
		return err
	}
	return &site{url: url + "/", state: read}, server.up(ctx, all)
}

type temporalNumbers []struct{ Start, End json.Number }

// only is the one number, or all that there are.
func (n temporalNumbers) only() string {
	var all []string
	for _, one := range n {
		all = append(all, string(one.Start)+strings.TrimPrefix("-"+string(one.End), "-"+string(one.Start)))
	}
	return strings.Join(all, ",")
}

// readSchedules reads all schedules, and whether one of them has run a job.
func readSchedules(ctx context.Context, api string) (state, error) {
	var list struct {
		Schedules []struct{ ScheduleID string }
	}
	if err := getJSON(ctx, api+"schedules", &list); err != nil {
		return nil, err
	}
	s := state{}
	for _, one := range list.Schedules {
		var has struct {
			Schedule struct {
				Spec struct {
					Interval           []struct{ Interval string }
					StructuredCalendar []struct{ Hour, Minute, DayOfMonth, Month temporalNumbers }
				}
				Action struct {
					StartWorkflow struct {
						WorkflowID              string
						WorkflowType, TaskQueue struct{ Name string }
						Input                   json.RawMessage
					}
				}
				State struct {
					Paused bool
					Notes  string
				}
			}
			Info             struct{ RecentActions []any }
			SearchAttributes struct {
				IndexedFields map[string]struct{ Data []byte }
			}
		}
		if err := getJSON(ctx, api+"schedules/"+one.ScheduleID, &has); err != nil {
			return nil, err
		}
		made := has.Schedule
		start := made.Action.StartWorkflow
		parts := []string{start.WorkflowType.Name, start.WorkflowID, start.TaskQueue.Name, string(start.Input)}
		for _, c := range made.Spec.StructuredCalendar {
			parts = append(parts, c.DayOfMonth.only(), c.Month.only(), c.Hour.only(), c.Minute.only())
		}
		for _, i := range made.Spec.Interval {
			parts = append(parts, "each "+i.Interval)
		}
		var fields []string
		for name, value := range has.SearchAttributes.IndexedFields {
			fields = append(fields, name+"="+string(value.Data))
		}
		slices.Sort(fields)
		parts = append(parts, strings.Join(fields, ","), fmt.Sprint(made.State.Paused), made.State.Notes)
		if n := len(has.Info.RecentActions); n > 0 {
			parts = append(parts, fmt.Sprint(n, " runs"))
		}
		add(s, "schedule "+one.ScheduleID, strings.Join(parts, "|"))
	}
	return s, nil
}
