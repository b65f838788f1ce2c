package automation

import "testing"

func TestWhatPaysOrdersSendsOrDeletesCommits(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"Pay", "Pay $42.00", "Pay now", "Place order", "Place your order", "Buy now", "Confirm payment", "Review and pay", "Send", "Send message", "Delete", "Delete 3 files",
		"Yes, delete it", "Cancel subscription", "Book this room", "Transfer", "Publish",
		"Jetzt bezahlen", "Zahlungspflichtig bestellen", "Löschen", "Nachricht senden", "Überweisen", "Payer", "Valider le paiement", "Supprimer", "Pagar", "Comprar ahora", "Eliminar",
		"Acquista", "Invia", "Betalen", "Verwijderen", "Zapłać", "Usuń", "Betala", "Satın al", "Оплатить", "Удалить", "支付", "提交订单", "注文を確定する", "削除", "결제하기", "삭제",
	} {
		if !SaysCommit(label) {
			t.Errorf("%q does not commit", label)
		}
	}
}

func TestWhatOnlySoundsLikeItDoesNot(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"", "Next", "Sign in", "Log in", "Search", "Save", "Continue", "Add to cart", "Checkout", "My orders", "Border", "Payments", "Payment history", "Payroll", "Buyer's guide", "Read the post",
		"Postcode", "Sender", "Booking details", "Bookmarks", "Guest book", "How to pay", "Show deleted", "Undelete", "Weiter", "Anmelden", "Bestellungen", "Bezahlmethoden", "Suivant", "Paiements", "Siguiente",
		"Send code", "Send me a new code", "Send verification code", "Send login link", "Далее", "下一步", "次へ",
		"By choosing to go on you agree that we may pay, send, transfer or delete anything that we like to",
	} {
		if SaysCommit(label) {
			t.Errorf("%q commits", label)
		}
	}
}
