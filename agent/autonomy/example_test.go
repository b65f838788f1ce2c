package autonomy_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-reprise/reprise/agent/autonomy"
)

func ExampleNewAnalyzer() {
	a, err := autonomy.NewAnalyzer(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{
		"Eleven tests pass. Should I fix the last one, too?",
		"Why did it fail? The disk was full. All tests pass now; let me know if you need anything else.",
		"The total is 59.97 USD. Shall I place the order?",
	} {
		v := a.Judge(autonomy.Answer{Text: text})
		fmt.Printf("asking %t, %.2f, about %s, would %q\n", v.Asking, v.Confidence, v.Topic, v.Likely)
	}
	// Output:
	// asking true, 0.92, about none, would "fix the last one, too"
	// asking false, 0.00, about none, would ""
	// asking true, 0.92, about payment, would "place the order"
}

func ExampleAnalyzer_Judge() {
	a, err := autonomy.NewAnalyzer(&autonomy.Detection{Patterns: map[string][]string{"ask": {"over to the bridge"}}})
	if err != nil {
		log.Fatal(err)
	}
	const text = "The course is set. Over to the bridge!"
	v := a.Judge(autonomy.Answer{Text: text, Task: "Set the course."})
	at := v.Reasons[0].Span
	fmt.Println(v.Asking, v.Reasons[0].Feature, text[at.Start:at.End])
	// Output: true request Over to the bridge!
}

func ExampleNewContextInjector() {
	task := autonomy.Task{Instructions: "Water the plants.", Criteria: []autonomy.Criterion{{Text: "no soil is dry"}}}
	in := autonomy.NewContextInjector(task, &autonomy.Prevention{KeepMessages: 2, ReminderFrequency: 3, NoSystemPrompt: true})
	for _, m := range in.Inject([]autonomy.Message{
		{Role: autonomy.User, Text: "Begin."},
		{Role: autonomy.Assistant, Text: "The fern is done."},
		{Role: autonomy.User, Text: "Fine."},
	}) {
		fmt.Printf("%s: %q\n", m.Role, m.Text)
	}
	// Output:
	// system: "The task:\nWater the plants.\n\nIt is done when:\n- no soil is dry"
	// user: "Reminder: no one answers questions here. Assume what is reasonable, and complete every step.\nThe task:\nWater the plants.\n\nIt is done when:\n- no soil is dry"
	// assistant: "The fern is done."
	// user: "Fine."
	// user: "Reminder: no one answers questions here. Assume what is reasonable, and complete every step.\nThe task:\nWater the plants.\n\nIt is done when:\n- no soil is dry"
}

func ExampleNewAutoResponder() {
	a, err := autonomy.NewAnalyzer(nil)
	if err != nil {
		log.Fatal(err)
	}
	r := autonomy.NewAutoResponder(autonomy.Task{Instructions: "Tidy the folder."}, nil)
	for _, text := range []string{"Shall I sort it by date?", "Shall I delete the rest for good?"} {
		response, err := r.Respond(context.Background(), a.Judge(autonomy.Answer{Text: text}), nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q\n", response.Action, response.Topic)
	}
	// Output:
	// continue ""
	// needs_person "destructive"
}

func ExampleGuard_Wrap() {
	answers := []string{"I found two lamps. Shall I take the white one?", "The white lamp is in the cart."}
	model := autonomy.ModelFunc(func(_ context.Context, history []autonomy.Message) (autonomy.Message, error) {
		text := answers[0]
		answers = answers[1:]
		return autonomy.Message{Role: autonomy.Assistant, Text: text}, nil
	})
	g, err := autonomy.New(autonomy.Task{Instructions: "Put a lamp into the cart."}, &autonomy.Settings{Mode: autonomy.Act}, nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := g.Wrap(model).Complete(context.Background(), []autonomy.Message{{Role: autonomy.User, Text: "Begin."}})
	fmt.Println(answer.Text, err)
	fmt.Printf("%d of %d answers asked\n", g.Stats().Asking, g.Stats().Answers)
	// Output:
	// The white lamp is in the cart. <nil>
	// 1 of 2 answers asked
}

// A program that talks to its model in its own way calls what stands before and
// what stands after.
func ExampleNew() {
	g, err := autonomy.New(autonomy.Task{Instructions: "Read the meter."}, nil, nil) // only counts
	if err != nil {
		log.Fatal(err)
	}
	history := g.Before([]autonomy.Message{{Role: autonomy.User, Text: "Begin."}})
	d, err := g.After(context.Background(), history, autonomy.Message{Text: "Which password should I use?"})
	fmt.Println(d.Response.Action, d.Would.Action, err)
	// Output: pass needs_person <nil>
}

func ExampleParseSettings() {
	s, err := autonomy.ParseSettings([]byte(`
human_in_loop:
  mode: act
  detection: {threshold: 0.9, patterns: {ask: [over and out]}}
  prevention: {reminder_frequency: 10}
  recovery: {max_attempts: 2}
`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Mode, s.Detection.Threshold, s.Recovery.MaxAttempts)
	_, err = autonomy.ParseSettings([]byte("human_in_loop: {recovery: {attempts: 2}}"))
	fmt.Println(err)
	// Output:
	// act 0.9 2
	// human_in_loop.recovery.attempts: unknown key, line 1
}

func ExampleReadTranscript() {
	messages, err := autonomy.ReadTranscript([]byte(`{"role": "user", "content": "Go on."}
{"role": "assistant", "content": "I look.", "tool_calls": [{"function": {"name": "snapshot"}}]}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(messages), messages[1].ToolCalls)
	// Output: 2 [snapshot]
}
