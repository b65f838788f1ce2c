package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-reprise/reprise/store"
)

// A run asks, somebody elsewhere says yes, and the run counts on that once.
func ExampleApprovals() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	asked, err := s.Approvals().Ask(ctx, store.Question{
		Run: store.NewRunID(), Step: 4, Tool: "click", Says: "Pay €42.00", Origin: "https://shop.example", URL: "https://shop.example/pay",
	}, 10*time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce, err := s.Approvals().Offer(ctx, asked.ID, "ada@example.com") // and it is sent to her
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Approvals().Answer(ctx, asked.ID, nonce, true); err != nil {
		fmt.Println(err)
		return
	}
	answer, err := s.Approvals().Wait(ctx, asked.ID)
	fmt.Println(answer.State, answer.By, err)
	_, err = s.Approvals().Spend(ctx, asked.ID, asked.Run)
	fmt.Println(err) // and now it is paid
	_, err = s.Approvals().Spend(ctx, asked.ID, asked.Run)
	fmt.Println(errors.Is(err, store.ErrNotApproved))
	// Output:
	// approved ada@example.com <nil>
	// <nil>
	// true
}

func ExampleHandoffs() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	h, err := s.Handoffs().Start(ctx, store.Handoff{Step: 2, Reason: "manual_recovery", Before: []byte(`{"cookies": 3}`)}, 30*time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Handoffs().Note(ctx, h.ID, store.HandoffEvent{ID: "1", Kind: "viewed"}); err != nil {
		fmt.Println(err)
		return
	}
	h, err = s.Handoffs().End(ctx, h.ID, store.HandoffFinished, []byte(`{"cookies": 4}`))
	fmt.Println(h.State, string(h.Before), string(h.After), err)
	_, err = s.Handoffs().End(ctx, h.ID, store.HandoffCancelled, nil)
	var stage *store.HandoffStateError
	fmt.Println(errors.As(err, &stage))
	// Output:
	// FINISHED {"cookies":3} {"cookies":4} <nil>
	// true
}
