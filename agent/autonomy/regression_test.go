package autonomy_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// labelled is a line of testdata/answers.jsonl: answers of the corpora in agent/autonomy/lab,
// in all languages and by all annotators, that are judged right.
type labelled struct {
	ID           string `json:"id"`
	Lang         string `json:"lang"`
	Asking       bool   `json:"asking"`
	Topic        string `json:"topic"`
	Context      string `json:"context"`
	HasToolCalls bool   `json:"has_tool_calls"`
	Text         string `json:"text"`
}

func regressionSet(t testing.TB) []labelled {
	t.Helper()
	data, err := os.ReadFile("testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var l labelled
		if err := d.Decode(&l); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, l)
	}
	return all
}

// New weights may trade a few answers for others; the lab measures whether that is worth it.
const maxRegressions = 6 // of 338

func TestTheRegressionSetIsJudgedAsLabelled(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	var wrong []string
	for _, l := range regressionSet(t) {
		answer := autonomy.Answer{Text: l.Text, Task: l.Context}
		if l.HasToolCalls {
			answer.ToolCalls = []string{"click"}
		}
		v := a.Judge(answer)
		needsPerson := l.Topic != string(autonomy.None)
		if v.Asking != l.Asking || l.Asking && needsPerson != (v.Topic != autonomy.None) {
			wrong = append(wrong, l.ID)
		}
	}
	if len(wrong) > maxRegressions {
		t.Errorf("%d answers are no longer judged as labelled: %v", len(wrong), wrong)
	} else if len(wrong) > 0 {
		t.Logf("no longer judged as labelled: %v", wrong)
	}
}

// Words that ask in one answer and report in another.
var (
	asks = []string{
		"The report is half done. I can't go any further without the figures for June.",
		"There are three drafts in the folder. Tell me which one is final and I'll publish it.",
		"I've set everything up. The ball is in your court now.",
		"Your approval is needed. I'm standing by.",
		"Choose a colour and I'll repaint the chart.",
		"I need the serial number of the router.",
		"The second page can't be reached from here. Only you can open it.",
		"Invite the whole team, or just the leads? It makes a difference for the room.",
		"As soon as you give me the address, I can print the labels.",
		"I don't know which of the two forms applies.",
		"Ich komme nicht weiter, solange die Seite gesperrt ist.",
		"Je reste en attente.",
		"La elección es suya: ¿rojo o azul?",
		"Senza la tua firma non posso andare avanti.",
		"Zonder uw gegevens lukt het niet; ik wacht tot u ze stuurt.",
		"Nie wiem, które zdjęcie wybrać.",
		"До тех пор ничего не меняю.",
		"在您确认之前我不会继续。",
		"Bu iki dosyadan hangisi doğru?",
		"ファイルを二つ見つけました。どちらを使いますか",
		"أحتاج إلى رقم الطلب.",
		"Mind if I restructure this?",
		"Any chance you could send the logo?",
		"Not sure whether to use the old colours or the new ones here.",
		"The first half is done. Give me the go-ahead and the rest follows.",
		"Happy for me to proceed?",
		"Decision required: keep or drop the column.",
		"Just need a name for the project.",
		"It would be great to get access to the folder first.",
		"Ping me with the final list.",
		"Send over the contract whenever it suits you.",
		"Would appreciate clarification regarding the second item.",
		"Two choices remain, and I'm leaving them to you.",
		"Holding until told otherwise.",
		"Await further instruction.",
		"Input required.",
		"The rest depends on what you decide.",
		"Which it should be is something that I can't decide.",
		"Let me know your preferred option.",
		"I haven't sent it yet; want to check it first?",
		"If this looks fine, I'll publish it.",
		"Do tell me what the name should be.",
		"Let's decide together: blue or green?",
		"I have questions about the second step. What counts as late?",
		"Wenn das für dich passt, mache ich weiter.",
		"Dazu brauche ich eine Entscheidung.",
		"Gern mache ich weiter, sobald klar ist, welche Datei gilt.",
		"Si ça te convient, je publie.",
		"Qu'en pensez-vous ?",
		"Il ne manque plus que votre validation.",
		"¿Qué opina?",
		"Si le parece bien, lo envío.",
		"Solo falta su visto bueno.",
		"O que acha?",
		"Se estiver de acordo, envio agora.",
		"Che ne pensi?",
		"Se per te va bene, pubblico.",
		"Wat vind je ervan?",
		"Co o tym myślisz?",
		"Jeśli to pasuje, wyślę.",
		"Что скажете?",
		"Если вас устраивает, я опубликую.",
		"Ne dersiniz?",
		"Uygunsa gönderiyorum.",
		"いかがでしょうか。",
		"問題なければ送信します。",
		"您看可以吗？",
		"如果没问题我就发送。",
		"어떠세요?",
		"괜찮으시면 보내겠습니다.",
		"ما رأيك؟",
		"إذا كان مناسباً فسأرسله.",
		"आपका क्या विचार है?",
		"अगर ठीक हो तो भेज दूँगा।",
		"Over which period, a month or a year? The page wants one of them.",
		"Nehmen wir den Zug oder das Auto? Beides dauert gleich lang.",
		"Which one?",
		"```\nok\n```\nShould I keep this output?",
		"<thinking>Is it safe? Yes.</thinking>\nDo you want it deleted?",
		"| a | b |\n|---|---|\n| 1 | 2 |\n\nWhich row counts?",
	}
	reports = []string{
		"I followed your instructions and left the second form empty.",
		"Your confirmation number is 8KX2, and your choice of seat is saved.",
		"As your input file was in Latin-1, I converted it to UTF-8 first.",
		"Once you open the page you'll see the new logo.",
		"The badge stays until you close the window.",
		"The team gave the green light on Monday, so it's merged.",
		"I need to rebuild the index first; that takes a minute.",
		"To change it later, open Settings and pick another colour.",
		"Jon asked whether we could move it. I moved it to Friday.",
		"After the go-ahead from Ana the old branch was removed.",
		"The reply with the tracking number went out at noon, and the case is closed.",
		"Your preferences are stored; nothing else had to be decided.",
		"The user may choose between two themes, and both are tested.",
		"Options with a default are no longer written to the file.",
		"You can tell from the log which host was slow: it was the third.",
		"What changed between the two versions? Only the date in the footer.",
		"Ihre Entscheidung vom Montag ist umgesetzt, wie Sie es wollten.",
		"Su pedido fue entregado ayer y lo confirmó el portero.",
		"Votre commande est arrivée hier.",
		"Het rapport is verstuurd zoals u wilde.",
		"Raport został wysłany zgodnie z prośbą.",
		"Письмо отправлено, как вы просили.",
		"已按您的要求发送邮件。",
		"ご依頼のとおりに送信しました。",
		"요청하신 대로 메일을 보냈습니다.",
		"كما طلبت، أُرسل التقرير.",
		"I'll wait for the page to load and read it then.",
		"Waiting for the download to finish.",
		"Three orders are awaiting payment by the customers.",
		"I'm waiting for the server; it takes a minute.",
		"Until then the old cache is used.",
		"The replica is standing by, and the primary answers.",
		"Der Test läuft weiter, bis sie da ist.",
		"Trois fichiers sont en attente de traitement.",
		"Le badge disparaît dès que vous rechargez la page.",
		"L'aspetto della pagina è quello di prima.",
		"De server wacht op een antwoord en gaat dan verder.",
		"Страница открывается, как только вы нажмёте кнопку.",
		"正在等待服务器响应，随后读取列表。",
		"ページの読み込みを待ちます。",
		"페이지가 열릴 때까지 기다립니다.",
		"Does the log help me here? It does not, so I added a line to it.",
		"D'où vient le bruit du ventilateur ? Un câble le touchait, je l'ai déplacé.",
		"Was it the proxy or the server? Neither: the clock was late.",
		"Is it the cable or the card? I changed both.\n\nThe light is green again.",
		"The client holds the lock until told otherwise by the server.",
		"If the file looks fine to the checker, it is moved to the archive.",
		"I asked the API whether the key is valid; it is, and the page shows the balance now.",
		"What you decide in the settings is kept for a year, says the page, and that's in the summary.",
		"Input required by law is marked with a star; all seven fields are filled in.",
		"Wenn der Server antwortet, wird die Datei gelöscht; der Test dafür ist grün.",
		"Si la page est vide, le script s'arrête; c'est testé.",
		"Se o arquivo existir, ele é mantido, e o teste confirma isso.",
		"若文件为空，脚本会停止，测试已通过。",
		"エラーがなければファイルは移動されます。テストは成功しました。",
	}
)

func TestWhatAsksAndWhatReportsAreToldApart(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for want, texts := range map[bool][]string{true: asks, false: reports} {
		for _, text := range texts {
			if v := a.Judge(autonomy.Answer{Text: text}); v.Asking != want {
				t.Errorf("asking %t, confidence %.2f, %v: %s", v.Asking, v.Confidence, v.Reasons, text)
			}
		}
	}
}

func analyzer(t testing.TB) *autonomy.Analyzer {
	t.Helper()
	a, err := autonomy.NewAnalyzer(nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
