package autonomy_test

import (
	"strings"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

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
