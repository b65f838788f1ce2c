package commit

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// reading is what a label says.
type reading int

const (
	saysNothing reading = iota // no word that is known
	commands                   // pay, delete, send
	final                      // confirm, submit, yes: what it is about decides
	harmless
	onward
	dismisses
)

// set is a list of words, or of stems where they end in *.
type set struct {
	whole map[string]bool
	stems []string
}

func list(words string) set {
	s := set{whole: map[string]bool{}}
	for _, word := range strings.Fields(words) {
		if stem, ok := strings.CutSuffix(word, "*"); ok {
			s.stems = append(s.stems, stem)
		} else {
			s.whole[word] = true
		}
	}
	return s
}

func (s set) has(word string) bool {
	return s.whole[word] || slices.ContainsFunc(s.stems, func(stem string) bool { return strings.HasPrefix(word, stem) })
}

func (s set) in(words []string) bool { return slices.ContainsFunc(words, s.has) }

// The verbs of commands, for the languages of most of the web. English ones are as often
// nouns, and command only where a command begins; the forms of the others that are listed
// are those of commands alone.
var (
	leads = list(`pay buy purchase send transfer donate book reserve subscribe publish post delete erase withdraw approve authorize authorise
		terminate deactivate unsubscribe revoke wipe destroy purge sell trade bid invest remit reply tweet remove sign order wire dispatch broadcast deploy
		settle give swap reject repay bet wager liquidate redeem rent hire resign unenroll`)
	commandVerbs = list(`bezahlen zahlen kaufen bestellen zahlungspflichtig kostenpflichtig absenden senden abschicken überweisen buchen spenden löschen kündigen freigeben veröffentlichen verkaufen entfernen unterschreiben unterzeichnen
		payer acheter commander envoyer virer réserver supprimer résilier publier vendre effacer désabonner signer verser
		pagar comprar enviar transferir reservar eliminar borrar publicar vender excluir apagar donar doar contratar encargar firmar assinar encomendar rescindir
		paga pagare acquista acquistare ordina invia inviare prenota prenotare elimina eliminare pubblica vendi compra dona bonifica disdici firma
		betalen betaal kopen koop versturen verzenden verstuur verzend overmaken reserveren boeken verwijderen verwijder bestellen bestel plaatsen opzeggen verkopen publiceren
		zapłać zapłac kupuję kup kupić zamawiam zamów wyślij usuń zarezerwuj opublikuj przelej sprzedaj zaplatit koupit objednat odeslat smazat prodat rezervovat kúpiť zaplatiť odoslať
		betala köp beställ skicka radera sälj boka publicera betal køb bestil kjøp slett slet selg sælg osta maksa lähetä poista tilaa
		öde satın gönder sil sipariş sat yayınla rezervasyon plătește cumpără trimite șterge comandă fizetés fizetek vásárlás megrendelem törlés küldés
		оплатить купить заказать отправить перевести удалить продать опубликовать забронировать оформить подписать заплатить сплатити купити замовити надіслати видалити продати переказати
		πληρωμή αγορά αποστολή διαγραφή παραγγελία ادفع دفع شراء إرسال ارسال حذف احذف أرسل اشتر تحويل טלם שלח מחק קנה שלם
		bayar beli kirim hapus pesan gửi xóa mua भुगतान भेजें हटाएं खरीदें`)
	// commandText are commands in scripts that put no spaces between words.
	commandText = regexp.MustCompile(`支付|付款|立即购买|购买|購買|买入|卖出|提交订单|提交訂單|下单|下單|发送|發送|寄出|删除|刪除|转账|轉帳|轉賬|发布|發佈|注销账|支払(?:う|い)|お支払|購入|注文(?:する|を確定|確定)|送信|削除|振込|振り込|予約(?:する|を確定)|退会|解約|投稿する|売却|買い?注文|결제|구매|주문하기|보내기|전송|삭제|이체|송금|매수|매도|탈퇴|해지|ชำระ|ส่ง|ลบ|ซื้อ`)
	phrases     = regexp.MustCompile(`(?:^|[^\p{L}])(?:place (?:your |my |the |an? )?(?:order|bid|bet)|(?:complete|confirm|submit|finali[sz]e) (?:your |my |the |and )?(?:order|purchase|booking|payment|transfer|pay|deletion|donation|trade|reservation)|(?:close|delete|cancel|end|terminate) (?:my |your |this |the )?(?:\w+ )?(?:subscription|order|booking|membership|account|contract|plan|reservation|policy|appointment|flight|workspace|lease)|ta bort|passer (?:la )?commande|valider (?:la commande|le paiement)|confirm(?:er|ar) (?:la |le |el |o |a )?(?:commande|paiement|pedido|pago|compra|pagamento)|finalizar (?:a )?(?:compra|pedido)|realizar (?:el )?(?:pedido|pago)|conferma (?:ordine|pagamento|acquisto)|(?:empty|factory) (?:trash|bin|reset)|in den papierkorb|permanently|make (?:it |this )?public|go live|hand over|dar(?:me|se)? de baja|skriv under|mettre en ligne|bli medlem)(?:$|[^\p{L}])`)

	finals = list(`start share run make submit confirm complete finish finalize finalise accept agree yes ok okay proceed activate renew upgrade request apply enroll enrol execute release archive discard empty merge close end leave checkout
		bestätigen ja einreichen abschließen oui confirmer valider terminer sí si confirmar aceptar sim aceitar finalizar conferma confermare accetta sì bevestigen bevestig akkoord potwierdź tak potwierdzam ano potvrdit bekräfta bekræft bekreft onayla evet tamam да подтвердить подтверждаю так підтвердити
		确认 確認 确定 確定 提交 是 はい 확인 예 네 نعم تأكيد हाँ ya konfirmasi có xác`)

	harmlessVerbs = list(`search find filter sort login signin sign-in log-in like unlike favorite favourite follow bookmark save-draft preview view show see learn how track about explore browse compare download print copy expand collapse
		zoom play pause mute refresh reload translate read history undo undelete redo more hide select deselect choose toggle rate suchen suche filtern sortieren anmelden einloggen merken anzeigen vorschau mehr gefällt
		chercher rechercher recherche filtrer trier connexion connecter voir afficher aimer aperçu buscar filtrar ordenar entrar iniciar ver acceder gusta curtir pesquisar visualizar
		cerca filtra ordina-per accedi vedi mostra zoeken zoek filteren inloggen aanmelden bekijk toon vind szukaj filtruj zaloguj pokaż lubię hledat přihlásit zobrazit
		sök filtrera logga visa gilla søg søk ara filtrele giriş beğen göster поиск найти искать войти фильтр показать нравится подробнее пошук увійти знайти cari masuk tìm بحث دخول खोजें tallenna-luonnos`)
	harmlessText = regexp.MustCompile(`搜索|搜尋|查询|登录|登入|筛选|篩選|赞|收藏|草稿|购物车|購物車|检索|検索|ログイン|絞り込|いいね|下書き|カート|검색|로그인|필터|좋아요|임시\s?저장|장바구니|查看|表示|보기|ค้นหา|เข้าสู่ระบบ`)
	// harmlessObjects make a command one that is undone as easily, or that speaks to oneself.
	harmlessObjects = list(`draft drafts cart basket bag wishlist wish-list watchlist favorites favourites compare comparison code otp pin filter filters link entwurf brouillon borrador rascunho bozza concept szkic koncept utkast kladde taslak черновик чернетку
		warenkorb einkaufswagen merkzettel panier carrito cesta carrinho carrello winkelwagen winkelmand koszyka košíku varukorgen kundvagn kurv handlekurv sepete корзину кошик
		code-again magic highlight highlights selection`)
	nouns = list(`history details detail settings options status methods overview preview guide help library archive report log office code value by marks info information policy terms card-details tracking number list later instructions requests`)

	onwards     = list(`next continue save back previous forward skip edit update weiter speichern fortfahren zurück bearbeiten suivant continuer enregistrer sauvegarder modifier siguiente continuar guardar próximo avançar salvar avanti continua salva modifica volgende doorgaan opslaan dalej zapisz kontynuuj další uložit pokračovat nästa fortsätt spara næste gem neste lagre fortsett ileri devam kaydet ekle далее сохранить продолжить далі зберегти lanjut simpan tiếp lưu التالي حفظ seuraava tallenna jatka tovább mentés επόμενο`)
	onwardText  = regexp.MustCompile(`下一步|继续|繼續|保存|儲存|次へ|続ける|続行|다음|계속|저장|ถัดไป`)
	dismissals  = list(`cancel no back keep close abort abbrechen nein zurück behalten schließen annuler non retour fermer garder conserver cancelar no volver cerrar conservar não fechar voltar annulla indietro chiudi annuleren nee terug sluiten behouden anuluj nie wróć zamknij zrušit ne zpět zavřít avbryt nej stäng annuller luk lukk nei vazgeç iptal hayır geri kapat отмена отменить нет назад закрыть скасувати ні batal tidak hủy إلغاء لا peruuta ei mégse nem ακύρωση όχι`)
	dismissText = regexp.MustCompile(`^(?:ຍົກເລີກ|បោះបង់|ပယ်ဖျက်|ไม่|取消|返回|关闭|關閉|否|キャンセル|いいえ|戻る|閉じる|취소|아니요|닫기|ยกเลิก)$`)

	question_ = regexp.MustCompile(`[?？؟]$`)
	polite    = list(`yes please ja oui sí si sim sì tak да evet ok okay now jetzt bitte maintenant ahora agora ora nu teraz сейчас i my the und and`)
	conjoin   = list(`and then & und et y e en i och og ve и та`)
	cookies   = list(`cookies cookie`)
	warnings  = regexp.MustCompile(`(?i)(?:can(?:'|’)?(?:no)?t|cannot) be (?:undone|reversed|recovered|restored)|no (?:way back|undo)|irrevers|irrévers|irrevoc|permanent(?:ly|e)|forever|for good|unwiderruflich|endgültig|rückgängig|définitiv|para siempre|deshacer|desfazer|desfeit|definitiv|annullat[ao]|ongedaan|nieodwracaln|cofn[ąi]|nevratn|ångra|fortrydes|angres|geri al[ıi]namaz|необратим|безвозвратн|навсегда|отменить нельзя|незворотн|无法(?:撤销|恢复)|無法復原|不可(?:撤销|逆)|取り消せ|元に戻せ|되돌릴 수 없|복구할 수 없|لا يمكن التراجع|peruuttaa|visszavon`)
)

// Stems of the few meanings that most controls have, for languages whose verbs are not
// listed above: one list a meaning, to be cut as soon as measuring shows no loss.
var (
	farVerbs = list(`плати* плаща* төле* toʻla* to'la* ödə* ödəniş maksu* apmaksā* samaksā* mokė* apmokė* plăte* paguaj* ordaindu talu íoc* ħallas greiða borga lipa magbayad bayaran পেমেন্ট செலுத்து* చెల్లించ* გადახდ* գադ վճար* ክፈል* ክፍያ*
		купи* купува* naruč* поръча* нарача* сатып sotib* buyurt* тапсырыс tilaus* telli* pirk* užsak* pasūt* nopirkt vásárol* rendel* megrendel* porosit* blej* erosi eskatu archebu prynu ordaigh ceannaigh ixtri ordna panta* kaupa đặt nunua agiza bumili bilhin umorder ऑर्डर अर्डर অর্ডার ஆர்டர் வாங்கு* ఆర్డర్ కొనండి შეკვეთ* იყიდ* ყიდვ* պատվիր* գնել ይዘዙ* ግዛ* הזמ* לרכישה קנ* اطلب اشتر* παραγγ* αγορ* किन*
		poist* tör* șterg* изтри* избриши* жою өшір* oʻchir* o'chir* fshi* dzēst* trint* ištrint* kustuta* ezabatu dileu scrios ħassar eyða futa tanggalin burahin मेट* हटा* মুছ* நீக்க* తొలగ* წაშლ* ջնջ* ሰርዝ* አጥፋ* מחק* למחוק* احذف* διαγρ* smaž* vymaz*
		lähet* küld* elküld* trimit* изпрат* испрат* жібер* аудар* yubor* joʻnat* jo'nat* göndər* dërgo* nosūt* siųs* saada* bidali anfon seol ibgħat senda tuma ipadala chuyển पठाउ* भेज* পাঠা* அனுப்ப* పంప* გაგზავნ* ուղարկ* ላክ* שלח* העבר* أرسل* αποστολ* στείλ* μεταφορ*
		sonlandır* расторг* раскин* wypowied* vypově* ukonč* opsig* opsægge avbestil* irtisano* lemond* felmond* reziliaz* διακοπ* encerrar anular rozwiąż* berhenti lõpeta* nutrauk* izbeig* odwołaj* zurückziehen stornieren avboka
		rezerv* varaa* foglal* bron* broneeri* брон* резерв* agendar κράτησ* bókaðu julkais* közzé* zveřejn* publik* опубл* размест* δημοσ* đăng lahjoit* adakoz* daruj* doneaz* donne apost* bieten mitbieten fogad* styrkja vsadit stavi* statyt*
		parakst* pasiraš* allkirjast* perves* allekirjoit* aláír* podpis* podepsat semnea* tasdiq*`)
	farHarmless = list(`panier* cart* korb* carrito carrello kosár* koš* kurv* korg* ostoskor* sepet* səbət* coș* καλάθι кошничк* количк* себет* savat* shport* krepšel* groz* ostukor* karfa körfu basged* ciseán* saski* otar* kikapu keranjang giỏ কার্ট* ঝুড়ি* कार्ट* टोकरी* கூடை* கார்ட்* కార్ట్* బుట్ట* კალათ* զամբյուղ* ጋሪ* ቅርጫት* סל לסל سلة السلة عربة troli qoffa* bascaed
		kod kodą kodu kód kódu код кода коды κωδικ* mã coupon* kupon* kupong* gutschein* cupón cupom купон* voucher* promo
		hae haku* hakua etsi keres* caută* căutare търс* пребар* іздеу* izla* qidir* axtar* kërko* meklē* iešk* otsi* bilatu chwilio cuardaigh fittex leita tìm tafuta hanapin maghanap खोज* খুঁজ* தேடு* వెతుక* ძებნ* ძიებ* որոն* ፈልግ* חפש* חיפוש ابحث* αναζήτ*
		szűr* rendezés rendezd* filtr* filter* suodat* järjest* фильтр* филтер* філ* φίλτρ* sırala* сорт* sort*
		calcul* berech* kalkul* számít* kiszám* oblicz* vypoč* spočít* hitung tính рассчит* розрах* hesapla* hisobla* beregn* beräkna* bereken* arvut* laske* υπολογ* aktualis* aktualiz* rafraîch* aggiorna* actualiz* atualiz* päivit* odśwież* frissít* yenil* обнов* онов* ανανέω* uppdater* opdater* oppdater* ververs*
		vorschau aperçu prévisual* previs* pré-visual* visualiz* voorbeeld* podgląd* náhled* önizle* предпросмотр* esikatsel* előnéz* προεπισκ*
		abmelden ausloggen déconn* sair esci uitloggen wyloguj* odhlás* kirjaudu çıkış выйти вийти bejelentkez* kijelentkez* deconect* conect* autentific* σύνδεσ* αποσύνδεσ* keluar kirish chiqish daxil ieiet iziet prisijung* atsijung* saioa mewngofnodi logáil idħol innskr* útskr* ingia masuk लगइन লগইন உள்நுழை* லாக் లాగిన్ შესვლ* գրանց մուտք* ግባ* התחבר* התנתק* כניסה دخول الخروج
		gelesen lido lidos leído leídas gelezen przeczyt* přečt* прочит* perskait* olvas* luetu* okundu lästa læst letti
		vezi տեսնել прикажи повеќе हेर्नु* salain* skoða mutat* näytä* afișeaz* arată* zobraz* rodyti rādīt kuva erakutsi dangos taispeáin sýna tampilkan xem ipakita onyesha अधिक और আরও மேலும் మరింత მეტი ավելի ተጨማሪ`)
	farOnwards = list(`jatka* seuraav* tovább* következ* continu* următor* напред продълж* следн* понатаму продолж* келесі жалғас* keyingi davom* növbəti davam* vazhdo* tjetr* turpināt nākam* toliau tęst* edasi jätka* jarraitu hurrengo nesaf parhau kompli áfram næsta lanjut* berikut* tiếp sunod susunod magpatuloy endelea inayofuata अगला अर्को পরবর্তী அடுத்து* తదుపరి კარგი შემდეგ* გაგრძელ* հաջորդ* շարունակ* ቀጥል* הבא המשך متابعة التالي επόμεν* συνέχ* prosegu* proceder weitergehen
		tallen* mentés menteni salvează запази зачувај сақтау saqla* yadda ruaj saglabāt išsaug* salvesta gorde cadw sábháil issejvja vista simpan lưu i-save hifadhi सुरक्षित সংরক্ষণ சேமி* సేవ్ შენახ* պահպան* አስቀምጥ שמור* حفظ αποθήκ*`)
	farDismissals = list(`отказ* откажи болдырмау bekor ləğv anulo atcelt atšaukti loobu tühista utzi canslo cealaigh ikkanċella hætta bumalik ghairi rudi বাতিল रद्द ரத்து* రద్దు გაუქმ* չեղարկ* ביטול jo nē ez nahi না नहीं होइन இல்லை లేదు არა ոչ አይ לא ikkansella atpakaļ atgal tagasi atzera yn-ôl siar lura til-baka bakka`)
	farText       = regexp.MustCompile(`สั่งซื้อ|จอง|โอน|ยกเลิกสัญญา|บริจาค|ຊຳລະ|ຈ່າຍ|ຊື້|ລຶບ|ສົ່ງ|ໂອນ|បង់|ទិញ|បញ្ជា|លុប|ផ្ញើ|ပေးချေ|ဝယ်|မှာယူ|ဖျက်|ပို့|လွှဲ`)
	farEasily     = regexp.MustCompile(`ตะกร้า|รถเข็น|ກະຕ່າ|កន្ត្រក|រទេះ|ခြင်း|ထည့်|ค้นหา|ຄົ້ນ|ស្វែង|ရှာ|คำนวณ|ตัวอย่าง|เข้าสู่|ເຂົ້າ|ចូល|ဝင်|再読|更新|刷新|새로|계산|計算|计算|쿠폰|クーポン|优惠|로그아웃|ログアウト|退出|登出|预览|プレビュー|미리`)
	farOn         = regexp.MustCompile(`ต่อไป|ดำเนินการต่อ|ຕໍ່ໄປ|បន្ទាប់|បន្ត|ရှေ့|ရှေ့သို့|ဆက်`)
	goesOn        = regexp.MustCompile(`(?:進む|へ|进入下一步)$`)

	// listed are the languages whose verbs are listed in full: a word that is not among
	// them is more often harmless there.
	listed = list(`en de fr es pt it nl sv da no nb nn zh ja ko ru`)
)

// isListed reports whether the verbs of a language are listed; one that is not said may be.
func isListed(lang string) bool {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	return lang == "" || listed.has(lang)
}

func warns(text string) bool { return warnings.MatchString(text) }

// Label reports whether a label alone, without anything around it, commands a commit.
func Label(label string) bool { return readLabel(label) == commands }

const (
	maxCommand = 60 // characters; of what is longer only the beginning counts,
	begins     = 24 // which is this long
)

// readLabel reads each line of a label; what commits in one, commits.
func readLabel(label string) reading {
	best := saysNothing
	for line := range strings.Lines(strings.ToLower(label)) {
		switch is := readLine(strings.TrimSpace(line)); {
		case is == commands:
			return commands
		case best == saysNothing, best == final && is != saysNothing:
			best = is
		}
	}
	return best
}

func readLine(line string) reading {
	runes := []rune(line)
	long := len(runes) > maxCommand
	if long {
		line = string(runes[:begins])
	}
	words := split(line)
	if len(words) == 0 {
		return saysNothing
	}
	if is := readWords(words, line, long); is != saysNothing {
		return is
	}
	return readText(line)
}

// readWords reads a command in a script that puts spaces between words.
func readWords(words []string, line string, long bool) reading {
	first := 0
	for first < len(words)-1 && polite.has(words[first]) {
		first++
	}
	rest := words[first:]
	kept := harmlessObjects.in(words)
	switch verb := rest[0]; {
	case question_.MatchString(line): // it asks, and does not command
		return harmless
	case strings.HasPrefix(line, "never mind"), strings.HasPrefix(line, "not "):
		return dismisses
	case phrases.MatchString(line) && !kept:
		return commands
	case strings.HasPrefix(line, "sign in"), strings.HasPrefix(line, "sign out"), strings.HasPrefix(line, "log "), strings.HasPrefix(line, "sign up"):
		return harmless
	case leads.has(verb) && !kept:
		if verb != "delete" && verb != "remove" && verb != "erase" && len(rest) > 1 && (nouns.has(rest[1]) || nouns.has(rest[len(rest)-1]) && len(rest) < 4) {
			return harmless
		}
		return commands
	case joined(rest):
		return commands
	case cookies.in(words), kept, harmlessVerbs.has(verb), farHarmless.in(words):
		return harmless
	case (dismissals.has(verb) || farDismissals.has(verb)) && len(rest) < 4 && !commandVerbs.in(rest) && !farVerbs.in(rest[1:]):
		return dismisses
	case !long && commandVerbs.in(words), commandVerbs.has(verb):
		return commands
	case harmlessVerbs.in(words):
		return harmless
	case farVerbs.in(words):
		return commands
	case farOnwards.in(words):
		return onward
	case onwards.has(verb) || onwards.has(rest[len(rest)-1]):
		return onward
	case finals.in(words):
		return final
	}
	return saysNothing
}

// joined reports whether a second command follows: "Review and pay".
func joined(words []string) bool {
	for i, word := range words[:len(words)-1] {
		if conjoin.has(word) && (leads.has(words[i+1]) || commandVerbs.has(words[i+1])) {
			return true
		}
	}
	return false
}

func readText(line string) reading {
	switch {
	case dismissText.MatchString(line):
		return dismisses
	case goesOn.MatchString(line):
		return onward
	case harmlessText.MatchString(line), farEasily.MatchString(line):
		return harmless
	case commandText.MatchString(line), farText.MatchString(line):
		return commands
	case onwardText.MatchString(line), farOn.MatchString(line):
		return onward
	case finals.has(line):
		return final
	}
	return saysNothing
}

// saysCommitAnywhere reports whether a heading, or a question within a text, speaks of a
// commit: "Do you want to delete it?" Other prose speaks of much.
func saysCommitAnywhere(text string) bool {
	if speaks(strings.ToLower(firstRunes(text, maxCommand))) {
		return true
	}
	for _, sentence := range sentence.FindAllString(text, -1) {
		if question.MatchString(sentence) && speaks(strings.ToLower(sentence)) {
			return true
		}
	}
	return false
}

var sentence = regexp.MustCompile(`[^.!。！?？؟]+[.!。！?？؟]`)

func firstRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n])
	}
	return text
}

func speaks(text string) bool {
	words := split(text)
	return phrases.MatchString(text) || commandText.MatchString(text) || commandVerbs.in(words) || leads.in(words) || deeds.in(words)
}

// deeds are nouns of commits: titles of pages and dialogs.
var deeds = list(`checkout payment deletion removal transfer donation purchase trade zahlung löschung überweisung bestellung kündigung kasse paiement suppression virement commande pago eliminación pedido pagamento betaling zapłata płatność оплата удаление перевод заказ ödeme 支付 结算`)

// split gives the words of a text: what is between signs, digits and emoji.
func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '&' && r != '-' && r != '\''
	})
}

// Names that authors give, in English almost everywhere: of paths, forms, icons, classes.
var (
	markedCommits = list(`pay paynow buy purchase placeorder order send sendmessage delete del destroy remove erase purge wipe trash terminate deactivate unsubscribe
		sell trade bid bet donate transfer reserve publish danger destructive withdraw revoke refund`)
	commitNames = list(`pay paynow payment payments payout payouts purchase purchases buy buynow order orders placeorder charge charges transfer transfers remit wire donate donation donations book booking bookings reserve reservation reservations
		send sends message messages sendmessage mail mails email emails sms reply replies publish post posts comment comments tweet tweets broadcast
		delete del destroy remove erase purge wipe trash deactivate terminate termination cancel cancellation unsubscribe subscribe subscription subscriptions revoke close
		trade trades sell bid bids bet bets invest approve authorize withdraw withdrawal withdrawals deposit deposits sign signature contract contracts invoice invoices invite invites invitation invitations deploy release execute confirm complete finalize submit checkout apply
		refund refunds transaction transactions kill ban`)
	harmlessNames = list(`search searches find query queries lookup suggest suggestions autocomplete filter filters facet facets sort list cart carts basket baskets bag wishlist draft drafts autosave like likes unlike favorite favorites favourite favourites fav star stars bookmark bookmarks follow reaction reactions vote
		login signin sign-in session sessions auth oauth token tokens otp verify verification mfa sso signup logout signout preview validate validation check quote quotes estimate calculate step steps next wizard shipping address locale language lang theme preferences preference settings profile view views track tracking analytics telemetry metrics metric collect beacon log logs event events stats stat rum ping heartbeat poll presence csp report recaptcha captcha consent cookies get fetch load read seen compare zoom sendcode`)
	// decisive beats a harmless name next to it: cart/delete-account is not the cart.
	decisive = list(`pay purchase buy delete destroy terminate erase purge wipe transfer withdraw donate placeorder paynow buynow deactivate`)

	commitIcons   = list(`trash bin delete remove dustbin rubbish garbage send plane paperplane paper-plane pay payment payments credit-card creditcard shopping-bag-check wallet money cash banknote destroy erase skull power-off warning danger unsubscribe sell buy gavel dollar coin coins signature publish`)
	harmlessIcons = list(`search magnifier magnify magnifying lens glass heart like thumb thumbs thumbsup star bookmark cart basket filter funnel sort sliders login signin user close x times cross arrow chevron caret next prev back forward menu hamburger bars ellipsis dots more kebab edit pencil eye view home help question info settings cog gear save floppy disk download print copy share plus add play pause bell lock unlock key`)

	camel = regexp.MustCompile(`([\p{Ll}\d])(\p{Lu})`)
)

// parts are the words that a name is made of: "btn-deleteAccount" has three.
func parts(name string) []string {
	name = camel.ReplaceAllString(name, "$1 $2")
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
}

// readNames reads what an author calls a control: one that commits decides, unless it
// stands with a harmless one, as in "send-code" and "order-search".
func readNames(names []string) Verdict {
	v := Unknown
	for _, name := range names {
		v = max(v, readName(name, commitNames))
	}
	return v
}

// readMarks is readNames for ids and classes, where only verbs say something: a
// button-submit is any.
func readMarks(names []string) Verdict {
	v := Unknown
	for _, name := range names {
		v = max(v, readName(name, markedCommits))
	}
	return v
}

func readName(name string, commits set) Verdict {
	words := parts(name)
	switch {
	case decisive.in(words) && !harmlessObjectNames.in(words):
		return Commits
	case harmlessNames.in(words):
		return Harmless
	case commits.in(words):
		return Commits
	}
	return Unknown
}

var harmlessObjectNames = list(`draft cart basket search filter filters history code like favorite favourite wishlist bookmark`)

// readPath reads an address from its end: the last part that says something decides.
func readPath(path string) Verdict {
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	segments := strings.Split(path, "/")
	for _, segment := range slices.Backward(segments) {
		if v := readName(segment, commitNames); v != Unknown {
			return v
		}
		switch words := parts(segment); { // or in the page's language
		case harmlessObjects.in(words), harmlessVerbs.in(words), farHarmless.in(words):
			return Harmless
		case commandVerbs.in(words), farVerbs.in(words):
			return Commits
		}
	}
	return Unknown
}

// readTail reads the last part of an address that is a name, and no number.
func readTail(path string) Verdict {
	segments := strings.Split(path, "/")
	for _, segment := range slices.Backward(segments) {
		if words := parts(segment); len(words) > 0 && len(words[0]) > 1 {
			return readPath(segment)
		}
	}
	return Unknown
}

func readIcons(names []string) Verdict {
	v := Unknown
	for _, name := range names {
		words := parts(name)
		switch {
		case commitIcons.in(words) && !harmlessIcons.in(words):
			return Commits
		case harmlessIcons.in(words):
			v = Harmless
		}
	}
	return v
}

// readEmoji reads the pictures in a label.
func readEmoji(label string) Verdict {
	switch {
	case strings.ContainsAny(label, "🗑🚮💳💸💰💵💶💷📤📨📩✉🛫🚀🧾"):
		return Commits
	case strings.ContainsAny(label, "🔍🔎❤♥♡🤍⭐★☆👍🛒⚙✏📝💾🔖🔑"):
		return Harmless
	}
	return Unknown
}
