package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // its passwords are hashed so
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// shaarli adds a bookmark, changes another, renames a tag and sets how all are shown: pages from the server,
// tags that are suggested as one types, a search that is there once its icon was pressed, a list of places
// that follows from another list.
func shaarli() *app {
	return &app{
		name: "shaarli", about: "pages from the server, tags that are suggested as one types, a search that is there once its icon was pressed, a list that follows from another", held: true,
		needs: append([]need{{"/usr/share/shaarli/index.php", "apt-get install shaarli"}}, phpNeeds...),
		start: startShaarli,
		values: func(run int) values {
			return values{
				"url": fmt.Sprintf("http://localhost:9/notes-%d", 20+run), "title": oneOf(run, "On hedges", "On ponds", "On paths", "On ditches") + fmt.Sprint(" ", 4+run), "text": fmt.Sprintf("Read page %d.\nAsk for a copy.", 11+run), "tag": oneOf(run, "orchard", "meadow", "garden"),
				"mark": oneOf(run, "later", "soon", "winter") + fmt.Sprint(run), "old": shaarliOld[(1+run)%len(shaarliOld)], "about": fmt.Sprintf("Seen in %d.", 2031+run), "from": oneOf(run, "tools", "crops", "cattle"), "to": oneOf(run, "gear", "grain", "herd") + fmt.Sprint("-", 30+run),
				"heading": oneOf(run, "Farm shelf", "Barn shelf", "Loft shelf") + fmt.Sprint(" ", 7+run), "continent": oneOf(run, "Africa", "Asia", "Pacific"), "city": oneOf(run, "Nairobi", "Kathmandu", "Auckland"),
			}
		},
		signIn: func(p *person, who account) {
			p.fill("#login-form input[name=login]", who.user)
			p.fill("#login-form input[name=password]", who.password)
			p.click("#login-form input[type=submit]")
			p.see("#shaarli-menu-tools a")
		},
		flow: func(p *person, v values) {
			p.click("#shaarli-menu-shaare")
			p.fill("#shaare", v["url"])
			p.click("form[name=addform] input[type=submit]")
			p.fill("#lf_title", v["title"])
			p.fill("#lf_description", v["text"])
			p.fill("#lf_tags", v["tag"][:4])
			p.click(".awesomplete li{" + v["tag"] + "}")
			p.typing(v["mark"])
			p.click("label[for=lf_private]")
			p.click("#button-save-edit")
			p.see("#linklist .linklist-item")
			p.click("#search-button")
			p.fill("#searchform_value", v["old"])
			p.press("Enter")
			p.at("searchterm")
			p.click(".linklist-item a[aria-label=Edit]")
			p.fill("#lf_description", v["about"])
			p.click("label[for=lf_private]")
			p.click("#button-save-edit")
			p.click("#shaarli-menu-tools a")
			p.click("a[href$='/admin/tags']")
			p.fill("input[name=fromtag]", v["from"])
			p.press("Escape")
			p.fill("input[name=totag]", v["to"])
			p.click("input[name=renametag]")
			p.at("searchtags=" + v["to"])
			p.click("#shaarli-menu-tools a")
			p.click("a[href$='/admin/configure']")
			p.refill("#title", v["heading"])
			p.choose("#continent", v["continent"])
			p.choose("#city", v["city"])
			p.click("#hidePublicLinks")
			p.click("#configform input[name=save]")
			p.see("#shaarli-success-alert")
		},
		want: func(s state, _ account, v values) {
			s["bookmark "+v["title"]] = strings.Join([]string{v["url"], v["text"], v["tag"] + "," + v["mark"], "private"}, "|")
			s["bookmark "+v["old"]] = strings.Join([]string{shaarliURL(v["old"]), v["about"], "read", "private"}, "|")
			s["bookmark About "+v["from"]] = strings.Join([]string{shaarliURL(v["from"]), "", v["to"], "public"}, "|")
			s["heading"], s["place"] = v["heading"], v["continent"]+"/"+v["city"]
			s["hidden"] = "true" // a box is recorded as what it was set to
		},
	}
}

// shaarliOld are titles of bookmarks that are there before, and shaarliURL is where they lead.
var shaarliOld = []string{"Sheep of the north", "Roofs of reed", "Bells and ropes", "Carts for two", "Wells and pumps"}

func shaarliURL(title string) string {
	return "http://localhost:9/" + strings.ReplaceAll(strings.ToLower(title), " ", "-")
}

func startShaarli(ctx context.Context, h *host) (*site, error) {
	if err := h.copyTree(ctx, "/usr/share/shaarli", "www"); err != nil {
		return nil, err
	}
	const move = `cd "$1" && mkdir -p data var/tmp var/cache var/pagecache && grep -rlE '/(usr/share|var/lib|var/cache)/shaarli' www --include=*.php | xargs sed -i "s#/usr/share/shaarli#$1/www#g; s#/var/lib/shaarli#$1#g; s#/var/cache/shaarli#$1/var#g"`
	if _, err := h.run(ctx, nil, "sh", "-c", move, "sh", h.dir); err != nil {
		return nil, err
	}
	who := account{"ada", "Analytical-7"} // it has one user
	type object = map[string]any
	const salt, secret = "a-grain-of-salt", "a-secret-of-a-shelf"
	settings, err := json.Marshal(object{
		"credentials": object{"login": who.user, "salt": salt, "hash": fmt.Sprintf("%x", sha1.Sum([]byte(who.password+who.user+salt)))}, //nolint:gosec // see above
		"security":    object{"session_protection_disabled": false}, "general": object{"title": "A shelf", "timezone": "Europe/Berlin", "download_timeout": 2}, "updates": object{"check_updates": false},
		"api": object{"enabled": true, "secret": secret}, "thumbnails": object{"mode": "none"}, "privacy": object{"hide_public_links": false}, "translation": object{"language": "en"}, "dev": object{"debug": false},
	})
	if err != nil {
		return nil, err
	}
	if err := h.write("data/config.json.php", "<?php /*"+string(settings)+"*/ ?>"); err != nil {
		return nil, err
	}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	url, err := h.php(ctx, "www", "/login", port, "date.timezone=UTC")
	if err != nil {
		return nil, err
	}
	api := &shaarliAPI{url + "/api/v1/", secret}
	for _, title := range shaarliOld {
		if err := api.add(ctx, title, shaarliURL(title), "read"); err != nil {
			return nil, err
		}
	}
	for _, tag := range []string{"tools", "crops", "cattle", "orchard", "meadow", "garden"} {
		if err := api.add(ctx, "About "+tag, shaarliURL(tag), tag); err != nil {
			return nil, err
		}
	}
	read := func(ctx context.Context) (state, error) { return readShaarli(ctx, h, api) }
	return &site{url: url + "/login", accounts: [2]account{who, who}, state: read}, nil
}

func readShaarli(ctx context.Context, h *host, api *shaarliAPI) (state, error) {
	var links []struct {
		URL, Title, Description string
		Tags                    []string
		Private                 bool
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, api.at+"links?limit=all", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+api.token())
	if err := answered(http.DefaultClient, req, &links); err != nil {
		return nil, err
	}
	s := state{}
	for _, l := range links {
		add(s, "bookmark "+l.Title, strings.Join([]string{l.URL, strings.ReplaceAll(l.Description, "\r\n", "\n"), strings.Join(l.Tags, ","), map[bool]string{true: "private", false: "public"}[l.Private]}, "|"))
	}
	text, err := os.ReadFile(h.path("data/config.json.php"))
	if err != nil {
		return nil, err
	}
	var settings struct {
		General struct{ Title, Timezone string }
		Privacy struct {
			Hidden bool `json:"hide_public_links"`
		}
	}
	if err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(text)), "<?php /*"), "*/ ?>")), &settings); err != nil {
		return nil, err
	}
	s["heading"], s["place"], s["hidden"] = settings.General.Title, settings.General.Timezone, fmt.Sprint(settings.Privacy.Hidden)
	return s, nil
}

// shaarliAPI is what programs may ask, who show a token that is signed.
type shaarliAPI struct{ at, secret string }

func (a *shaarliAPI) add(ctx context.Context, title, url, tag string) error {
	body, err := json.Marshal(map[string]any{"title": title, "url": url, "tags": []string{tag}, "private": false})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.at+"links", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.token())
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		return fmt.Errorf("adding %s: %s", title, res.Status)
	}
	return nil
}

func (a *shaarliAPI) token() string {
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"JWT","alg":"HS512"}`)) + "." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"iat":%d}`, time.Now().Unix()-1))
	sum := hmac.New(sha512.New, []byte(a.secret))
	sum.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}
