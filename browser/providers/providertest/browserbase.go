package providertest

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// SpeakBrowserbase is https://docs.browserbase.com/reference/api as far as it is used.
func SpeakBrowserbase(c *Cloud) http.Handler {
	mux := http.NewServeMux()
	show := func(s *CloudSession) map[string]any {
		status := "RUNNING"
		if s.Ended {
			status = "COMPLETED"
		}
		return map[string]any{
			"id": s.ID, "createdAt": s.Created, "updatedAt": s.Created, "startedAt": s.Created, "expiresAt": s.Expires, "projectId": "project-1",
			"status": status, "region": s.Region, "keepAlive": true, "proxyBytes": 0, "avgCpuUsage": 1, "memoryUsage": 2,
			"userMetadata": map[string]any{"reprise": s.Tag},
		}
	}
	connected := func(s *CloudSession) map[string]any {
		shown := show(s)
		shown["connectUrl"] = c.Socket(url.Values{"apiKey": {c.Key}, "sessionId": {s.ID}})
		shown["signingKey"] = c.Key
		return shown
	}
	mux.HandleFunc("POST /v1/sessions", func(w http.ResponseWriter, r *http.Request) {
		asked := Body(r)
		metadata, _ := asked["userMetadata"].(map[string]any)
		tag, _ := metadata["reprise"].(string)
		region, _ := asked["region"].(string)
		lasts, _ := asked["timeout"].(float64)
		s := c.Open("bb-"+tag, tag, cmp.Or(region, "us-west-2"), time.Duration(cmp.Or(lasts, 3600))*time.Second, asked)
		Reply(w, http.StatusCreated, connected(s))
	})
	mux.HandleFunc("GET /v1/sessions", func(w http.ResponseWriter, r *http.Request) {
		found := []any{}
		tag, tagged := strings.CutPrefix(r.URL.Query().Get("q"), "user_metadata['reprise']:'")
		for _, s := range c.Sessions() {
			if c.IgnoreQueries || tagged && s.Tag+"'" == tag || !tagged && (r.URL.Query().Get("status") == "" || r.URL.Query().Get("status") == show(s)["status"]) {
				found = append(found, show(s))
			}
		}
		Reply(w, http.StatusOK, found)
	})
	with := func(do func(http.ResponseWriter, *http.Request, *CloudSession)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			s := c.Find(r.PathValue("id"))
			if s == nil {
				Reply(w, http.StatusNotFound, map[string]any{"statusCode": 404, "error": "Not Found", "message": "Session not found"})
				return
			}
			do(w, r, s)
		}
	}
	mux.HandleFunc("GET /v1/sessions/{id}", with(func(w http.ResponseWriter, _ *http.Request, s *CloudSession) {
		Reply(w, http.StatusOK, connected(s))
	}))
	mux.HandleFunc("POST /v1/sessions/{id}", with(func(w http.ResponseWriter, r *http.Request, s *CloudSession) {
		asked := Body(r)
		if asked["status"] != "REQUEST_RELEASE" || asked["projectId"] != "project-1" {
			Reply(w, http.StatusBadRequest, map[string]any{"message": "unknown status"})
			return
		}
		if !c.End(s.ID) {
			Reply(w, http.StatusConflict, map[string]any{"message": "Session is not running"})
			return
		}
		Reply(w, http.StatusOK, show(c.Find(s.ID)))
	}))
	mux.HandleFunc("GET /v1/sessions/{id}/debug", with(func(w http.ResponseWriter, _ *http.Request, s *CloudSession) {
		Reply(w, http.StatusOK, map[string]any{
			"debuggerFullscreenUrl": c.Viewer(s.ID), "debuggerUrl": c.Viewer(s.ID) + "&d", "wsUrl": c.Socket(nil), "pages": []any{},
		})
	}))
	return asking(c, "X-BB-API-Key", mux)
}

// asking refuses what comes without the key.
func asking(c *Cloud, header string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(header) != c.Key {
			Reply(w, http.StatusUnauthorized, map[string]any{"message": "Unauthorized"})
			return
		}
		next.ServeHTTP(w, r)
	})
}
