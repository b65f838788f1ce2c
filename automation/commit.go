package automation

import (
	"regexp"
	"strings"
)

const (
	longestCommand = 60 // characters; of what is longer only the beginning counts,
	commandBegins  = 20 // which is this long
)

// SaysCommit reports whether a control, by its words, pays, orders, sends, deletes, or
// binds somebody in another way: in some twenty languages, by the verbs that such
// controls begin with or consist of.
func SaysCommit(label string) bool {
	for line := range strings.Lines(strings.ToLower(label)) { // a control's name, and what it shows
		if line = beginning(strings.TrimSpace(line)); commitWords.MatchString(line) && !harmless.MatchString(line) {
			return true
		}
	}
	return false
}

// beginning is what a command says that says more than one does: a longer text begins
// with its verb, or is about paying, and does not pay.
func beginning(text string) string {
	if runes := []rune(text); len(runes) > longestCommand {
		return string(runes[:commandBegins])
	}
	return text
}

// commitWords are what such controls say in the languages of most of the web. Whole
// words only: an order is not the border. Scripts without spaces have no such thing.
// English commands begin with their verb, which elsewhere is as often a noun.
var commitWords = regexp.MustCompile(`^(?:yes,? |please )?(?:pay|buy|purchase|send|transfer|donate|book|reserve|subscribe|publish|post|delete|erase|withdraw|approve|authori[sz]e)(?:$|[^\p{L}])|` +
	`(?:^|[^\p{L}])(?:` + strings.Join([]string{
	// English
	"(?:pay|buy|order|book|delete|send) now", "place (?:your |my |the )?order", "(?:complete|confirm|submit) (?:your |my |the |and )?(?:order|purchase|booking|payment|transfer|pay)", "(?:and|&) pay",
	"permanently delete", "(?:delete|remove) permanently", "cancel (?:my |your )?(?:subscription|order|booking|membership|account)", "close (?:my |your )?account", "sign (?:contract|document)",
	// German
	"bezahlen", "zahlen", "jetzt kaufen", "kaufen", "zahlungspflichtig bestellen", "bestellen", "kostenpflichtig bestellen", "absenden", "senden", "abschicken", "überweisen", "buchen", "spenden", "löschen", "kündigen", "freigeben", "veröffentlichen",
	// French
	"payer", "acheter", "commander", "passer (?:la )?commande", "confirmer (?:la commande|le paiement)", "envoyer", "virer", "effectuer le virement", "réserver", "supprimer", "résilier", "publier", "valider (?:la commande|le paiement)",
	// Spanish, Portuguese
	"pagar", "comprar", "realizar (?:pedido|pago)", "confirmar (?:pedido|pago|compra|pagamento)", "enviar", "transferir", "reservar", "eliminar", "borrar", "publicar", "finalizar (?:compra|pedido)", "excluir", "apagar",
	// Italian
	"paga", "pagare", "acquista", "acquistare", "ordina", "conferma (?:ordine|pagamento)", "invia", "prenota", "elimina", "cancella definitivamente", "pubblica",
	// Dutch
	"betalen", "betaal", "kopen", "bestelling plaatsen", "versturen", "verzenden", "overmaken", "reserveren", "boeken", "verwijderen",
	// Polish, Czech
	"zapłać", "zapłać teraz", "kupuję", "zamawiam(?: i płacę)?", "wyślij", "usuń", "zarezerwuj", "zaplatit", "koupit", "objednat", "odeslat", "smazat",
	// Swedish, Danish, Norwegian
	"betala", "köp", "beställ", "skicka", "ta bort", "radera", "betal", "køb", "bestil", "kjøp", "slett", "slet",
	// Turkish
	"öde", "satın al", "sipariş ver", "gönder", "sil",
	// Russian, Ukrainian
	"оплатить", "купить", "заказать", "оформить заказ", "отправить", "перевести", "удалить", "сплатити", "купити", "замовити", "надіслати", "видалити",
}, "|") + `)(?:$|[^\p{L}])|支付|付款|立即购买|購買|提交订单|提交訂單|下单|发送|發送|删除|刪除|转账|轉賬|支払う|購入|注文(?:を)?確定|送信|削除|振込|予約する|결제|구매|주문하기|보내기|삭제|이체`)

// harmless are commands that hold such a word and only lead to where it is done, or
// speak of messages to oneself.
var harmless = regexp.MustCompile(`\b(?:how to|learn|history|details|settings|options|status|track|view|show|my orders|pay later|send feedback|send (?:me )?(?:a |an |the |my )?(?:new )?(?:[a-z-]+ )?(?:code|link|otp|pin)|order by|sort|book value|post ?code|about)\b`)
