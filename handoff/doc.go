// Package handoff hands a page of a browser over to a person, who drives it in a live view from a phone
// or another computer, and takes it back.
//
//	desk, err := handoff.New(&handoff.Options{Store: st, PublicURL: "https://reprise.example"})
//	http.Handle(handoff.Path, desk)
//	result, err := desk.Request(ctx, handoff.Request{
//		Page: page, Reason: automation.ReasonLogin, Instruction: "Sign in as ada.",
//		Until: "https://shop.example/account*",
//	})
//
// A Desk has the handoffs of a process. Each is a record of the store (store.Handoffs), which says what it
// was for, how it ended and what was measured before and after; nothing that the person types is in it.
// Desk.Person is the replayer.Person that runs ask.
package handoff
