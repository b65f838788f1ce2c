package demosite

import (
	"testing"
	"time"
)

func TestAttemptsThatAreTooOldAreForgotten(t *testing.T) {
	t.Parallel()
	f, now := newFlows(), time.Now()
	typed, passed := f.begin("", now), f.begin("", now)
	ticket := f.pass(passed)
	f.begin("", now.Add(flowLife))
	_, kept := f.find(typed.token, typed.visitor)
	if _, ticketKept := f.ticketed(ticket, passed.visitor); !kept || !ticketKept {
		t.Error("forgotten too early")
	}
	f.begin("", now.Add(flowLife+time.Second))
	_, kept = f.find(typed.token, typed.visitor)
	if _, ticketKept := f.ticketed(ticket, passed.visitor); kept || ticketKept {
		t.Error("not forgotten")
	}
}
