package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// alertmanager silences an alert for some days and ends another silence: pages that Elm draws
// from an address, groups that unfold, conditions that become labels, a range of days with a
// clock for each end, a message that asks again.
func alertmanager() *app {
	return &app{
		name: "alertmanager", about: "pages that Elm draws, groups that unfold, conditions that become labels, a range of days with a clock for each end, a message that asks again", held: true,
		needs: []need{{program("alertmanager"), "go install github.com/prometheus/alertmanager/cmd/alertmanager@v0.28.1"}},
		start: startAlertmanager,
		values: func(run int) values {
			return values{
				"where": fmt.Sprintf("barn=%q", oneOf(run, "south", "north", "west")), "alert": fmt.Sprintf("alertname=%q", oneOf(run, "Fan", "Lamp", "Gate", "Pump")), "also": fmt.Sprintf("shift=~\"night|dawn-%d\"", 2+run),
				"from": fmt.Sprint(11 + run), "to": fmt.Sprint(19 + run), "hour": fmt.Sprint(6 + run), "minute": fmt.Sprint(25 + run), "toHour": fmt.Sprint(15 + run), "toMinute": fmt.Sprint(41 + run),
				"who": oneOf(run, "Ines Ruiz", "Jo Park", "Kofi Mensah", "Lea Braun"), "why": fmt.Sprintf("The wiring is renewed by firm %d.", 40+run), "old": fmt.Sprintf("door=\"%d\"", 3+run),
			}
		},
		flow: func(p *person, v values) {
			p.fill("#filter-bar-matcher", v["where"])
			p.press("Enter")
			p.see(".card-block button.btn-outline-info{" + v["where"] + "}")
			p.click("button{farm}")
			p.click("a[href*='new?filter'][href*='alertname%3D%22" + alertOf(v) + "']")
			p.click("button:has(.fa-calendar)")
			p.click(".next-month")
			p.click(".date.front.thismonth{" + v["from"] + "}")
			p.click(".date.front.thismonth{" + v["to"] + "}")
			p.refill(".timepicker:first-child .hour input", v["hour"])
			p.refill(".timepicker:first-child .minute input", v["minute"])
			p.refill(".timepicker:last-child .hour input", v["toHour"])
			p.refill(".timepicker:last-child .minute input", v["toMinute"])
			p.click(".timepicker:last-child .hour .up-button")
			p.click("button{Set Date/Time}")
			p.click(".col-auto:nth-last-child(2) button.btn-outline-danger") // the last condition
			p.fill("#filter-bar-matcher", v["also"])
			p.click(".input-group-btn button{+}")
			p.fill(".form-group.mt-5 input", v["who"])
			p.fill("textarea", v["why"])
			p.click("button{Preview Alerts}")
			p.click("button{Create}")
			p.at("#/silences/")
			p.see(".form-group div{" + v["why"] + "}")
			p.click("a.nav-link[title=Silences]")
			p.fill("#filter-bar-matcher", v["old"])
			p.press("Enter")
			p.click("li.list-group-item:only-child button{Expire}")
			p.click(".modal.show button{Confirm}")
			p.see(".alert-warning{No silences found}")
		},
		want: func(s state, _ account, v values) {
			room := alertRooms[alertOf(v)]
			from, to := nextMonth(v["from"], v["hour"], v["minute"]), nextMonth(v["to"], v["toHour"], v["toMinute"]).Add(time.Hour)
			matchers := fmt.Sprintf("%s %s room=%q %s", v["alert"], v["where"], room, v["also"])
			s["silence "+v["why"]] = strings.Join([]string{"pending", v["who"], matchers, from.Format(time.DateTime), to.Format(time.DateTime)}, "|")
			s["silence of "+v["old"]] = "expired|Mina Sato|" + v["old"]
		},
	}
}

// alertRooms are where each of the alerts comes from, in all barns.
var alertRooms = map[string]string{"Fan": "loft", "Gate": "pen", "Lamp": "stall", "Pump": "yard"}

// alertOf is the name in the label of the alert that was chosen.
func alertOf(v values) string { return strings.Split(v["alert"], `"`)[1] }

// nextMonth is a minute of the month after this one.
func nextMonth(day, hour, minute string) time.Time {
	var n [3]int
	_, _ = fmt.Sscan(day+" "+hour+" "+minute, &n[0], &n[1], &n[2]) // they are written so
	now := time.Now()
	return time.Date(now.Year(), now.Month()+1, n[0], n[1], n[2], 0, 0, time.UTC)
}

func startAlertmanager(ctx context.Context, h *host) (*site, error) {
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	if err := h.write("alertmanager.yml", "route: {receiver: farm, group_by: [barn]}\nreceivers: [{name: farm}]\n"); err != nil {
		return nil, err
	}
	at := fmt.Sprintf("127.0.0.1:%d", port)
	server, err := h.serve(h.dir, []string{"TZ=UTC"}, program("alertmanager"), "--config.file="+h.path("alertmanager.yml"), "--storage.path="+h.path("data"), "--web.listen-address="+at, "--cluster.listen-address=")
	if err != nil {
		return nil, err
	}
	api := "http://" + at + "/api/v2/"
	if err := server.up(ctx, answers(api+"status")); err != nil {
		return nil, err
	}
	type object = map[string]any
	began, ends := time.Now().Add(-time.Hour), time.Now().AddDate(5, 0, 0)
	var alerts []object
	for _, barn := range []string{"north", "south", "west"} {
		for name, room := range alertRooms {
			labels := object{"alertname": name, "barn": barn, "room": room, "severity": "page"}
			alerts = append(alerts, object{"labels": labels, "annotations": object{"summary": name + " does not run"}, "startsAt": began, "endsAt": ends})
		}
	}
	if err := post(ctx, api+"alerts", "", alerts, nil); err != nil {
		return nil, err
	}
	for door := range 14 {
		matchers := []object{{"name": "door", "value": fmt.Sprint(door), "isRegex": false, "isEqual": true}}
		silence := object{"matchers": matchers, "startsAt": time.Now(), "endsAt": ends, "createdBy": "Mina Sato", "comment": fmt.Sprintf("of door=\"%d\"", door)}
		if err := post(ctx, api+"silences", "", silence, nil); err != nil {
			return nil, err
		}
	}
	if err := server.up(ctx, func(ctx context.Context) error { return hasAlerts(ctx, api+"alerts", len(alerts)) }); err != nil {
		return nil, err
	}
	return &site{url: "http://" + at + "/", state: func(ctx context.Context) (state, error) { return readSilences(ctx, api+"silences") }}, nil
}

func hasAlerts(ctx context.Context, url string, want int) error {
	var alerts []any
	if err := getJSON(ctx, url, &alerts); err != nil {
		return err
	}
	if len(alerts) != want {
		return fmt.Errorf("there are %d alerts", len(alerts))
	}
	return nil
}

func readSilences(ctx context.Context, url string) (state, error) {
	var silences []struct {
		CreatedBy, Comment string
		StartsAt, EndsAt   time.Time
		Status             struct{ State string }
		Matchers           []struct {
			Name, Value      string
			IsRegex, IsEqual bool
		}
	}
	if err := getJSON(ctx, url, &silences); err != nil {
		return nil, err
	}
	s := state{}
	for _, one := range silences {
		var matchers []string
		for _, m := range one.Matchers {
			sign := map[[2]bool]string{{false, true}: "=", {false, false}: "!=", {true, true}: "=~", {true, false}: "!~"}[[2]bool{m.IsRegex, m.IsEqual}]
			matchers = append(matchers, fmt.Sprintf("%s%s%q", m.Name, sign, m.Value))
		}
		parts := []string{one.Status.State, one.CreatedBy, strings.Join(matchers, " ")}
		if one.Status.State == "pending" { // else it began or ended when it was made or ended
			parts = append(parts, one.StartsAt.UTC().Format(time.DateTime), one.EndsAt.UTC().Format(time.DateTime))
		}
		add(s, "silence "+one.Comment, strings.Join(parts, "|"))
	}
	return s, nil
}
