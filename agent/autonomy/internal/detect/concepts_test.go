package detect

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// senseOf is what a text speaks of, by a language's lexicon.
func senseOf(t *testing.T, language, text string) sense {
	t.Helper()
	b := normalise(nil, []byte(text))
	s := lexicons[languageNamed(language)]().senseOf(b, tokens(nil, b))
	return s
}

func concept(t *testing.T, name string) concepts {
	t.Helper()
	at := slices.Index(conceptNames[:], name)
	if at < 0 {
		t.Fatalf("%q is no concept", name)
	}
	return 1 << at
}

func TestEachLanguageHasAllConceptsAndFindsEachOfTheirWords(t *testing.T) {
	t.Parallel()
	for _, language := range languages {
		data, err := conceptFiles.ReadFile(path.Join("concepts", language+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		var named []string
		for line := range strings.Lines(string(data)) {
			name, list, _ := strings.Cut(strings.TrimSpace(line), ":")
			named = append(named, name)
			seen := map[string]bool{}
			for _, item := range conceptItems(list) {
				stem := strings.TrimSuffix(item, "*")
				if seen[item] || strings.Contains(stem, "*") || len(tokens(nil, normalise(nil, []byte(stem)))) == 0 {
					t.Errorf("%s: %s: %q stands there twice, or is nothing that can be found", language, name, item)
				}
				seen[item] = true
				s, longer := senseOf(t, language, stem), senseOf(t, language, stem+"x")
				if s.all&concept(t, name) == 0 && (stem == item || longer.all&concept(t, name) == 0) {
					t.Errorf("%s: %s: %q is not found", language, name, item)
				}
			}
		}
		if !slices.Equal(named, conceptNames[:]) {
			t.Errorf("%s: the concepts are %q", language, named)
		}
	}
}

func TestWordsAreKnownByWhatTheyMean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, text, has, lacks string
	}{
		{"en", "A nod from the owner would do.", "approve", "payment"},
		{"en", "The whole thing is on ice.", "wait", "approve"},
		{"en", "There is ice on the road.", "", "wait"},
		{"de", "Ein kurzes Nicken genügt.", "approve", "payment"},
		{"de", "Das Passwort fehlt.", "credentials", "payment"},
		{"fr", "Il faut l'approbation du client.", "approve", "payment"},
		{"ru", "Жду вашего решения.", "decide", "payment"},
		{"zh", "请批准", "approve", "payment"},
		{"ja", "確認をお願いします", "check", "payment"},
		{"fi", "Send the password", "credentials", "payment"}, // English is part of each
	} {
		s := senseOf(t, c.language, c.text)
		if c.has != "" && s.all&concept(t, c.has) == 0 || s.all&concept(t, c.lacks) != 0 {
			t.Errorf("%s: %q does not speak of %q, or does of %q", c.language, c.text, c.has, c.lacks)
		}
	}
}

func TestWhatStandsBehindANegationIsDenied(t *testing.T) {
	t.Parallel()
	pay := concept(t, "payment")
	if s := senseOf(t, "en", "no payment"); s.denied&pay == 0 {
		t.Error("no payment is not denied")
	}
	if s := senseOf(t, "en", "payment, no"); s.denied&pay != 0 || s.all&pay == 0 {
		t.Error("a payment before the negation is denied")
	}
}

func TestLanguagesAreToldApart(t *testing.T) {
	t.Parallel()
	for language, text := range map[string]string{
		"en": "The file is on the desk and it is for you.", "de": "Die Datei ist auf dem Tisch, und sie ist für dich.",
		"fr": "Le fichier est sur la table et il est pour vous.", "es": "El archivo no está en la mesa, y es para los dos.",
		"ru": "Файл лежит на столе, и это не для вас.", "uk": "Файл лежить на столі, і це не для вас, якщо що.", "el": "Το αρχείο είναι έτοιμο.",
		"zh": "文件已经准备好了。", "ja": "ファイルは準備できました。", "ko": "파일이 준비되었습니다.", "hi": "फ़ाइल तैयार है।", "ar": "الملف جاهز.", "he": "הקובץ מוכן.",
	} {
		if got := languages[languageOf(tokens(nil, normalise(nil, []byte(text))))]; got != language {
			t.Errorf("%q is %s, not %s", text, got, language)
		}
	}
	if languageOf(nil) != english {
		t.Error("nothing is not taken for English")
	}
}

func TestAFileOfConceptsIsCheckedAsItIsRead(t *testing.T) {
	t.Parallel()
	x := newLexicon()
	if err := x.read("aprove: yes\n"); err == nil {
		t.Error("a concept that there is not was read")
	}
	many := strings.Builder{}
	for i := range 1<<tableBits - 1000 {
		fmt.Fprintf(&many, " word%d", i)
	}
	if err := x.read("approve:" + many.String() + "\n"); err == nil {
		t.Error("more words were read than there is room for")
	}
}
