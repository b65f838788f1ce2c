package providertest

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// SpeakSteel is https://docs.steel.dev/api-reference as far as it is used.
func SpeakSteel(c *Cloud) http.Handler {
	mux := http.NewServeMux()
	show := func(s *CloudSession) map[string]any {
		status := "live"
		if s.Ended {
			status = "released"
		}
		return map[string]any{
			"id": s.ID, "createdAt": s.Created, "status": status, "duration": 0, "eventCount": 0, "creditsUsed": 0, "proxyBytesUsed": 0, "proxySource": nil,
			"timeout": s.Expires.Sub(s.Created).Milliseconds(), "region": s.Region, "dimensions": map[string]any{"width": 1280, "height": 800},
			"websocketUrl": c.Socket(url.Values{"sessionId": {s.ID}}), "debugUrl": c.Viewer(s.ID), "sessionViewerUrl": c.Viewer(s.ID) + "&app",
		}
	}
	mux.HandleFunc("POST /v1/sessions", func(w http.ResponseWriter, r *http.Request) {
		asked := Body(r)
		id, _ := asked["sessionId"].(string)
		if c.Find(id) != nil {
			Reply(w, http.StatusConflict, map[string]any{"message": "Session already exists"})
			return
		}
		region, _ := asked["region"].(string)
		lasts, _ := asked["timeout"].(float64)
		s := c.Open(id, id, cmp.Or(region, "lax"), time.Duration(cmp.Or(lasts, 300000))*time.Millisecond, asked)
		Reply(w, http.StatusCreated, show(s))
	})
	mux.HandleFunc("GET /v1/sessions", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		found := []any{}
		for _, s := range c.Sessions() {
			if shown := show(s); c.IgnoreQueries || q.Get("status") == "" || shown["status"] == q.Get("status") {
				found = append(found, shown)
			}
		}
		const most = 2 // in an answer, so that there are several
		from, _ := strconv.Atoi(q.Get("cursorId"))
		from = min(from, len(found))
		until := min(from+most, len(found))
		var next any
		if until < len(found) {
			next = strconv.Itoa(until)
		}
		Reply(w, http.StatusOK, map[string]any{"sessions": found[from:until], "nextCursor": next, "totalCount": len(found)})
	})
	with := func(do func(http.ResponseWriter, *http.Request, *CloudSession)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			s := c.Find(r.PathValue("id"))
			if s == nil {
				Reply(w, http.StatusNotFound, map[string]any{"message": "Session not found"})
				return
			}
			do(w, r, s)
		}
	}
	mux.HandleFunc("GET /v1/sessions/{id}", with(func(w http.ResponseWriter, _ *http.Request, s *CloudSession) {
		Reply(w, http.StatusOK, show(s))
	}))
	mux.HandleFunc("POST /v1/sessions/{id}/release", with(func(w http.ResponseWriter, _ *http.Request, s *CloudSession) {
		if !c.End(s.ID) {
			Reply(w, http.StatusBadRequest, map[string]any{"message": "Session is not live"})
			return
		}
		Reply(w, http.StatusOK, map[string]any{"success": true, "message": "Session released successfully"})
	}))
	return asking(c, "steel-api-key", mux)
}
