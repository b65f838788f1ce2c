package commit

import (
	"strings"
	"unicode"
)

// stems are what labels are made of, by what they mean, in the languages of most of the
// web: a line a family of languages. A stem begins a word; one that ends in a full stop is
// the whole of it; _ joins words; one of a script without spaces stands anywhere. Where the
// verb comes last, a line says so: there the last meaning of a label decides, else the first.
const stems = `
pay: pay. betal betaal bezuel maksa. maksaa maksan greiða. íoc talu. ħallas. ordaindu pagar paga. pagare. pague. payer. payez. régler. abonar. plătește plăti achită paguaj
pay: zapłać. zapłac opłac płac zaplať. zaplatit plati. platit plaćam plačaj оплатит заплат оплачу сплат плати. плащане плаќање платити апла mokėti sumokė apmokė samaks apmaks maksāt maks. tasu. πληρωμ πληρών εξόφλ
pay: bayar bayarkan magbayad bayaran lipa. lipia. biya. khokha. hlawula. bixi. sanwó. thanh_toán trả_tiền ادفع دفع سداد سدد תשלום_עכשיו שלם לשלם לתשלום 支付 付款 缴费 付钱 買單 ชำระ จ่ายเงิน ຊຳລະ ຈ່າຍ បង់ប្រាក់ បង់ ပေးချေ
pay last: bezahl zahle. zahlen zahlungspflichtig kostenpflichtig ödə öde. ödey ödeme_yap toʻla төле төлө төлөх төлөө భుగతాన 支払う 支払い 支払 결제 지불 납부 پرداخت ادائیگی भुगतान अदा चुका भरा. পরিশোধ পেমেন্ট_কর ਭੁਗਤਾਨ ચુકવણી ચૂકવ செலுத்த చెల్లించ ಪಾವತಿ പണമടയ്ക്ക അടയ്ക്കുക ගෙව ክፈል გადახდ გადაიხ վճար
buy: buy. purchase. köp. köpa købe. køb. kjøp kaup kaupa kopen. koop. osta. ostan. ostaa vásárol megvesz megveszem osta comprar compra. comprare. compre. acheter. achetez. acquista cumpăr erosi blej prynu. ceannaigh ixtri
buy: kup. kupić kupuj kupuję koupit koupím kúpiť kupi. купит купити купувам купи. викуп купіц pirkti perku pirkt nopirkt nusipirkti αγορά αγοράσ beli. membeli bumili bilhin nunua. saya. thenga. iibso. ra. mua. mua_ngay شراء اشتر קנה קנייה לקנות לרכישה רכישה 购买 購買 立即购买 抢购 ซื้อ ຊື້ ទិញ ဝယ်
buy last: kaufen. kaufe. satın_al satin_al sotib_ol сатып_ал худалдан_ав 購入 買う 구매 구입 خرید خرید_کن खरीद কিনুন কেনা ਖਰੀਦ ખરીદ வாங்க కొన ಖರೀದ വാങ്ങ මිලදී ግዛ ყიდვ იყიდ գնել գնիր erosi
order: place_order place_your_order place_my_order order. beställ bestil. bestill tilaa. tilaan. pöntun panta. telli. tellin megrendel commander. commandez. passer_commande passer_la_commande valider_la_commande pedir. encargar encomendar. encomende. ordina. ordinare. comand comandă porosit archebu. ordaigh ordna.
order: zamów. zamawiam zamówić objednat objednávám objednať naruči naroči заказать закажи оформить замовити замовляю поръчай поръчвам нарачај užsak pasūtīt παραγγελία παράγγειλε pesan. pesan_sekarang buat_pesanan umorder agiza. đặt_hàng اطلب הזמן הזמנה סיום_הזמנה 下单 下單 订购 提交订单 送出訂單 สั่งซื้อ ສັ່ງຊື້ បញ្ជាទិញ မှာယူ
order last: bestellen. bestelle. bestel. sipariş_ver siparişi_ver siparişi_tamam siparişi_onay sifariş_et sifarişi buyurtma_ber тапсырыс_бер заказ_бер захиал 注文 주문 سفارش आर्डर_कर ऑर्डर_कर ऑर्डर_दे অর্ডার_কর ਆਰਡਰ ઓર્ડર_કર ஆர்டர்_செய் ఆర్డర్_చే ಆರ್ಡರ್_ಮಾಡ ഓർഡർ_ചെയ് ඇණවුම් ይዘዙ እዘዝ შეკვეთ պատվիր
send: send. dispatch. deliver. reply. remit. skicka. svara. odeslat odešli odoslať lähetä. lähetän küld. küldés elküld saada. saadan enviar. envia. enviare. envie. envoyer. envoyez. répondre. responder. invia. inviare. rispondi. trimite dërgo. bidali. anfon. seol. ibgħat. senda. invite. invitar. inviter. stuur.
send: wyślij wysłać pošalji pošlji отправит послать ответить надісл надіслати відправ ответь изпрати испрати адправ пашлаци siųsti išsiųsti nosūtīt sūtīt αποστολή στείλ kirim. hantar. ipadala. tuma. aika. thumela. dir. firanṣẹ gửi إرسال ارسال أرسل ارسل שלח שליחה לשלוח 发送 發送 寄出 发消息 传送 ส่ง ສົ່ງ ផ្ញើ ပို့
send last: senden. absenden. abschicken. sende. verzend verstuur versturen. verschicken. schick. antworten. gönder göndər yubor joʻnat жібер жөнөт илгээ 送信 送る 返信 보내 전송 발송 답장 فرستادن بفرست بھیج भेज पठाउ পাঠা ਭੇਜ મોકલ அனுப்ப పంప ಕಳುಹಿಸ അയയ്ക്ക යවන්න ላክ გაგზავნ ուղարկ bidali
delete: delete. erase. remove. destroy. wipe. purge. terminate. deactivate. discard_all empty_trash permanently. radera. ta_bort slett. slet. eyða. poista. poistan töröl törlés kustuta. eliminar. elimina. eliminare. borrar. borra. suprimir. apagar. apague. excluir. exclua. remover. remova. destruir. supprimer. effacer. détruire. șterge. fshij ezabatu. dileu. scrios. ħassar. läschen
delete: usuń. usunąć smazat smaž vymazat vymaž odstranit odstrániť obriši izbriši изтри избриши обриши удалит удаля видалит видали стереть выдал trinti ištrinti pašalin dzēst izdzēst διαγραφή διάγραψ hapus. padam. burahin. tanggalin. futa. goge. susa. tirtir. paarẹ xóa. xoá. حذف احذف مسح מחק מחיקה למחוק 删除 刪除 移除 销毁 ลบ ລຶບ លុប ဖျက်
delete last: löschen. lösche. entfernen. vernichten. verwijder wissen. sil. silin. silmek yok_et oʻchir өшір өчүр жою. устга 削除 消去 삭제 پاک_کن حذف_کن हटा मिटा मेटा मेट्नु মুছ ਮਿਟਾ કાઢી_નાખ દૂર_કર நீக்க తొలగించ ಅಳಿಸ ഇല്ലാതാക്ക മായ്ക്ക ሰርዝ አጥፋ წაშლ ջնջ
end: terminate_contract säg_upp avsluta_abonnemang si_opp avslutte_abonnement segja_upp irtisan rescind rezilie denunț wypowiedz vypovedať vypoveď raskid otkazivanje_ugovora расторг розірва прекрати_договор раскин nutrauk pārtrauk ülesütle καταγγελ διακοπη_συμβ διακοπη_συνδ pomiri përfundo_kontrat baja_eman terminálta díscríobh berhenti_lang tamatkan_lang batiza_mkataba chấm_dứt فسخ סיום_חוזה ניתוק unsubscribe. terminate. resign. unenroll. säga_upp opsig sagt_op irtisano felmond rescindir rescisão resilier résilier disdici disdire disdetta darse_de_baja darme_de_baja dar_de_baja reziliaz wypowied vypově ukončit_smlouv raskini расторгн відмовитися_від_договор nutraukti izbeigt καταγγελία_σύμβασης διακοπή_συνδρομής berhenti_berlangganan huỷ_đăng_ký hủy_đăng_ký إنهاء_الاشتراك ביטול_מינוי 退订 注销账 注销帐 终止 ยกเลิกสมาชิก
end last: aufkünd zurückzieh beende beëindig intrek sonlandır feshet xitam bekor_qil тоқтат токтот цуцла 契約終了 구독_해지 فسخ_قرارداد समाप्त খতম বাতিল_চুক্তি ਸਮਾਪਤ સમાપ્ત முடிவு_ఒప్పంద ముగించ ಕೊನೆಗೊಳಿಸ അവസാനിപ്പിക്ക ያቋርጡ შეწყვიტ შეწყვეტ դադարեցն լուծել kündigen. kündige. opzeg aboneliği_iptal hesabı_kapat 退会 解約 탈퇴 해지 لغو_اشتراک
sign: sign. sign_and signera skriv_under underskriv signer. allekirjoit aláír allkirjasta. undirrit firmar. firma. firmare. firme. assinar. assina. assine. signar. semnea nënshkruaj sinatu. llofnodi. sínigh. iffirma. podpisz podpisuj podpisat podpíš potpiši podpiši подпис підпис parakst pasiraš υπογρ tandatangan. tanda_tangani lagdaan saini. ký. ký_tên ký_số توقيع وقّع חתום חתימה לחתום 签署 签字 簽署 签名 ลงนาม ລົງນາມ ចុះហត្ថលេខា လက်မှတ်ထိုး
sign last: unterschreib unterzeichn onderteken imzala imzola қол_қой 署名する 서명 امضا हस्ताक्षर স্বাক্ষর ਦਸਤਖ਼ਤ સહી_કર கையொப்ப సంతకం ಸಹಿ ഒപ്പിട ፈርም ხელმოწერ ხელის_მოწერ ստորագր
publish: publish. post. tweet. repost. go_live make_public broadcast. deploy. publicera publicer. publiser julkais közzétesz közzététel avalda. birta. publicar. publica. publicare. publique. publier. publiez. mettre_en_ligne pubblica. pubbli publică. publik opublikuj zveřej uverejni objavi опублик разместит публик опублік розміст објави skelbti paskelbti publicēt δημοσίευ terbitkan i-post chapisha. buga. đăng_bài đăng_tin đăng. نشر انشر פרסם פרסום לפרסם 发布 發佈 發布 发表 發表 เผยแพร่ โพสต์ ໂພສ បង្ហោះ တင်ရန်
publish last: veröffentlich publiceren. publiceer. plaatsen. plaats. posten. aufgeben. inserieren. yayınla yayimla dərc chop_et жарияла нийтл 公開する 投稿 掲載する 게시 등록하기 منتشر انتشار شائع प्रकाशित পোস্ট_কর প্রকাশ ਪੋਸਟ પોસ્ટ_કર வெளியிட ప్రచురించ ಪ್ರಕಟಿಸ പ്രസിദ്ധീകരിക്ക გამოქვეყნ հրապարակ
book: schedule. appoint make_an_appointment boka_tid varaa_aika időpontot agendar agende. concertar_cita prendre_rendez planifier_rendez fissa. programează umów objednat_se naručite_termin записаться запиш записатися запиши_час užsirašyti pieteikt κλείσιμο_ραντ jadwalkan. buat_janji panga_miadi đặt_lịch حدد_موعد קבע_תור קביעת_תור 挂号 book. reserve. rent. hire. boka. bestil_tid varaa. foglal bóka. broneeri. reservar. reserva. réserver. réservez. prenota. prenotare. rezerv zarezerw zamluv rezerviraj rezerviši забронир бронир заброн резерв aizņemt κράτηση κλείστε tempah. pesan_tiket magpareserba weka_nafasi đặt_chỗ đặt_phòng đặt_vé احجز حجز הזמנת_חדר שריין 预订 預訂 预约 訂位 จอง ຈອງ កក់ ကြိုတင်
book last: vereinbar afspraak_maken randevu_al görüş_təyin жазылу ვიზიტ_დანიშ 예매 予約する अपॉइंटमेंट_ल સમય_નક્કી buchen. buche. boeken. boek. reserveer. reserveren. reservieren. mieten. rezervasyon_yap rezervə bron_qil брондау 予約 예약 رزرو बुक_कर আসন_বুক বুক_কর ਬੁੱਕ બુક_કર முன்பதிவு బుక్_చే ಬುಕ್ ബുക്ക്_ചെയ് ያስይዙ დაჯავშნ ամրագր
donate: give. støtt støt. stöd. tue. lahjoit támogat toeta. apoyar apoya. apoiar. sostieni. soutiens. soutien susține wspieram podpořit podpoř podpori поддерж підтрим подкрепи поддржи paremti remti atbalst υποστήριξ dukung sokong suportahan saidia ủng_hộ ادعم 支持 สนับสนุน donate. contribute. chip_in donera. skänk doner. lahjoita. adományoz adományo anneta. gefa. styrkja. donar. dona. donare. doar. doe. faire_un_don donner. je_donne soutenir. donează dhuro. rhoi. wpłać. wesprzyj przekaż daruj přispět prispieť doniraj пожертв поддержать дарит даря. дари. донирај aukoti paaukoti ziedot δωρεά δωρίζ donasi. derma. sumbang mag-donate changia. nikela. quyên_góp تبرع תרום תרומה לתרום 捐款 捐赠 捐助 打赏 บริจาค ບໍລິຈາກ បរិច្ចាគ លှူ
donate last: unterstütz steun destekle dəstək қолдау 応援 후원하 حمایت सहयोग সমর্থন ஆதரவு మద్దతు ಬೆಂಬಲ പിന്തുണ მხარდაჭერ աջակց spenden. spende. geben. doneer. doneren. bağış_yap ianə_et хайр 寄付 기부 후원 اهدا कमक कमाई दान_कर दान দান_কর অনুদান ਦਾਨ દાન நன்கொடை విరాళ ದೇಣಿಗೆ സംഭാവന ለግስ შეწირვ შემოწირ նվիրաբեր
transfer: hand_over transfer. ge_över luovuta. átad kiutalás ceder. cede. céder cedi. cedează przekazać předat odovzdať prepusti передать предай edasi_anda perleisti nodot παραχώρησ serahkan ibigay chuyển_nhượng تنازل להעביר_ב 转让 過戶 โอนสิทธิ์ wire. withdraw. cash_out top_up redeem. överför ta_ut overfør hæv. uttak siirrä. nosta. átutal utal. kifizet kanna_üle millifær tölta transferir. transfiere. retirar. sacar. virer. verser. retirer. trasferire. bonifica. preleva. prelevare. transferă retrage przelej przelać wypłać wypłat převést převeď vybrat_peníz prevesť prenesi isplati isplatit перевести переведи вывести снять переказ вивести прехвърли изтегли пренеси pervesti išgryninti pārskaitīt izņemt μεταφορά_χρημ μετάφερε ανάληψη tarik_tunai tarik_dana kirim_uang maglipat hamisha. tura_kudi chuyển_tiền rút_tiền chuyển_khoản تحويل حوّل سحب העבר העברה להעביר משיכה 转账 轉帳 轉賬 汇款 提现 提款 โอน ถอน ໂອນ ផ្ទេរ ដកប្រាក់ လွှဲ ထုတ်
transfer last: überweis auszahlen. abheben. overmaken. opnemen. havale_yap para_çek para_gönder köçür oʻtkaz аудар которуу шилжүүл 振込 振り込 送金 出金 引き出 이체 송금 출금 انتقال برداشت_وجه واریز ट्रांसफर निकालें रकम ট্রান্সফার স্থানান্তর উত্তোলন ટ્રાન્સફર ਟ੍ਰਾਂਸਫਰ பணம்_அனுப்ப బదిలీ ವರ್ಗಾ കൈമാറ ያስተላልፉ ჩარიცხ გადარიცხ փոխանց
trade: satsa. lägg_bud spill. veikkaa. huuda. fogad. fogadok licitál. panusta. veðja apostar puja. enchérir encherir parie. scommett fai_offerta licitează pariez obstawi licytuj vsaď přihodit kladi_se kladiti ставлю торгов наддав lažintis likt_likmi ποντάρ πλειοδ pasang_taruhan tawar. weka_dau cá_cược đấu_giá زايد مزايدة המר הצע_מחיר 竞价 เสนอราคา sell. trade. swap. bid. place_bid bet. place_bet wager. stake. invest. liquidate. sälj. sælg. selg. byd. myy. myyn. tarjoa. elad ajánlat_tétel licitál müü. selja. vender. vende. vendre. vendere. vendi. venda. apostar. apuesta pujar. parier. miser. scommetti. vinde. pariaz sprzedaj obstaw prodat vsadit predať staviť prodaj stavi. uplat продат продай ставку постав продай. поставить сделать_ставку продати залог заложи parduoti statyti pārdot likmi πούλησ πώληση στοίχημα jual. jual_sekarang taruhan. ibenta. uza. sayar. bán. đặt_cược بيع راهن מכור מכירה הימור 卖出 賣出 买入 買入 下注 投注 出价 ขาย เดิมพัน ຂາຍ លក់ ရောင်း
trade last: steigern. tippen. inzetten. bahis_oyna teklif_et mərc tikish_qil тіг 賭ける 応札 응찰 شرط_بند बोली_लगा বাজি ਬੋਲੀ_ਲਗਾ બોલી ஏலம் పందెం ಬಾಜಿ പന്തയ ფსონ խաղադրույք verkauf mitbieten. bieten. wetten. verkoop verkopen. bieden. wedden. sat. bahis_yap teklif_ver satmaq sotish сату зарна 売却 売る 売り 入札 投票する 買い注文 매도 매수 베팅 입찰 فروش शर्त_लगा बेचें बेचना বিক্রি ਵੇਚ વેચ விற்க అమ్మ ಮಾರಾಟ വിൽക്ക გაყიდ վաճառ
approve: approve. authorize. authorise. reject. revoke. godkänn godkend godkjenn hyväksy. jóváhagy kinnita_makse samþykkja aprobar. aprueba. autorizar. aprovar. aprove. approuver. autoriser. approva. autorizza. aprobă zatwierdź schválit odobri. одобрит утверд схвалити затверд одобри patvirtinti_mok apstiprināt_maks έγκριση setujui. luluskan. aprubahan idhinisha amince_da phê_duyệt duyệt. موافقة_على اعتماد אשר_תשלום 批准 审批 อนุมัติ ອະນຸມັດ អនុម័ត အတည်ပြုငွေ
approve last: freigeben. genehmig goedkeuren. goedkeur onaylıyorum_öde təsdiq_et мақұлда 承認 승인 결재 تایید_پرداخت स्वीकृत मंज़ूर मंजूर অনুমোদন ਮਨਜ਼ੂਰ મંજૂર அங்கீகர ఆమోదించ ಅನುಮೋದಿಸ അംഗീകരി დამტკიც հաստատել_վճար
final: avsluta avslut avslutt afslut ljúka päätä lähetä_hakemus lõpeta befejez encerrar. encerre. zakończ ukonč ukonči заверши закінч приключи baig ολοκληρ akhiri tamatkan maliza kết_thúc إنهاء סיים 结束 提交申请 confirm. submit. yes. yep. agree. accept. complete. finish. finali proceed. ok. okay. do_it activate. renew. upgrade. enroll. execute. release. archive. merge. share. done. checkout. check_out request. start. run. make. go. continue_to_pay bekräft bekræft bekreft ja. slutför gennemfør fullfør lämna_in skicka_in indsend send_inn dela. del. vahvista. kyllä. jatka_maksu valmis. megerősít igen. véglegesít beküld kinnita. jah. esita. staðfest já. senda_inn
final: confirmar. confirma. confirmare. confirme. confirmez. confirmer. valider. validez. oui. sí. si. sì. sim. aceptar. aceitar. aceito. accepter. accetta. finalizar. finaliser. terminar. terminer. concluir. completa. completar. presentar. soumettre. transmettre. inoltra. inoltrare. entregar. compartir. partager. condividi. partilhar. compartilhar. solicitar. lanzar. lancer. ejecutar. executar. esegui. tramitar. confirmă da. depune. trimitere. finalizează konfirmo po. baieztatu bai. cadarnhau ie. deimhnigh tá. ikkonferma iva.
final: potwierdź potwierdzam tak. złóż. złożyć wykonaj zakończ potvrdit potvrzuj ano. podat. dokončit potvrdiť áno. podať potvrdi da. podnesi oddaj potvrđ подтверд да. так. готово завершит подать подать_заяв выполнит исполнит поделит підтверд подати виконати потвърд потврди изпълни подай пацверд patvirtin taip. pateikti baigti apstiprin jā. iesniegt επιβεβαί ναι. υποβολή εκτέλεση ολοκλήρωση
final: konfirmasi. ya. ajukan. selesai. kumpirmahin oo. isumite thibitisha ndiyo. wasilisha tabbatar eh. qinisekisa yebo. xaqiiji haa. bẹẹni xác_nhận có. đồng_ý nộp. hoàn_tất تأكيد نعم أوافق تقديم إتمام موافق אישור אשר כן. הגש סיום 确认 確認 确定 確定 提交 同意 完成 是的 ยืนยัน ตกลง ใช่ ยื่น ຢືນຢັນ ຕົກລົງ បញ្ជាក់ យល់ព្រម ဟုတ်
final last: beend beantrag 등록 登録する 完了する bestätig ja. einreich abschließ abschicken. zustimmen. akzeptier beantragen. teilen. fertig. bevestig akkoord. indien. indienen. delen. aanvragen. afronden. onayla evet. tamam. tamamla bitir təsdiq bəli. tasdiq ha. растау раста иә. ооба. ырасто баталгаажуул тийм. はい 確定 確認 申請 提出 同意 확인 예. 네. 제출 신청 동의 완료 تایید تأیید بله ثبت ہاں تصدیق हाँ हां पुष्टि सबमिट जमा हो. নিশ্চিত হ্যাঁ জমা ਪੁਸ਼ਟੀ ਹਾਂ પુષ્ટિ હા. உறுதி ஆம். சமர்ப்பி నిర్ధారించ అవును సమర్పించ ದೃಢೀಕರಿಸ ಹೌದು ಸಲ್ಲಿಸ സ്ഥിരീകരി അതെ സമർപ്പിക്ക තහවුරු ඔව් አረጋግጥ አዎ დადასტურ დიახ გაგზავნა_განაცხად հաստատ այո.
deed: checkout. payment orders. purchases. donation deletion removal transfers zahlung löschung überweisung bestellung spende. kündigung. kasse. kassa. paiement suppression virement commande. don. dons. pago. pagos. pedido eliminación compra. compras. transferencia donación donativo pagamento bonifico donazione ordine. ordini. transferência doação betaling bestelling overboeking overschrijving opsigelse bestilling betalning beställning överföring tilaus maksu. rendelés fizetés pénztár átutalás pöntun greiðsl makse tellimus
deed: zapłata płatno zamówieni przelew darowizn platba platby objednáv převod plaćanj narudžb plačil naročil оплата оплату платёж платеж заказ перевод удалени платіж замовлен плащан поръчк плаќањ нарачк mokėjim užsakym maksājum pasūtījum πληρωμ παραγγελ δωρε μεταφορ ödeme sipariş havale ödəniş sifariş toʻlov buyurtma төлем тапсырыс төлөм төлбөр захиалга pembayaran pesanan bayaran malipo agizo uthango đơn_hàng khoản_thanh_toán الدفع الطلب הזמנות תשלום תשלומים تراکنش paguesë pagesë porosi plată comandă 订单 訂單 结算 注文内容 お支払 주문 결제 คำสั่งซื้อ การชำระ ການຊຳລະ ការទូទាត់
object: draft cart. carts. basket bag. wishlist watchlist favorites favourites shortlist compare comparison otp. filters filter. saved_items entwurf entwürf vorlage vorlagen warenkorb einkaufswagen merkzettel merkliste brouillon panier favoris borrador carrito cesta. cesto. favoritos lista_de_deseos rascunho carrinho bozz carrello preferiti lista_desideri ciorn coș. coșul favorit concept. winkelwagen winkelmand mandje. verlanglijst utkast varukorg kundvagn önskelist kladde kurv. kurven handlekurv ønskelist luonno ostoskor toivelista kori. piszkozat vázlat kosár kosar kívánságl mustand ostukor drög. körfu karfa esborrany cistella cistell zirriborr saski drafft basged dréacht ciseán abbozz basket. warenkuerf kuerf
object: koszyk szkic robocz ulubion koncept košík oblíben obľúben košaric nacrt skic omiljen корзин чернов избранн кошик чернет обран кошни черновик любим нацрт омилен juodrašt krepšel mėgstam melnrakst groz. grozs grozam καλάθι καλαθι πρόχειρ αγαπημέν sepet taslak favori səbət qaralama sevimli savat qoralama себет жоба_ретінде корзинк таңдаулы сагс ноорог keranjang troli draf. favorit kesukaan bakuli kikapu rasimu kwando ibhasikethi giỏ nháp. yêu_thích danbiil
object: سلة السلة عربة مسودة المفضلة סל. לסל עגלה טיוטה מועדפים سبد پیش‌نویس علاقه کارٹ ٹوکری मसौदा कार्ट टोकरी ड्राफ्ट ড্রাফট খসড়া কার্ট ঝুড়ি ਕਾਰਟ કાર્ટ டிராஃப்ட வரைவு கார்ட் கூடை కార్ట్ బుట్ట డ్రాఫ్ట ಕಾರ್ಟ್ ಕರಡು കാർട്ട് ഡ്രാഫ്റ്റ് ጋሪ ቅርጫት ረቂቅ კალათ მონახაზ დრაფტ զամբյուղ սևագիր 购物车 購物車 草稿 收藏 心愿单 加购 カート 下書き お気に入り 買い物かご 장바구니 임시저장 임시_저장 찜. ตะกร้า รถเข็น ฉบับร่าง รายการโปรด ກະຕ່າ ຮ່າງ កន្ត្រក រទេះ ព្រាង ခြင်း မူကြမ်း
coupon: coupon voucher promo code. codes gutschein rabatt kod. kodu. koden kódu kód. kód kupon kupong cupón cupom codigo código codice code_promo buono κουπόνι κωδικ купон промокод код. кода. коду kupón kuponki kuponą kodą kodą. alennuskood koodi mã_giảm mã. mã_khuyến kode_promo kodi kodim kood. קוד קופון رمز الرمز كود قسيمة کد کوپن कोड कूपन কোড কুপন ਕੋਡ કોડ கூப்பன் குறியீ కోడ్ కూపన్ ಕೋಡ್ ಕೂಪನ್ കോഡ് কുপন კოდ կոդ ኮድ 优惠 優惠 折扣码 クーポン コード 쿠폰 코드 คูปอง โค้ด ລະຫັດ គូប៉ុង កូដ ကုဒ်
info: history. details detail. settings options status. methods overview guide. help. library report. log. info. information policy. terms later_on tracking. receipt. faq. fees. verlauf übersicht historie einzelheit hilfe gebühren historique détails aide. frais. conditions historial detalles ayuda. movimientos histórico detalhes ajuda. storico dettagli cronologia movimenti istoric detalii ajutor geschiedenis overzicht historik historikk detalj uppgifter historia. tiedot részlet előzmén ajalugu üksikasj saga. szczegół histori podrobnost podrobnosti povijest detalji история детал подробн історія подробиц историй kopsavilkum detaļ vēstur išsami istorij λεπτομέρ ιστορικό geçmiş ayrıntı detay tarixç ətraflı tarix. batafsil riwayat rincian butiran maelezo historia chi_tiết lịch_sử تفاصيل سجل פרטים היסטוריה جزئیات تاریخچه تفصیل विवरण इतिहास বিস্তারিত ইতিহাস ਵੇਰਵ વિગત விவர వివర ವಿವರ വിശദാംശ დეტალ ისტორი մանրամասն 详情 历史 记录 明细 詳細 履歴 明細 상세 내역 รายละเอียด ประวัติ ລາຍລະອຽດ លម្អិត အသေးစိတ်
search: search. find. look_up sök. søg. søk. leita. hae. haku etsi. keres otsi. buscar. busca. buscad buscador cerca. cercare. chercher. rechercher recherche. trouver. pesquis procurar encontrar caută. căutare kërko. bilatu. chwilio. cuardaigh. fittex. szukaj wyszuk znajdź hledat vyhled hľadať vyhľad traži. pretraž išči. poišči найти искать поиск найди шукати знайти пошук търс. търси търсене пребарај тражи ieškoti paiešk meklē meklēt αναζήτ εύρεση cari. carian hanapin maghanap tafuta. nema. raadi. sesha. wá. tìm. tìm_kiếm ابحث بحث חפש חיפוש 搜索 搜尋 查询 查找 查詢 ค้นหา ຄົ້ນຫາ ស្វែងរក ရှာ
search last: such. suche. suchen. finden. zoek. zoeken. vind. sichen. ara. arama axtar qidir izla. іздеу ізде изде хайх 検索 探す 검색 찾기 جستجو جست‌وجو تلاش खोज ढूंढ शोध খুঁজ অনুসন্ধান ਖੋਜ શોધ தேடு தேட వెతుక ಹುಡುಕ തിരയ സെര්ച් සොය ፈልግ ძიებ ძებნ որոնել փնտրել
login: sign_in sign_out sign_up log_in log_out login. logout. signin. signout. register. logga_in logga_ut log_ind log_ud logg_inn logg_ut kirjaudu. skrá innskr útskr bejelentkez kijelentkez belép kilép sisene. iniciar_sesión cerrar_sesión entrar. acceder. salir. sair. accedi. esci. connexion se_connecter connecter. déconn se_déconnecter conect autentific deconect hyr. dil. kyçu saioa mewngofnodi allgofnodi logáil idħol oħroġ zaloguj wyloguj přihlás odhlás prihlás prijav odjav войти вход. выйти выход. увійти вийти вхід вихід влез. изход најава одјава prisijung atsijung pieslēg iziet ieiet σύνδεση αποσύνδεση είσοδος masuk. keluar. daftar_masuk log_keluar mag-log ingia. toka. shiga. fita. gal. đăng_nhập đăng_xuất دخول خروج כניסה התחבר התנתק יציאה 登录 登入 登錄 登出 退出 เข้าสู่ ออกจากระบบ ເຂົ້າສູ່ ອອກຈາກ ចូល_គណនី ចូល ចេញ ဝင်ရန် ထွက်
login last: anmelden. abmelden. einloggen. ausloggen. inloggen. uitloggen. aanmelden. afmelden. umellen. ofmellen. giriş çıkış daxil_ol çıxış kirish chiqish кіру шығу кирүү чыгуу нэвтрэ гарах ログイン ログアウト 로그인 로그아웃 ورود خروج لاگ लॉग लगइन লগ ਲਾਗ લૉગ உள்நுழை வெளியேற லாக் లాగిన్ లాగ్ ಲಾಗ್ ലോഗിൻ ലോഗ් ግባ ውጣ შესვლ გასვლ մուտք ելք
next: next. continue. proceed_to forward. advance. skip. nästa. fortsätt gå_vidare næste fortsæt neste. fortsett áfram næsta jatka. seuraav tovább következ edasi. jätka. järgmi siguiente. continuar. avanzar. próximo. avançar. prosseguir. seguir. seguinte. suivant continuer. avanti. continua. prosegui. successivo passer_à procéder următor continuă vazhdo. tjetër jarraitu. hurrengo. nesaf. parhau. lean_ar kompli. dalej. kontynuuj następn další. pokrač ďalej. ďalší nastavi. dalje. naprej. sljedeć nasledn далее продолж вперёд вперед следующ далі продовж наступн напред продълж следващ понатаму следн tęsti toliau kitas turpināt tālāk nākam συνέχ επόμεν lanjut. lanjutkan selanjutnya berikut. seterusnya teruskan. susunod magpatuloy endelea. mbele. inayofuata gaba. okulandelayo qhubeka xiga sii_wad tiếp. tiếp_tục التالي متابعة استمرار המשך הבא 下一步 下一页 继续 繼續 ถัดไป ต่อไป ດຳເນີນ ຕໍ່ໄປ បន្ទាប់ បន្ត ဆက် ရှေ့
next last: weiter. weitergehen. fortfahren. nächst verder. doorgaan. volgende. ileri. devam. sonraki. növbəti davam. keyingi davom. келесі жалғастыр кийинки улантуу дараа үргэлж 次へ 次の 続ける 続行 進む 다음 계속 بعدی ادامه अगला आगे जारी अर्को পরবর্তী এগিয়ে ਅੱਗੇ આગળ அடுத்த தொடர తదుపరి కొనసాగ ಮುಂದೆ ಮುಂದಿನ ಮುಂದುವರ അടുത്ത തുടര ඊළඟ ቀጥል შემდეგ გაგრძელ გააგრძელ հաջորդ շարունակ
save: save. update. edit. change. modify. add. spara. ändra. redigera gem. rediger lagre. endre. tallenna. muokka mentés ment. módosít szerkeszt salvesta. muuda. vista. breyta. guardar. guarda. editar. modificar. cambiar. enregistrer. sauvegarder. modifier. salva. salvare. modifica. cambia. salvar. alterar. desa. salvează modifică editează ruaj ndrysho gorde. aldatu cadw. golygu. sábháil issejvja zapisz. edytuj zmień uložit ulož upravit zmenit uložiť upraviť spremi sačuvaj shrani uredi сохранит сохр изменит редактир зберег змінит редагув запази запис зачувај уреди измени išsaugot išsaug redaguot saglab rediģēt αποθήκευ επεξεργ αλλαγή simpan. ubah. sunting. i-save i-edit hifadhi. hariri. ajiye. londoloza kaydi lưu. sửa. حفظ تعديل تحرير שמור שמירה ערוך עריכה 保存 储存 儲存 编辑 編輯 修改 บันทึก แก้ไข ບັນທຶກ ແກ້ໄຂ រក្សាទុក កែ သိမ်း ပြင်
save last: speicher merken. sichern. bearbeit ändern. hinzufüg bewaren. opslaan. bewerken. wijzig toevoeg kaydet düzenle değiştir ekle. yadda_saxla redaktə saqla tahrir сақта өңде сакта түзөт хадгал засах 保存 編集 変更 追加 저장 수정 변경 추가 ذخیره ویرایش محفوظ सहेज सेव संपादित संरक्षण সংরক্ষণ সেভ সম্পাদনা ਸੇਵ સાચવ સેવ சேமி திருத்த సేవ్ భద్రపర సవరించ ಉಳಿಸ സംരക്ഷി സേവ് എഡിറ്റ് සුරකින්න አስቀምጥ አስተካክል შენახ შეინახ რედაქტ պահել խմբագր
cancel: cancel. close. avbryt annuller. hætta_við peruuta peru. tühista cancelar. cancela. anular. annuler. annulla. disdici anulează anulo. anuluj odwołaj zrušit zruš otkaži odustani prekliči отмен скасув откажи отмени откажува адмян atšaukti atcelt ακύρωση ακυρωσ batal. batalkan. kanselahin ghairi. soke. khansela. jooji. huỷ. hủy. إلغاء ביטול לבטל 取消 ยกเลิก ຍົກເລີກ បោះបង់ ပယ်ဖျက် utzi. canslo cealaigh ikkanċella lemond.
cancel last: abbrechen. stornier absagen. annuleer annuleren. iptal ləğv bekor болдырмау жокко_чыгар цуцл キャンセル 취소 لغو منسوخ रद्द বাতিল ਰੱਦ રદ ரத்து రద్దు ರದ್ದು റദ്ദാക്ക අවලංගු ሰርዝ_ይሰረዝ გაუქმ չեղարկ
back: no. nope. back. keep. close. never_mind not_now dismiss. abort. go_back stop. leave. undo. avbryt. nej. nei. stäng tillbaka. inte_nu annuller. luk. tilbage behold lukk. tilbake. hætta. loka. til_baka peruuta. peru. ei. sulje. takaisin mégse nem. bezár vissza loobu. tühista. tagasi sulge. cancelar. cancela. no_gracias volver. cerrar. conservar. ahora_no regresar. atrás não. voltar. fechar. agora_não manter. annuler. non. retour. revenir. fermer. garder. conserver. plus_tard annulla. indietro. torna. chiudi. mantieni. renunț anulează înapoi închide nu. anulo. jo. kthehu. mbyll. ez. utzi. itzuli na. canslo. yn_ôl cealaigh. níl. siar. ikkanċella lura. le.
back: anuluj nie. wróć. powrót zamknij zrušit zruš ne. zpět. zavřít zrušiť späť. zavrieť odustani. nazad. zatvori. prekliči. nazaj. zapri. natrag. отмен нет. назад вернут закрыт отказаться скасув ні. повернут закрити отказ. откажи отмени не. затвори адмян atšaukti atgal. grįžti uždaryti atcelt nē. atpakaļ aizvērt ακύρωση άκυρο όχι πίσω επιστροφή κλείσιμο batal. tidak. kembali. tutup. nanti. bumalik. hindi. kanselahin isara. ghairi. hapana. rudi. funga. soke. koma. a'a. rufe. khansela. cha. buyela. vala. jooji. maya. dib_u huỷ. hủy. không. quay_lại đóng. trở_lại إلغاء لا. رجوع العودة إغلاق تراجع ביטול לא. חזרה חזור סגור 取消 返回 关闭 關閉 不了 否. ยกเลิก ไม่ กลับ ปิด ຍົກເລີກ ກັບ ປິດ បោះបង់ ត្រឡប់ បិទ ပယ်ဖျက် နောက်သို့ ပိတ်
back last: abbrechen. nein. zurück behalten. schließen. annuleer annuleren. nee. terug. sluiten. behouden. nicht_jetzt vorige. vazgeç iptal hayır geri. kapat. ləğv xeyr bağla. bekor yoʻq orqaga yopish болдырмау жоқ артқа жабу артка жок болих үгүй буцах хаах キャンセル いいえ 戻る 戻す 閉じる やめる 취소 아니 닫기 돌아가기 뒤로 لغو انصراف خیر بازگشت بستن منسوخ نہیں واپس रद्द नहीं वापस बंद नाही होइन পিছনে বাতিল না. বন্ধ ਰੱਦ ਨਹੀਂ રદ ના. પાછા ரத்து இல்லை திரும்ப మూసివేయ రద్దు వద్దు లేదు ವಾಪಸ್ ರದ್ದು ಇಲ್ಲ റദ്ദാക്ക വേണ്ട തിരികെ අවලංගු නැත ተመለስ ይቅር გაუქმ არა უკან დახურ չեղարկ ոչ. հետ. փակել
view: view. show. see. learn. how. track. about. explore. browse. compare. download. print. copy. expand. collapse. zoom. preview. read_more read_how review. open. more. select. choose. pick. hide. watch. what. why. where. visa. se. läs. mer. jämför välj. förhandsgransk vis. læs. mere. vælg. les. velg. sjá. sýna. skoða. meira. näytä. katso. lue. lisää. valitse. esikatsel mutat mutasd megtek tovább_olvas több. válassz előnéz näita. vaata. loe. rohkem. eelvaade ver. vea. leer. más. mostrar. elegir. consultar. veja. ler. mais. escolher. voir. afficher. lire. plus. consulter. choisir. aperçu. prévisual visualis vedi. mostra. leggi. altro. scegli. anteprima guarda. vezi. afișea citește mai_mult alege. previzual veure. shiko. shfaq lexo. ikusi. erakutsi. gweld. dangos. féach. taispeáin. ara_. uri. aktar.
view: zobacz. pokaż. więcej. czytaj. wybierz. sprawdź podgląd zobrazit ukázat více. číst vybrat náhled zobraziť viac. čítať prikaži. vidi. više. poglej. več. pregled pogledaj показат смотр посмотр подробнее ещё. еще. читат узнат выбрат предпросм показати перегл більше. читати дізнат виж. покажи повече избери преглед прикажи види повеќе rodyti peržiūr daugiau rādīt skatīt vairāk lasīt apskat priekšskat δείτε δες. εμφάνισ προβολή περισσότερ διάβασ προεπισκ lihat. tampilkan. baca. selengkapnya pratinjau papar. lagi. tingnan ipakita basahin tazama. angalia. onyesha. soma. zaidi. duba. nuna. karanta. buka. bheka. eeg. muuji. xem. đọc. thêm. hiển_thị عرض شاهد اقرأ المزيد معاينة הצג ראה צפה עוד. קרא תצוגה 查看 更多 阅读 展开 预览 預覽 浏览 显示 顯示 ดู อ่าน เพิ่มเติม แสดง ตัวอย่าง ເບິ່ງ ອ່ານ ສະແດງ មើល អាន បង្ហាញ ကြည့် ဖတ် ပြပါ
view last: anzeigen. zeige. ansehen. ansicht. lesen. mehr. auswählen. vorschau. vergleich bekijk bekijken. toon. tonen. lees. lezen. meer. kies. voorbeeld. göster gör. görüntüle oku. devamını_oku önizle daha_fazla göstər bax. ətraflı oxu. koʻrsat koʻrish batafsil oʻqish көрсет қарау оқу көрүү харах үзэх 表示 見る 詳しく もっと 読む プレビュー 보기 더보기 미리보기 자세히 펼치기 نمایش مشاهده دیدن بیشتر دیکھ दिखा देख अधिक पढ़ें हेर्नु পড়ুন দেখ আরও ਵੇਖ ਹੋਰ જુઓ વધુ பார் காண்ப மேலும் చూడ మరింత ನೋಡ ಹೆಚ್ಚ കാണ കൂടുതൽ බලන්න አሳይ ተጨማሪ እይ ნახვ ჩვენებ მეტი ვრცლად տեսնել ցույց ավելի
filter: filter. sort. reset_filter only. rank. order_by sort_by reorder filtrera sortera. sortér sorter. endast. bara. suodat lajittele. järjest. vain. szűr rendez csak. filtreeri. sorteeri. sía. raða. flokka filtrar. ordenar. solo. sólo. apenas. somente. filtrer. trier. seulement. uniquement. filtra. ordina_per filtrea sorteaz doar. filtro. rendit. ordenatu hidlo. trefnu. scag. sórtáil filtruj sortuj tylko. filtrov řadit. seřadit pouze. zoradiť iba. filtriraj sortiraj poredaj razvrsti samo. фильтр сорт отсорт только. фільтр сортув лише. тільки филтр подреди само. rūšiuoti filtruoti tik. kārtot filtrēt φίλτρ ταξινόμ μόνο saring urutkan. tapis. isih. salain. ayusin chuja. panga. jera. hlunga. hlela. sooc. lọc. sắp_xếp تصفية فلتر ترتيب מיון סנן 筛选 篩選 排序 กรอง เรียง ກັ່ນຕອງ ຈັດລຽງ តម្រង តម្រៀប စစ်ထုတ် စီရန်
filter last: filtern. sortier nur. filteren. sorteer. sorteren. alleen. sırala. filtrele. sadece. yalnızca. sırala filtrlə yalnız. saralash сүзгі сұрыпта чыпка ирээр эрэмбэл шүү 絞り込 並べ替え 並び替え のみ 順 필터 정렬 만_보기 순. فیلتر مرتب छाँट क्रम फ़िल्टर फिल्टर সাজা ফিল্টার ਫਿਲਟਰ ફિલ્ટર வடிகட்ட வரிசை ఫిల్టర్ క్రమ ಫಿಲ್ಟರ್ ವಿಂಗಡಿಸ ഫിൽട്ടർ അടുക്ക පෙරහන් አጣራ ደርድር ფილტრ დალაგ ֆիլտր տեսակավոր զտել
like: like. unlike. love. favorite. favourite. follow. bookmark. mute. rate. vote_up save_for_later gilla. följ. synes_godt liker. tykkää. seuraa kedvel követ meeldib me_gusta seguir. curtir. gosto. j'aime aimer. suivre. mi_piace segui. îmi_place urmărește m'agrada pëlqe lubię polub obserwuj líbí sledovat páči sviđa prati. všeč нравит лайк подобаєт стежит харес допаѓа patinka patīk μου_αρέσει suka. gusto penda. so. thích. theo_dõi أعجبني إعجاب אהבתי לייק עקוב 点赞 喜欢 关注 赞 讚 ถูกใจ ติดตาม ຖືກໃຈ ចូលចិត្ត ကြိုက်
like last: gefällt. folgen. leuk. volgen. beğen takip_et bəyən yoqdi ұна жакты таалагд いいね フォロー 좋아요 팔로우 پسند دنبال पसंद लाइक পছন্দ লাইক ਪਸੰਦ પસંદ லைக் விருப்பம் ఇష్టం ಇಷ್ಟ ഇഷ്ട ወደድ მოწონ հավան
calc: apply. use. calculate. estimate. simulate. validate. check. verify. refresh. reload. translate. shuffle. generate. mark_as mark_all mark_read resend räkna beräkna uppdatera. kontrollera markera beregn opdater kontroll sjekk marker laske. päivitä. tarkista. merkitse. számít kiszám számol frissít ellenőriz jelöl arvuta. värskenda kontrolli märgi reikna. endurnýja athuga. merkja calcular. simular. estimar. actualizar. comprobar. verificar. marcar. calculer. estimer. simuler. actualiser. vérifier. rafraîch marquer. calcola. simula. aggiorna. verifica. segna. atualizar. calculea simulea actualiz verific marchea validează llogarit rifresko kalkulatu eguneratu cyfrif. diweddar ríomh. ikkalkula. aġġorna.
calc: oblicz odśwież sprawdź oznacz przelicz vypoč spočít obnovit zkontrol označ aktualiz prepočít izračun osvjež osvež provjer proveri ozna рассчит посчит обнов провер отмет пометит розрах онов перевір познач изчисл опресн маркир пресметај освежи провери означи skaičiuo apskaič atnauj tikrin pažym aprēķin atjaun pārbaud atzīm υπολογ ανανέω ενημέρωσ έλεγχο σήμανσ hitung. perbarui. segarkan. periksa. tandai. kira. muat_semula semak. kalkulahin i-refresh kokotoa. onyesha_upya kagua. lissafa. sabunta. bala. vuselela xisaabi. cusboonaysii tính. làm_mới kiểm_tra đánh_dấu احسب حساب_الر تحديث تحقق חשב רענן בדוק סמן 计算 刷新 更新 检查 标记 试算 คำนวณ รีเฟรช ตรวจสอบ ทำเครื่องหมาย ຄຳນວນ ໂຫຼດ ກວດ គណនា ធ្វើបច្ចុប្បន្ន ពិនិត្យ တွက် ပြန်လည် စစ်ဆေး
calc last: berechne aktualisier prüfen. markier neu_laden bereken verversen. vernieuw controleer markeer hesapla yenile. kontrol_et işaretle hesabla yenilə yoxla hisobla yangila tekshir есепте жаңарт тексер эсепте жаңырт бод. шинэчил шалга 計算 更新 再読 試算 既読 계산 새로 갱신 읽음 조회 محاسبه بروزرسانی بررسی علامت حساب गणना ताज़ा जाँच चिह्नित গণনা রিফ্রেশ যাচাই চিহ্নিত ਗਣਨਾ ગણતરી તાજું கணக்கிட புதுப்பி சரிபார் లెక్కించ రిఫ్రెష్ ಲೆಕ್ಕ ರಿಫ್ರೆಶ್ കണക്കാക്ക പുതുക്ക ගණනය አስላ አድስ გამოთვ განახლ შემოწმ հաշվել թարմաց ստուգել
lang: language. sprache. umschalten. langue. idioma. lingua. språk. sprog. taal. kieli. nyelv język jazyk язык мова език dil. тіл bahasa. lugha. ngôn_ngữ اللغة שפה زبان भाषा ভাষা மொழி భాష ಭಾಷೆ ഭാഷ ენა լեզու 语言 語言 言語 언어 ภาษา ພາສາ ភាសា ဘာသာ cookies cookie. クッキー 쿠키
contract: subscription. membership. account. booking. reservation. contract. policy. appointment. order. plan. flight. workspace. lease. abonnement vertrag konto. kundenkonto termin. buchung mitgliedschaft compte. contrat. réservation rendez-vous rendez. suscripción cuenta. contrato. cita. reserva. pedido. assinatura conta. consulta. abbonamento contratto conto. ordine. prenotazione appuntamento abonament cont. programare comandă. afspraak. rekening. lidmaatschap prenumeration medlemskap bokning bestilling tilaus. tilauksen varaus. varauksen tili. előfizetés fiók foglalás szerződés rendelés tellimus. broneering áskrift bókun subskrypcj konta. umow rezerwacj zamówieni předplat smlouv účet rezervac objednáv zmluv pretplat račun rezervacij narudžb подписк аккаунт учетн договор бронь заказ запись підписк акаунт договір замовлен запис абонамент поръчк резервац претплат prenumerat paskyr sutart užsakym abonement kontu līgum rezervācij συνδρομ λογαριασμ ραντεβ κράτησ παραγγελ abonelik üyelik hesab randevu rezervasyon sipariş abunə sifariş rezerv obuna buyurtma hisob жазылым тапсырыс langganan akaun. pesanan. janji. subscription usajili akaunti. miadi. gói. tài_khoản đơn_hàng lịch_hẹn الاشتراك حسابي الحجز الطلب الموعد מנוי הזמנה חשבון תור. اشتراک رزرو سفارش सदस्यता ऑर्डर बुकिंग खाता সদস্যতা অর্ডার বুকিং পলিসি চুক্তি সাবস্ক্রিপশন ஆர்டர் முன்பதிவு கணக்கு సభ్యత్వ ఆర్డర్ బుకింగ్ 订单 订阅 预约 账户 账号 合同 訂單 注文 予約 契約 구독 주문 예약 계정 계약 การสมัคร คำสั่งซื้อ การจอง บัญชี
polite: yes. please. ja. oui. sí. si. sim. sì. tak. да. так. evet. ok. okay. now. jetzt. bitte. maintenant. ahora. agora. ora. adesso nu. teraz. сейчас. зараз i. my. the. und. and. to. you. je. ich. nyt. hned. сега
`

// meaning is what a stem says.
type meaning struct {
	name string
	last bool // its language puts the verb last
	kind kind
}

type kind int

const (
	none    kind = iota
	command      // pay, send, delete
	ends         // confirm, yes: what it is about decides
	deed         // the noun of a command
	thing        // a basket, a draft: what is done with it is undone as easily
	code         // of a coupon
	about        // history, details
	moves        // next, save
	leaves       // cancel, back
	easy         // search, view, sort
	agreed       // a subscription, an order: to cancel it commits
	filler
)

var kinds = map[string]kind{"final": ends, "deed": deed, "object": thing, "coupon": code, "info": about, "next": moves, "save": moves,
	"back": leaves, "cancel": leaves, "contract": agreed, "polite": filler, "search": easy, "login": easy, "view": easy, "filter": easy, "like": easy, "calc": easy, "lang": easy}

type stem struct {
	text  string // folded; its words are joined by _
	whole bool
	meaning
}

// short stems, in letters, begin too much: they are whole words.
const short = 3

// table finds stems by their first letter.
var table = func() map[rune][]stem {
	t := map[rune][]stem{}
	for line := range strings.Lines(stems) {
		name, all, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		name, last := strings.CutSuffix(name, " last")
		k, ok := kinds[name]
		if !ok {
			k = command
		}
		for _, text := range strings.Fields(all) {
			text, whole := strings.CutSuffix(fold(text), ".")
			text = strings.TrimPrefix(text, "_")
			if text == "" {
				continue
			}
			runes := []rune(text)
			first := runes[0]
			whole = whole || len(runes) <= short && unicode.In(first, unicode.Latin, unicode.Cyrillic, unicode.Greek)
			t[first] = append(t[first], stem{text, whole, meaning{name, last, k}})
		}
	}
	return t
}()

// fold makes letters of one shape: no case, no accents where capitals lose them, no marks
// that are typed in many ways.
func fold(text string) string { return folder.Replace(strings.ToLower(text)) }

var folder = strings.NewReplacer("ά", "α", "έ", "ε", "ή", "η", "ί", "ι", "ό", "ο", "ύ", "υ", "ώ", "ω", "ϊ", "ι", "ϋ", "υ", "ΐ", "ι", "ς", "σ",
	"ё", "е", "ı", "i", "i̇", "i", "\u0307", "", "ʻ", "_", "‘", "_", "’", "_", "ʼ", "_", "\u200c", "", "\u200d", "", "\u0640", "", "-", "_", "'", "_", "أ", "ا", "إ", "ا", "آ", "ا")

// spaceless reports whether a script puts no spaces between words, or glues them.
func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// hit is a stem in a text.
type hit struct {
	meaning
	at, of int // which word of how many
	size   int // in bytes
}

// find gives the meanings in words, the longest stem at each place.
func find(words []string) (hits []hit) {
	joined := strings.Join(words, "_") + "_"
	at := 0
	start := true
	skip := 0
	for i, r := range joined {
		if r == '_' {
			at, start = at+1, true
			continue
		}
		if i >= skip && (start || spaceless(r)) {
			if s := longest(joined[i:], r); s.kind != none {
				hits = append(hits, hit{s.meaning, at, len(words), len(s.text)})
				skip = i + len(s.text)
			}
		}
		start = false
	}
	return hits
}

// longest is the longest stem that a text begins with; of equals the first.
func longest(text string, first rune) (best stem) {
	for _, s := range table[first] {
		if len(s.text) > len(best.text) && strings.HasPrefix(text, s.text) && (!s.whole || text[len(s.text)] == '_') {
			best = s
		}
	}
	return best
}
