package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tonne/model"
)

func TestTextIsMadeVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Bale Mountains":            "Bale Mountains",
		`C:\path`:                   `C:\path`,
		"\x1b]":                     "␛]",
		"\x1b[2J":                   "␛[2J",
		"\u009b2J":                  "<U+009B>2J",
		"\u009d0;title\a":           "<U+009D>0;title␇",
		"a\rb\bc\x00\x7f":           "a␍b␈c␀␡",
		"two\nlines\r\n\tand a tab": "two␊lines␍␊␉and a tab",
		"\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\": `␛]8;;https://evil.example␛\link␛]8;;␛\`,
		"\x1b]52;c;cm0gLXJm\a":                                 "␛]52;c;cm0gLXJm␇",
		"abc\u202Etxt.exe":                                     "abc<U+202E>txt.exe",
		"a\u2066b\u2069":                                       "a<U+2066>b<U+2069>",
		"a\u200bb\ufeffc\u00add":                               "a<U+200B>b<U+FEFF>c<U+00AD>d",
		"x\u200dy":                                             "x<U+200D>y",
		"\u2028\u2029\u0085":                                   "<U+2028><U+2029><U+0085>",
		"\U000E0041\U000E007F":                                 "<U+E0041><U+E007F>",
		"\u3164":                                               "<U+3164>",
		"\u2065\ufff0\U000E0002":                               "<U+2065><U+FFF0><U+E0002>",
		"\xff\xc3":                                             "\ufffd\ufffd",
		"عربي שלום":                                            "عربي שלום",
		"می\u200cخواهم":                                        "می\u200cخواهم",
		"クレジット 碳信用 탄소":                                         "クレジット 碳信用 탄소",
		"👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥":                       "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥",
		"👩🏽\u200d🚀":                                            "👩🏽\u200d🚀",
		"é e\u0301":                                            "é e\u0301",
		"\u0301e":                                              "◌\u0301e",
		"":                                                     "",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestTextIsBounded(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"ASCII":   strings.Repeat("n", 1<<20),
		"CJK":     strings.Repeat("碳", 1<<20),
		"escapes": strings.Repeat("\x1b", 1<<20),
	} {
		got := Clean(in)
		if len(got) > maxText+16 || !strings.HasSuffix(got, "…") {
			t.Errorf("%s: a megabyte is kept with %d bytes", name, len(got))
		}
	}
}

func TestCombiningMarksAreBounded(t *testing.T) {
	t.Parallel()
	got := Clean("e" + strings.Repeat("\u0301", 500) + "x")
	if want := "e" + strings.Repeat("\u0301", maxMarks) + "x"; got != want {
		t.Errorf("500 marks become %q", got)
	}
}

func TestPlainTextIsNotCopied(t *testing.T) {
	text := strings.Repeat("Bale Mountains ", 20)
	if n := testing.AllocsPerRun(100, func() { Clean(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// hostile is text that must not reach a terminal as it is.
const hostile = "\x1b]8;;x\a\u009b2J\r\n\b\u202e\u2066\u200b\U000E0041"

// TestNoTextOfAnyFieldIsLeftUnsanitised puts hostile text into each string of
// a good body in turn and as the name and value of an unknown member.
func TestNoTextOfAnyFieldIsLeftUnsanitised(t *testing.T) {
	t.Parallel()
	show := map[string]func([]byte) string{
		"market":     showMarket,
		"inventory":  func(b []byte) string { inv, _, err := DecodeInventory(b); return fmt.Sprintf("%+v %v", inv, err) },
		"retirement": func(b []byte) string { r, err := DecodeRetirement(b); return fmt.Sprintf("%+v %v", r, err) },
		"projects":   func(b []byte) string { p, err := DecodeProjects(b); return fmt.Sprintf("%+v %v", p, err) },
	}
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range decoders {
		bodies := []string{
			strings.Replace(d.good, "{", "{"+string(quoted)+":"+string(quoted)+",", 1),
			strings.Replace(d.good, `{"project_id"`, "{"+string(quoted)+":["+string(quoted)+`],"project_id"`, 1),
			strings.Replace(d.good, `"vintage_id":`, string(quoted)+`:1,`+string(quoted)+`:2,"vintage_id":`, 1),
		}
		parts := strings.Split(d.good, `"`)
		for i := 1; i < len(parts); i += 2 {
			with := append([]string(nil), parts...)
			with[i] = strings.Trim(string(quoted), `"`)
			bodies = append(bodies, strings.Join(with, `"`))
		}
		for _, body := range bodies {
			assertClean(t, body, show[name](([]byte)(body)))
		}
	}
	f := DecodeFailure([]byte(`{"error":` + string(quoted) + `,"message":[` + string(quoted) + `]}`))
	assertClean(t, "failure", f.Code+f.Message)
}

func showMarket(body []byte) string {
	part, _, err := DecodeMarket(body)
	if err != nil {
		return err.Error()
	}
	m := model.NewMarket(part)
	var b strings.Builder
	for i := range m.Vintages() {
		fmt.Fprint(&b, m.Key(i), m.Extra(m.Key(i).ProjectID), m.Extra(m.Key(i).VintageID))
	}
	for i := range m.Orders() {
		fmt.Fprint(&b, m.Order(i), m.Extra(m.Order(i).ID))
	}
	fmt.Fprint(&b, m.Faults())
	return b.String()
}

func assertClean(t *testing.T, from, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q holds invalid UTF-8 (from %q)", text, from)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) || isHidden(r) && !isJoiner(r) }); i >= 0 {
		t.Errorf("%q holds a hidden character at %d (from %q)", text, i, from)
	}
}
