package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rabbitmq declares a queue, binds it, publishes to it and makes a policy with the pages for
// the management of a broker: sections that unfold, tables of fields of which there is
// always one more, words that fill such a row, parts that are drawn again every few seconds.
func rabbitmq() *app {
	return &app{
		name: "rabbitmq", about: "sections that unfold, rows of fields that grow as one types, words that fill in a row, forms that a script sends, parts that are drawn again every few seconds", held: true,
		needs: []need{{rabbitmqFolder + "/rabbitmq-server", "apt-get install rabbitmq-server"}},
		start: startRabbitmq,
		named: map[string]string{"name": "queue", "name_2": "policy"},
		values: func(run int) values {
			return values{
				"queue": oneOf(run, "milk", "wool", "eggs", "hay") + fmt.Sprintf("-out-%d", 3+run), "durable": oneOf(run, "Transient", "Durable"), "ttl": fmt.Sprint(3600000 + 1000*run), "full": oneOf(run, "reject-publish", "drop-head"),
				"exchange": oneOf(run, "orders", "returns", "stock"), "key": oneOf(run, "barn", "loft", "yard") + fmt.Sprintf(".%d.#", 20+run), "mode": oneOf(run, "2 - Persistent", "1 - Non-persistent"),
				"header": fmt.Sprintf("batch-%d", 70+run), "text": fmt.Sprintf("Send %d crates.\nCall at noon.", 11+run),
				"policy": oneOf(run, "short", "small", "brief") + fmt.Sprintf(" queues %d", run), "pattern": fmt.Sprintf("^tmp%d\\.", run), "to": oneOf(run, "Queues", "Exchanges and queues"), "priority": fmt.Sprint(4 + run), "most": fmt.Sprint(500 + run),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#login input[name=username]", who.user)
			p.fill("#login input[name=password]", who.password)
			p.click("#login input[type=submit]")
			p.see("#logout input")
		},
		flow: func(p *person, v values) {
			p.click("#tabs a[href='#/queues']")
			p.click("h2{Add a new queue}")
			p.fill("form[action='#/queues'] input[name=name]", v["queue"])
			p.choose("select[name=durable]", v["durable"])
			p.click(".argument-link[key=x-message-ttl]")
			p.fill("#arguments_1_mfvalue", v["ttl"])
			p.click(".argument-link[key=x-overflow]")
			p.fill("#arguments_2_mfvalue", v["full"])
			p.click("input[value='Add queue']")
			p.click("table.list a{" + v["queue"] + "}")
			p.click("h2{Bindings (1)}")
			p.fill("form[action='#/bindings'] input[name=source]", v["exchange"])
			p.fill("form[action='#/bindings'] input[name=routing_key]", v["key"])
			p.click("input[value=Bind]")
			p.see("h2{Bindings (2)}") // all sections fold
			p.click("h2{Publish message}")
			p.choose("select[name=delivery_mode]", v["mode"])
			p.fill("#headers_1_mfkey", "batch")
			p.fill("#headers_1_mfvalue", v["header"])
			p.fill("textarea[name=payload]", v["text"])
			p.click("input[value='Publish message']")
			p.click(".form-popup-info span{Close}")
			p.click("#tabs a{Admin}")
			p.click("#rhs a{Policies}")
			p.click("h2{Add / update a policy}")
			p.fill("form[action='#/policies'] input[name=name]", v["policy"])
			p.fill("form[action='#/policies'] input[name=pattern]", v["pattern"])
			p.choose("form[action='#/policies'] select[name=apply-to]", v["to"])
			p.fill("form[action='#/policies'] input[name=priority]", v["priority"])
			p.click(".argument-link[field=definition][key=max-length]")
			p.fill("#definition_1_mfvalue", v["most"])
			p.click("input[value='Add / update policy']")
			p.see("table.list td{" + v["pattern"] + "}")
		},
		want: func(s state, who account, v values) {
			place := rabbitmqPlaces[who.user] + " "
			s["queue "+place+v["queue"]] = strings.Join([]string{fmt.Sprint(v["durable"] == "Durable"), "false", fmt.Sprintf("x-message-ttl=%s x-overflow=%s x-queue-type=classic", v["ttl"], v["full"])}, "|")
			s["bindings of "+place+v["queue"]] = v["exchange"] + " " + v["key"]
			s["messages of "+place+v["queue"]] = strings.Join([]string{v["mode"][:1], "batch=" + v["header"], v["text"]}, "|")
			s["policy "+place+v["policy"]] = strings.Join([]string{v["pattern"], map[string]string{"Queues": "queues", "Exchanges and queues": "all"}[v["to"]], v["priority"], "max-length=" + v["most"]}, "|")
		},
	}
}

const rabbitmqFolder = "/usr/lib/rabbitmq/bin"

// rabbitmqPlaces are the virtual hosts, of which each account may use its own alone.
var rabbitmqPlaces = map[string]string{"ada": "north", "grace": "south"}

func startRabbitmq(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	ports, err := h.free(4)
	if err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("listeners.tcp.1 = 127.0.0.1:%d\nmanagement.tcp.ip = 127.0.0.1\nmanagement.tcp.port = %d\ndefault_user = root\ndefault_pass = Administrator-1\n", ports[0], ports[1])
	for name, text := range map[string]string{"rabbitmq.conf": settings, "plugins": "[rabbitmq_management].\n", "data/empty": ""} {
		if err := h.write(name, text); err != nil {
			return nil, err
		}
	}
	// The servers of Erlang find each other by a program that would go on for good if one of them started it.
	env := []string{"HOME=" + h.dir, fmt.Sprint("ERL_EPMD_PORT=", ports[2]), "ERL_EPMD_ADDRESS=127.0.0.1"}
	if _, err := h.serve(h.dir, env, "epmd"); err != nil {
		return nil, err
	}
	env = append(env, "RABBITMQ_NODENAME=farm@localhost", fmt.Sprint("RABBITMQ_DIST_PORT=", ports[3]), "RABBITMQ_CONFIG_FILE="+h.path("rabbitmq.conf"), "RABBITMQ_CONF_ENV_FILE="+h.path("none"), "RABBITMQ_ENABLED_PLUGINS_FILE="+h.path("plugins"),
		"RABBITMQ_MNESIA_BASE="+h.path("data"), "RABBITMQ_LOG_BASE="+h.path("logs"), "RABBITMQ_GENERATED_CONFIG_DIR="+h.path("made"), "RABBITMQ_FEATURE_FLAGS_FILE="+h.path("flags"))
	server, err := h.serve(h.dir, env, rabbitmqFolder+"/rabbitmq-server")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", ports[1])
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	type object = map[string]any
	var users, places, rights, exchanges, queues []object
	for _, who := range accounts {
		place := rabbitmqPlaces[who.user]
		users = append(users, object{"name": who.user, "password": who.password, "tags": "policymaker"})
		places = append(places, object{"name": place})
		for _, user := range []string{who.user, "root"} {
			rights = append(rights, object{"user": user, "vhost": place, "configure": ".*", "write": ".*", "read": ".*"})
		}
		for _, name := range []string{"orders", "returns", "stock"} {
			exchanges = append(exchanges, object{"name": name, "vhost": place, "type": "topic", "durable": true, "auto_delete": false, "internal": false, "arguments": object{}})
		}
		for _, name := range []string{"letters", "parcels", "tools"} {
			queues = append(queues, object{"name": name, "vhost": place, "durable": true, "auto_delete": false, "arguments": object{}})
		}
	}
	all := object{"users": users, "vhosts": places, "permissions": rights, "exchanges": exchanges, "queues": queues}
	b := rabbitmqBroker(strings.Replace(url, "://", "://root:Administrator-1@", 1))
	if err := post(ctx, b.path("definitions"), "", all, nil); err != nil {
		return nil, err
	}
	return &site{url: url, accounts: accounts, state: b.state}, nil
}

// rabbitmqBroker is the address at which its administrator asks a broker.
type rabbitmqBroker string

func (b rabbitmqBroker) path(of string) string { return string(b) + "api/" + of }

func (b rabbitmqBroker) state(ctx context.Context) (state, error) {
	var queues []struct {
		Name, Vhost string
		Durable     bool
		AutoDelete  bool `json:"auto_delete"`
		Arguments   map[string]any
	}
	var bindings []struct {
		Source, Vhost, Destination string
		Key                        string `json:"routing_key"`
	}
	var policies []struct {
		Name, Vhost, Pattern string
		To                   string `json:"apply-to"`
		Priority             int
		Definition           map[string]any
	}
	for path, answer := range map[string]any{"queues?disable_stats=true&enable_queue_totals=true": &queues, "bindings": &bindings, "policies": &policies} {
		if err := getJSON(ctx, b.path(path), answer); err != nil {
			return nil, err
		}
	}
	s := state{}
	for _, q := range queues {
		name := q.Vhost + " " + q.Name
		add(s, "queue "+name, fmt.Sprintf("%v|%v|%s", q.Durable, q.AutoDelete, pairs(q.Arguments)))
		var messages []struct {
			Payload    string
			Properties struct {
				Mode    int `json:"delivery_mode"`
				Headers map[string]any
			}
		}
		if err := post(ctx, b.path("queues/"+q.Vhost+"/"+q.Name+"/get"), "", map[string]any{"count": 20, "ackmode": "ack_requeue_true", "encoding": "auto"}, &messages); err != nil {
			return nil, err
		}
		for _, m := range messages {
			add(s, "messages of "+name, fmt.Sprintf("%d|%s|%s", m.Properties.Mode, pairs(m.Properties.Headers), strings.ReplaceAll(m.Payload, "\r\n", "\n")))
		}
	}
	for _, one := range bindings {
		if one.Source != "" { // each queue has one of its own
			add(s, "bindings of "+one.Vhost+" "+one.Destination, one.Source+" "+one.Key)
		}
	}
	for _, p := range policies {
		add(s, "policy "+p.Vhost+" "+p.Name, fmt.Sprintf("%s|%s|%d|%s", p.Pattern, p.To, p.Priority, pairs(p.Definition)))
	}
	return s, nil
}

// pairs writes what names stand for, in the order of the names.
func pairs(of map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		value := of[name]
		if n, is := value.(float64); is { // a large one would be written with an exponent
			value = int(n)
		}
		parts = append(parts, fmt.Sprintf("%s=%v", name, value))
	}
	return strings.Join(parts, " ")
}
