package autonomy_test

import (
	"strings"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// An agent that has worked for an hour reports for pages before it asks.
func TestALongReportIsJudgedByWhatAsksAtItsEnd(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for language, asks := range map[string]string{
		"en": "Which of the two accounts should I book it to? I'll finish as soon as I know.",
		"de": "Auf welches der beiden Konten soll ich es buchen? Sobald ich das weiß, mache ich weiter.",
		"fr": "Sur lequel des deux comptes dois-je l'imputer ? Je termine dès que je le sais.",
		"es": "¿En cuál de las dos cuentas lo apunto? En cuanto lo sepa, termino.",
		"ru": "Подскажите, на какой из двух счетов это записать? Как только узнаю, закончу.",
		"zh": "请问应该记到哪个账户？您确认后我再继续。",
	} {
		report := reportsIn(t, language, 6<<10)
		for size := 500; size < len(report); size *= 2 {
			text := strings.ToValidUTF8(report[:size], "")
			text = text[:strings.LastIndex(text, "\n\n")+1]
			if v := a.Judge(autonomy.Answer{Text: text}); v.Asking {
				t.Errorf("%s: a report of %d bytes is said to ask, %.2f: %+v", language, len(text), v.Confidence, v.Reasons)
			}
			if v := a.Judge(autonomy.Answer{Text: text + "\n" + asks}); !v.Asking {
				t.Errorf("%s: behind %d bytes it is not seen to ask, %.2f: %+v", language, len(text), v.Confidence, v.Reasons)
			}
		}
	}
}
