package autonomy_test

import (
	"strings"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// The same question stands in each text, and in all but the first it is not the
// model's own.
func TestOnlyWhatTheModelSaysItselfCounts(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for name, text := range map[string]string{
		"fence":            "Done.\n\n```sh\nread -p x\nShall I go on?\n```\n",
		"long fence":       "Done.\n\n````\n```\nShall I go on?\n```\n````\n",
		"tildes":           "Done.\n\n~~~\nShall I go on?\n~~~\n",
		"fence left open":  "Done.\n\n```\nShall I go on?\n",
		"indented code":    "The output:\n\n    Shall I go on?\n\nDone.",
		"code in a line":   "The prompt is `Shall I go on?` now.",
		"block quote":      "> Shall I go on?\n\nThat is settled.",
		"table":            "| label |\n|---|\n| Shall I go on? |\n\nSaved.",
		"double quotes":    `The label is "Shall I go on?" now.`,
		"single quotes":    "The label is 'Shall I go on?' now.",
		"curly quotes":     "The label is “Shall I go on?” now.",
		"German quotes":    "Da steht „Shall I go on?“ jetzt.",
		"guillemets":       "Il y a « Shall I go on? » maintenant.",
		"corner brackets":  "画面は「Shall I go on?」です。",
		"thinking":         "<thinking>Shall I go on?</thinking>It is done.",
		"letter":           "The mail:\n\nDear Ms Hill,\n\nShall I go on?\n\nKind regards,\nTom\n\nIt is sent.",
		"heading":          "## Shall I go on?\n\nThe manual says yes, and so I did.",
		"bold":             "**Shall I go on?**\n\nThe manual says that one may.",
		"question, answer": "Q: Shall I go on?\nA: On Mondays.\n\nThe page is saved.",
		"quote over lines": "The note reads:\n\n\"It is late.\n\nShall I go on?\"\n\nIt is saved.",
		"own answer":       "Shall I go on? Yes, the manual says so.",
		"page in JSON":     `{"step": "checkout", "page_message": "Sorry! Shall I go on?", "basket": "emptied", "finished": true}`,
		"another language": "Al final hay un botón que abre la tienda.",
	} {
		if v := a.Judge(autonomy.Answer{Text: text}); v.Asking {
			t.Errorf("%s: confidence %.2f, %v", name, v.Confidence, v.Reasons)
		}
	}
	for name, text := range map[string]string{
		"alone":                      "Shall I go on?",
		"an apostrophe":              "It's the boys' choice, isn't it: shall I go on?",
		"two apostrophes":            "I don't know which of the boys' lists counts.",
		"a fence is closed":          "```\nx\n```\nShall I go on?",
		"inches":                     "The screen is 14\" wide. Shall I go on?",
		"a quote left open":          "He said \"no, and left. Shall I go on?",
		"bold at the end":            "It is done.\n\n**Shall I go on?**",
		"after a tag":                "<b>Done.</b> Shall I go on?",
		"an address before":          "See https://example.org/a?b=c and tell me: shall I go on?",
		"wrapped":                    "I have read it all. Shall\ni go on?",
		"in a list":                  "- It is read.\n- Shall I go on?",
		"emphasis":                   "Shall **I** go _on_?",
		"curly apostrophe":           "I’d like to know what you think.",
		"lower case":                 "two are left. shall i go on",
		"a quote of lines left open": "\"It is late.\n\nShall I go on?",
		"an object":                  `{"done": 3, "action": "ask_user", "message": "Shall I go on?"}`,
		"a letter left open":         "Dear Ms Hill,\n\nshall I go on?",
	} {
		if v := a.Judge(autonomy.Answer{Text: text}); !v.Asking {
			t.Errorf("%s: confidence %.2f, %v", name, v.Confidence, v.Reasons)
		}
	}
}

func TestAToolThatIsCalledGoesOn(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, c := range []struct {
		text  string
		tools []string
		want  bool
	}{
		{"Which tests fail? Which one do you want?", nil, true},
		{"Which tests fail? Which one do you want?", []string{"run_tests"}, false},
		{"I'll wait for your answer. Which one do you want?", []string{"screenshot"}, true},
		{"I'll wait for your answer. Which one do you want?", []string{"screenshot", "request_human"}, false},
	} {
		v := a.Judge(autonomy.Answer{Text: c.text, ToolCalls: c.tools})
		if v.Asking != c.want {
			t.Errorf("%q with %v: asking %t, %v", c.text, c.tools, v.Asking, v.Reasons)
		}
	}
}

func TestAQuestionIsKnownByTheMarkOfItsLanguage(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for text, want := range map[string]bool{
		"Η αίτηση είναι έτοιμη. Να την υποβάλω;":               true,
		"Η αίτηση είναι έτοιμη. Να στείλω το PDF;":             true,
		"Η αίτηση είναι έτοιμη. Να την υποβάλω σήμερα στις 5;": true,
		"Η αίτηση υποβλήθηκε; ο αριθμός της είναι 4711.":       false,
		"The form, the receipt etc.; all of them were saved.":  false,
		"استمارة الطلب جاهزة. هل أرسلها؟":                      true,
		`{"status": "ready", "message": "Shall I send it?"}`:   true,
		`{"landing_page_question": "Shall I publish it now?"}`: true,
	} {
		if v := a.Judge(autonomy.Answer{Text: text}); v.Asking != want {
			t.Errorf("%s: asking %t, %.2f %v", text, v.Asking, v.Confidence, v.Reasons)
		}
	}
}

func TestARequestIsSeenBehindAReportInAnotherLanguage(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, report := range []string{"The page of the shop was opened, and the form is filled in with the data that was given. ", ""} {
		for _, request := range []string{
			"Ich warte auf deine Freigabe.", "Sag mir bitte Bescheid, ob ich die Bestellung abschicken soll.", "Czekam na Twoją decyzję.", "Я жду вашего подтверждения.",
		} {
			if v := a.Judge(autonomy.Answer{Text: strings.Repeat(report, 4) + request}); !v.Asking {
				t.Errorf("%s%s: %.2f %v", report, request, v.Confidence, v.Reasons)
			}
		}
	}
}

func TestATaskToWriteWhatAsksIsNoQuestion(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	const text = "Could you tell us your opening hours?"
	for task, want := range map[string]bool{
		"":                                    true,
		"Book a table":                        true,
		"Write a message to the museum.":      false,
		"Schreibe dem Museum eine Nachricht.": false,
		"Напиши письмо в музей.": false,
	} {
		if v := a.Judge(autonomy.Answer{Text: text, Task: task}); v.Asking != want {
			t.Errorf("%q: asking %t, %v", task, v.Asking, v.Reasons)
		}
	}
	letter := autonomy.Answer{Text: "Hi Sam, the tap leaks. When could you come?", Task: "Write a message to the plumber."}
	if v := a.Judge(letter); v.Asking {
		t.Errorf("a letter is what was to be written: %v", v.Reasons)
	}
	offer := autonomy.Answer{Text: "The message is ready. Shall I send it?", Task: "Write a message to the museum."}
	if v := a.Judge(offer); !v.Asking {
		t.Errorf("an offer next to what was written asks nevertheless: %v", v.Reasons)
	}
}

func TestAReasonNamesTheSentenceThatAsks(t *testing.T) {
	t.Parallel()
	const text = "Ärger mit dem Index: \"Weiter?\" stand da.\n\nSoll ich ihn neu bauen? 🙂"
	v := analyzer(t).Judge(autonomy.Answer{Text: text})
	if !v.Asking || len(v.Reasons) == 0 {
		t.Fatalf("%+v", v)
	}
	if at := v.Reasons[0].Span; text[at.Start:at.End] != "Soll ich ihn neu bauen?" {
		t.Errorf("%q", text[at.Start:at.End])
	}
}

func TestOwnPatternsAreLookedForToo(t *testing.T) {
	t.Parallel()
	own := &autonomy.Detection{Patterns: map[string][]string{"ask": {"over and out", "*ovr"}, "polite": {"ciao"}}}
	a, err := autonomy.NewAnalyzer(own)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"Over and  out.": true, "Over and outside.": false, "It's xOVR now.": true, "Which one, ciao?": false} {
		if v := a.Judge(autonomy.Answer{Text: text}); v.Asking != want {
			t.Errorf("%q: %+v", text, v)
		}
		if v := analyzer(t).Judge(autonomy.Answer{Text: text}); v.Asking != (text == "Which one, ciao?") {
			t.Errorf("%q without: %+v", text, v)
		}
	}
}

func TestTheThresholdDecides(t *testing.T) {
	t.Parallel()
	for threshold, want := range map[float64]bool{0.8: true, 0.99: false, 0: true} {
		a, err := autonomy.NewAnalyzer(&autonomy.Detection{Threshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		if v := a.Judge(autonomy.Answer{Text: "Which one do you want?"}); v.Asking != want {
			t.Errorf("%v: %+v", threshold, v)
		}
	}
}

// Each text stands on one feature alone.
func TestEachFeatureWeighsByItself(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for text, want := range map[string]struct {
		asking  bool
		feature autonomy.Feature
	}{
		"Which one do you want?":                                      {true, autonomy.Question},
		"Blue like the sky? Then I publish it.":                       {true, autonomy.Consequence},
		"Is the index to blame?\n\nThe index was made again.":         {false, autonomy.OpenQuestion},
		"Is the index to blame? It was made again.":                   {false, autonomy.Rhetorical},
		"Should I sort it by date? Let me look at the manual.":        {false, autonomy.Rhetorical},
		"# What do you see?\n\nA tree.":                               {false, autonomy.Heading},
		"For this I need two photographs.":                            {true, autonomy.Request},
		"The form is complete. I can print it if you want me to.":     {false, autonomy.Closing},
		"The site wants a code from the phone. I don't have that.":    {true, autonomy.Request},
		"The bank is not stated. As soon as I have it the form goes.": {true, autonomy.Waiting},
		"I send it once the date is settled.":                         {true, autonomy.Waiting},
		"A person would have the last word on that colour.":           {true, autonomy.Request},
		"I can't accept that on his behalf.":                          {true, autonomy.Request},
		"Die Überweisung hängt von deiner Antwort ab.":                {true, autonomy.Request},
		"Which port is it? I've put in the one from the manual.":      {false, autonomy.Rhetorical},
		"**Which one do you want?**\n\n- red\n- blue":                 {true, autonomy.Question},
		"A window read: Which plan suits you? It was closed.":         {false, autonomy.Rhetorical},
		"Is it the second door? I can't tell from here.":              {true, autonomy.Question},
		"Bitte beachte, dass es am Montag beginnt.":                   {false, ""},
		"If something looks odd, please tell me which page it was.":   {false, autonomy.Closing},
		"I'm standing by.":                                              {true, autonomy.Waiting},
		"I could print it if you want.":                                 {true, autonomy.Offer},
		"There are two options:\n\n- wait a day\n- ring at once":        {false, autonomy.Menu},
		"Do you need anything else?":                                    {false, autonomy.Closing},
		"The list is at https://example.org/awaiting/approval":          {false, ""},
		"<a>Enjoy</a><b>Which one do you want?</b>":                     {true, autonomy.Question},
		"The page says to please enter a name. I entered one.":          {false, ""},
		"There are no options left.\n\n- one is gone\n\nThe rest went.": {false, ""},
	} {
		v := a.Judge(autonomy.Answer{Text: text})
		var first autonomy.Feature
		if len(v.Reasons) > 0 {
			first = v.Reasons[0].Feature
		}
		if v.Asking != want.asking || first != want.feature {
			t.Errorf("%q: asking %t by %q, not %t by %q", text, v.Asking, first, want.asking, want.feature)
		}
	}
}

func TestTwoReasonsAreSurerThanOneAndManyWeakOnesAreNone(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	one := a.Judge(autonomy.Answer{Text: "Is it the first door? I can't tell."}).Confidence
	if two := a.Judge(autonomy.Answer{Text: "Is it the first door? I can't tell. Which one do you want?"}).Confidence; two <= one || two > 1 {
		t.Errorf("%v with two reasons, %v with one", two, one)
	}
	weak := strings.Repeat("Is the index to blame? It was made again.\n\n", 50)
	if v := a.Judge(autonomy.Answer{Text: weak}); v.Asking || len(v.Reasons) != 8 {
		t.Errorf("%.2f, %d reasons", v.Confidence, len(v.Reasons))
	}
}

func TestASentenceGoesOnInTheNextLine(t *testing.T) {
	t.Parallel()
	const text = "It is read. Would you like\nme to go on?"
	v := analyzer(t).Judge(autonomy.Answer{Text: text})
	if at := v.Reasons[0].Span; text[at.Start:at.End] != "Would you like\nme to go on?" {
		t.Errorf("%q", text[at.Start:at.End])
	}
}

func TestAnOptionThatIsFarAwayHasItsTopic(t *testing.T) {
	t.Parallel()
	text := "1. Drop the table\n2. Wait\n\n" + strings.Repeat("The rows are many, and each has its own history. ", 20) + "\n\nWhich one is best?"
	if v := analyzer(t).Judge(autonomy.Answer{Text: text}); v.Topic != autonomy.Destructive {
		t.Errorf("%s, would %q", v.Topic, v.Likely)
	}
}

func TestTheOfferOrTheFirstOptionIsWhatItWouldDo(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for text, want := range map[string]string{
		"The plan is ready. Shall I copy the rows now?":       "copy the rows now",
		"Two ways:\n\n1. Wait\n2. Try again\n\nWhich one?":    "Wait",
		"I need to know:\n\n1. Your birthday\n2. Your street": "",
		"Who is the treasurer?":                               "",
		"Soll ich die Datei löschen?":                         "die datei löschen",
	} {
		if got := a.Judge(autonomy.Answer{Text: text}).Likely; got != want {
			t.Errorf("%q, not %q: %s", got, want, text)
		}
	}
}
