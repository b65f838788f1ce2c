package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// rediscommander keeps what a Redis holds with Redis Commander: a tree of folders that jsTree
// draws, menus of the right button, dialogs of Bootstrap whose fields come and go with a list, rows
// that a double click opens.
func rediscommander() *app {
	return &app{
		name: "rediscommander", about: "a tree of folders that jsTree draws, menus of the right button, dialogs of Bootstrap whose fields come and go with a list, rows that a double click opens", held: true,
		needs: append(rediscommanderPackage.needs(rediscommanderProgram), need{"/usr/bin/redis-server", "apt-get install redis-server"}),
		start: startRediscommander,
		named: map[string]string{"key": "key", "field": "field", "value": "first", "new_key": "later", "score": "score"},
		values: func(run int) values {
			return values{
				"key": oneOf(run, "gate", "pump", "vane", "lamp") + fmt.Sprintf("-%d", 20+run), "field": oneOf(run, "maker", "owner", "model") + fmt.Sprint(run), "first": fmt.Sprintf("Dale Works %d", 3+run), "field2": oneOf(run, "serial", "origin", "weight") + fmt.Sprint(run), "second": fmt.Sprintf("no %d", 700+run),
				"old": rediscommanderOld[(1+run)%4], "row": oneOf(run, "feed", "pen", "age", "kind"), "now": fmt.Sprintf("hay %d", 40+run), "member": oneOf(run, "Ada Vane", "Tom Bell", "Nora Lund", "Hugo Clay") + fmt.Sprint(" ", run), "score": fmt.Sprint(81 + run),
				"item": fmt.Sprintf("Call the vet at %d.", 7+run), "rename": oneOf(run, "note-b", "note-d", "note-a", "note-c"), "later": fmt.Sprintf("done-%d", 5+run),
			}
		},
		flow: func(p *person, v values) {
			const save = " .modal-footer .btn-primary"
			key := func(name string) string { return "#keyTree a.jstree-anchor{" + name + "}" }
			p.see(key("note-a"))
			p.rightClick("#keyTree a[id$='_anchor']")
			p.click(".vakata-context a{Add Key}")
			p.fill("#keyValue", v["key"])
			p.choose("#keyType", "Hash")
			p.fill("#newFieldName", v["field"])
			p.fill("#newStringValue", v["first"])
			p.click("#addKeyModal" + save)
			p.click(key(v["key"]))
			p.click("#itemActionsBar button{Add New Field...}")
			p.fill("#addHashFieldName", v["field2"])
			p.fill("#addHashFieldValue", v["second"])
			p.click("#addHashFieldModal" + save)
			p.see("#itemData td{" + v["field2"] + "}")
			p.click("#keyTree li.jstree-closed:not([aria-level='1']) > .jstree-ocl")
			p.click(key(v["old"]))
			p.doubleClick("#itemData td:first-child{" + v["row"] + "}")
			p.refill("#hashFieldValue", v["now"])
			p.click("#editHashFieldModal" + save)
			p.see("#itemData td{" + v["now"] + "}")
			p.click("#keyTree a.jstree-anchor[title^=scores], #keyTree li[id*=scores] > a")
			p.click("#itemActionsBar button{Add New Member...}")
			p.fill("#addZSetScore", v["score"])
			p.fill("#addZSetMemberName", v["member"])
			p.click("#addZSetMemberModal" + save)
			p.see("#itemData td{" + v["member"] + "}")
			p.click("#keyTree li[id*=todo] > a")
			p.click("#itemActionsBar button{Add New Value...}")
			p.click("#typeRpush")
			p.fill("#addListValue", v["item"])
			p.click("#addListValueModal" + save)
			p.see("#itemData td{" + v["item"] + "}")
			p.rightClick(key(v["rename"]))
			p.click(".vakata-context a{Rename Key}")
			p.refill("#renamedKeyName", v["later"])
			p.click("#renameKeyModal" + save)
			p.see(key(v["later"]))
		},
		want: func(s state, _ account, v values) {
			s["hash "+v["key"]] = ""
			for _, one := range [][2]string{{"field", "first"}, {"field2", "second"}} {
				s["in "+v["key"]+" "+v[one[0]]] = v[one[1]]
			}
			s["in farm:"+v["old"]+" "+v["row"]] = v["now"]
			s["in scores "+v["member"]] = v["score"]
			s["list todo"] += v["item"] + "|"
			s["string "+v["later"]] = s["string "+v["rename"]]
			delete(s, "string "+v["rename"])
		},
	}
}

var rediscommanderPackage = npm{"redis-commander", "0.9.0", ""}

const rediscommanderProgram = "redis-commander/bin/redis-commander.js"

// rediscommanderOld are hashes in a folder, each with the same fields.
var rediscommanderOld = []string{"goat", "hen", "pig", "sheep"}

// rediscommanderAll is a program for Redis, which tells all that it holds.
const rediscommanderAll = `local all = {}
for _, key in ipairs(redis.call('keys', '*')) do
	local kind = redis.call('type', key).ok
	local what = kind == 'hash' and redis.call('hgetall', key) or kind == 'zset' and redis.call('zrange', key, 0, -1, 'withscores') or kind == 'list' and redis.call('lrange', key, 0, -1) or {redis.call('get', key)}
	all[#all + 1] = {key, kind, what}
end
return cjson.encode(all)`

func startRediscommander(ctx context.Context, h *host) (*site, error) {
	store, err := h.port()
	if err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	redis := func(ctx context.Context, args ...string) (string, error) {
		return h.run(ctx, nil, "redis-cli", append([]string{"-e", "-p", fmt.Sprint(store)}, args...)...)
	}
	server, err := h.serve(h.dir, nil, "redis-server", "--port", fmt.Sprint(store), "--bind", "127.0.0.1", "--save", "", "--dir", h.dir)
	if err != nil {
		return nil, err
	}
	if err := server.up(ctx, func(ctx context.Context) error { _, err := redis(ctx, "ping"); return err }); err != nil {
		return nil, err
	}
	for _, name := range rediscommanderOld {
		if _, err := redis(ctx, "hset", "farm:"+name, "feed", "oats", "pen", "2", "age", "3", "kind", "plain"); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"note-a", "note-b", "note-c", "note-d"} {
		if _, err := redis(ctx, "set", name, "Read "+name); err != nil {
			return nil, err
		}
	}
	if _, err := redis(ctx, "zadd", "scores", "10", "Bo Lind", "20", "Di Rush"); err != nil {
		return nil, err
	}
	if _, err := redis(ctx, "rpush", "todo", "Mend the roof.", "Oil the gate."); err != nil {
		return nil, err
	}
	pages, err := h.serve(h.dir, []string{"HOME=" + h.dir}, "node", h.npm(rediscommanderPackage, rediscommanderProgram), "--redis-host", "127.0.0.1", "--redis-port", fmt.Sprint(store), "--redis-label", "farm", "--address", "127.0.0.1", "--port", fmt.Sprint(port), "--nosave")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	read := func(ctx context.Context) (state, error) {
		out, err := redis(ctx, "--raw", "eval", rediscommanderAll, "0")
		if err != nil {
			return nil, err
		}
		var all [][3]json.RawMessage
		if err := json.Unmarshal([]byte(out), &all); err != nil {
			return nil, err
		}
		s := state{}
		for _, one := range all {
			var key, kind string
			var what []string
			for i, into := range []any{&key, &kind, &what} {
				if err := json.Unmarshal(one[i], into); err != nil {
					return nil, err
				}
			}
			switch kind {
			case "hash", "zset":
				s[kind+" "+key] = ""
				for i := 0; i+1 < len(what); i += 2 {
					s["in "+key+" "+what[i]] = what[i+1]
				}
			default:
				s[kind+" "+key] = strings.Join(what, "|") + "|"
			}
		}
		return s, nil
	}
	return &site{url: url, state: read}, pages.up(ctx, answers(url))
}
