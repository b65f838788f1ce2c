package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// cameraUI looks after cameras with camera.ui: pages that Vue and Vuetify draw, links that are
// pictures, fields whose names stand above them and belong to nothing, lists that are drawn at the
// end of the page, switches, a dialog that is longer than the window, a round button that saves.
func cameraUI() *app {
	return &app{
		name: "cameraui", about: "pages that Vue and Vuetify draw, links that are pictures, fields whose names stand above them and belong to nothing, lists drawn at the end of the page, switches, a dialog longer than the window, a round button that saves", held: true,
		needs: cameraUIPackage.needs(cameraUIProgram),
		start: startCameraUI,
		values: func(run int) values {
			return values{
				"hours": oneOf(run, "6", "9", "12", "1"), "name": oneOf(run, "Yard", "Pond", "Lane") + fmt.Sprintf(" %d", 20+run), "source": fmt.Sprintf("-i rtsp://pole-%d.farm.example/live", 40+run), "still": fmt.Sprintf("-i http://pole-%d.farm.example/now.jpg", 40+run), "transport": oneOf(run, "udp", "tcp", "http"), "codec": fmt.Sprintf("h264_v%dm2m", 4+run),
				"old": cameraUICameras[(2+run)%len(cameraUICameras)],
			}
		},
		signIn: func(p *person, who account) {
			p.fill(".login-content input[type=text]", who.user)
			p.fill(".login-content input[type=password]", who.password)
			p.click(".login-content button[type=submit]")
			p.see("a[href='/settings/account']")
		},
		flow: func(p *person, v values) {
			// under is the field below its name.
			under := func(label string) string { return ".v-dialog--active label{" + label + "}" }
			field := func(label, text string) {
				p.clickAt(under(label), 100, 38)
				p.typing(text)
			}
			p.click("a[href='/settings/account']")
			p.click(".sidebar-nav-item-text{Cameras}")
			p.click("button{Add new Camera}")
			field("Name*", v["name"])
			field("Video Source*", v["source"])
			field("Still Image Source", v["still"])
			field("RTSP Transport", v["transport"])
			field("Video Codec", v["codec"])
			for _, which := range []int{2, 4} { // what is read before it is wanted, and what is written of it
				p.click(fmt.Sprintf(".v-dialog--active :nth-child(%d of .tw-justify-between:has([role=switch])) .v-input--selection-controls__input", which))
			}
			p.click(".v-dialog--active button{Add}")
			p.see(".v-select__selection{" + v["name"] + "}")
			p.click(".v-select__slot")
			p.click(".menuable__content__active .v-list-item__title{" + v["old"] + "}")
			p.see(".v-select__selection{" + v["old"] + "}")
			p.click(".v-input__append-outer button")
			p.click(".v-dialog--active button{Remove}")
			p.click(".sidebar-nav-item-text{Account}")
			p.click(".v-select__slot")
			p.click(".menuable__content__active .v-list-item__title{" + v["hours"] + "}")
			p.click("button.save-btn, button.v-btn--fab.success")
			p.see(".login-content") // one has to sign in again
		},
		want: func(s state, who account, v values) {
			s["user "+who.user] = map[string]string{"1": "3600", "6": "21600", "9": "32400", "12": "43200"}[v["hours"]]
			s["camera "+v["name"]] = strings.Join([]string{v["source"], v["still"], v["transport"], v["codec"], "true", "true false false"}, "|")
			delete(s, "camera "+v["old"])
		},
	}
}

var cameraUIPackage = npm{"camera.ui", "1.1.17", ""}

const cameraUIProgram = "camera.ui/bin/camera.ui.js"

// cameraUICameras are there before.
var cameraUICameras = []string{"Barn", "Gate", "Hill", "Mill", "Orchard", "Road", "Well"}

func startCameraUI(ctx context.Context, h *host) (*site, error) {
	accounts := [2]account{{"ada", "Analytical-7"}, {"grace", "Compiler-19"}}
	port, err := h.port()
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	var cameras []object
	for i, name := range cameraUICameras {
		cameras = append(cameras, object{"name": name, "videoConfig": object{"source": fmt.Sprintf("-i rtsp://cam-%d.farm.example/", i)}})
	}
	config, err := json.Marshal(object{"port": port, "options": object{"videoProcessor": "/bin/true"}, "cameras": cameras})
	if err != nil {
		return nil, err
	}
	if err := h.write("config.json", string(config)); err != nil {
		return nil, err
	}
	server, err := h.serve(h.dir, nil, "node", h.npm(cameraUIPackage, cameraUIProgram), "-S", h.dir, "--no-sudo", "--no-global")
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d/", port)
	if err := server.up(ctx, answers(url)); err != nil {
		return nil, err
	}
	var signedIn struct {
		Token string `json:"access_token"`
	}
	err = post(ctx, url+"api/auth/login", "", object{"username": "master", "password": "master"}, &signedIn)
	for _, who := range accounts {
		if err == nil {
			may := []string{"cameras:access", "cameras:edit", "camview:access", "dashboard:access", "notifications:access", "recordings:access", "settings:access", "settings:edit", "settings:cameras:access", "settings:cameras:edit", "users:access", "users:edit"}
			err = post(ctx, url+"api/users", "Bearer "+signedIn.Token, object{"username": who.user, "password": who.password, "permissionLevel": may}, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (state, error) {
		var users struct {
			Result []struct {
				Username     string
				SessionTimer int
			}
		}
		if err := cameraUIGet(ctx, url+"api/users?pageSize=100", signedIn.Token, &users); err != nil {
			return nil, err
		}
		var held struct {
			Cameras []struct {
				Name                           string
				Prebuffering, RecordOnMovement bool
				VideoConfig                    struct {
					Source, StillImageSource, RtspTransport, Vcodec string
					Debug, Audio                                    bool
				}
			}
		}
		text, err := os.ReadFile(h.path("config.json"))
		if err == nil {
			err = json.Unmarshal(text, &held)
		}
		if err != nil {
			return nil, err
		}
		s := state{}
		for _, u := range users.Result {
			add(s, "user "+u.Username, fmt.Sprint(u.SessionTimer))
		}
		for _, c := range held.Cameras {
			add(s, "camera "+c.Name, strings.Join([]string{c.VideoConfig.Source, c.VideoConfig.StillImageSource, c.VideoConfig.RtspTransport, c.VideoConfig.Vcodec, fmt.Sprint(c.Prebuffering), fmt.Sprint(c.VideoConfig.Debug, c.VideoConfig.Audio, c.RecordOnMovement)}, "|"))
		}
		return s, nil
	}
	return &site{url: url, accounts: accounts, state: read}, nil
}

// cameraUIGet reads JSON as the one who has a token.
func cameraUIGet(ctx context.Context, url, token string, answer any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return answered(http.DefaultClient, req, answer)
}
