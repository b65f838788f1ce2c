package agent

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// NotTold is the code of a message that no channel took, and TooManyRequests of what is asked for too often.
const (
	NotTold         = "not_told"
	TooManyRequests = "too_many_requests"
)

const (
	// noticeEvery is how often agents may tell people something, on average, and noticesAtOnce how often at once.
	noticeEvery   = time.Minute
	noticesAtOnce = 5
	// maxNotice bounds what a person is told at once, in characters.
	maxNotice = 1000
)

// peopleTools have an agent tell people something, where that is set up, and know what is paid without asking them.
func (s *Server) peopleTools() []*tool {
	all := []*tool{{
		name: "list_limits", title: "List standing limits", readOnly: true, do: s.listLimits,
		does: "Tells what runs may pay at a site without a person being asked, and what is left of that. Only people set limits.",
		schema: object(map[string]any{
			"site": map[string]any{"type": "string", "minLength": 1, "maxLength": 2048, "description": "Origin of the page that pays, such as https://shop.example."},
		}, "site"),
	}}
	if s.options.Notify == nil {
		return all
	}
	return append(all, &tool{
		name: "notify_person", title: "Tell the person", do: s.notifyPerson,
		does: "Sends the person a message: what was done, or what they should know. It is no question: request_human and request_approval ask.",
		schema: object(map[string]any{
			"title": map[string]any{"type": "string", "maxLength": 200},
			"text":  map[string]any{"type": "string", "minLength": 1, "maxLength": maxNotice},
		}, "text"),
	})
}

func (s *Server) listLimits(ctx context.Context, c *call) (*answer, error) {
	var args struct{ Site string }
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	all := []map[string]any{}
	for l, err := range s.options.Store.Limits().List(ctx) {
		if err != nil {
			return nil, err
		}
		if l.Err != nil || l.Site != args.Site {
			continue
		}
		all = append(all, map[string]any{"payee": l.Payee, "currency": l.Currency, "each": l.Each.Decimal(), "sum": l.Sum.Decimal(), "per": l.Per, "rest": l.Left.Rest.Decimal(), "until": l.Left.Until})
	}
	return &answer{value: map[string]any{"limits": all}}, nil
}

func (s *Server) notifyPerson(ctx context.Context, c *call) (*answer, error) {
	var args struct{ Title, Text string }
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	if !s.notices.Allow() {
		return nil, refuse(TooManyRequests, "tell them later, all at once", "people are told %d things at once and one in %s", noticesAtOnce, noticeEvery)
	}
	redact := c.session.redactor()
	channel, err := s.options.Notify(ctx, redact.Text(args.Title), redact.Text(args.Text))
	if err != nil {
		return nil, refuse(NotTold, "go on without, and say so at the end", "%v", err)
	}
	return &answer{value: map[string]any{"told": true, "channel": channel}}, nil
}

// newNotices is how often the agents of a server may tell people something.
func newNotices() *rate.Limiter { return rate.NewLimiter(rate.Every(noticeEvery), noticesAtOnce) }
