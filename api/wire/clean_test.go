package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	must "tonne/model/musttest"
)

func TestTextIsMadeVisible(t *testing.T) {
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
		"ک\u200c\u094d":                                        "ک<U+200C>\u094d",
		"می\u200cخواهم":                                        "می\u200cخواهم",
		"クレジット 碳信用 탄소":                                         "クレジット 碳信用 탄소",
		"👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥":                       "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥",
		"👩🏽\u200d🚀":                                            "👩🏽\u200d🚀",
		"é e\u0301":                                            "é e\u0301",
		"Cookstoves 1\ufe0f\u20e3 ©\ufe0f ☎\ufe0e":             "Cookstoves 1\ufe0f\u20e3 ©\ufe0f ☎\ufe0e",
		"🇸🇪 👁\ufe0f\u200d🗨\ufe0f":                              "🇸🇪 👁\ufe0f\u200d🗨\ufe0f",
		"र\u200d\u094dय র\u200d\u09cdয":                        "र\u200d\u094dय র\u200d\u09cdয",
		"അവന\u0d4d\u200d ක\u0dca\u200dෂ":                       "അവന\u0d4d\u200d ක\u0dca\u200dෂ",
		"Ba\u034fle\u115f\u1160\uffa0":                         "Ba<U+034F>le<U+115F><U+1160><U+FFA0>",
		"a\ufe0f1\ufe0f☎\ufe0f\ufe0f":                          "a<U+FE0F>1<U+FE0F>☎\ufe0f<U+FE0F>",
		"\ufe00葛\U000E0100\u180b\u17b4":                        "<U+FE00>葛<U+E0100><U+180B><U+17B4>",
		"\u206a\U0001D173\U0001BCA0\u180e":                     "<U+206A><U+1D173><U+1BCA0><U+180E>",
		"a\ufe0f\u200d👩":                                       "a<U+FE0F><U+200D>👩",
		"\u0301e":                                              "◌\u0301e",
		"":                                                     "",
	} {
		must.Equal(t, Clean(in), want, in)
	}
}

func TestTextIsBounded(t *testing.T) {
	for name, in := range map[string]string{
		"ASCII":   strings.Repeat("n", 1<<20),
		"CJK":     strings.Repeat("碳", 1<<20),
		"escapes": strings.Repeat("\x1b", 1<<20),
	} {
		got := Clean(in)
		must.Hold(t, len(got) <= maxText+16 && strings.HasSuffix(got, "…"), name, len(got))
	}
}

func TestCombiningMarksAreBounded(t *testing.T) {
	got := Clean("e" + strings.Repeat("\u0301", 500) + "x")
	must.Equal(t, got, "e"+strings.Repeat("\u0301", maxMarks)+"x")
}

func TestPlainTextIsNotCopied(t *testing.T) {
	text := strings.Repeat("Bale Mountains ", 20)
	n := testing.AllocsPerRun(100, func() { Clean(text) })
	must.Hold(t, n == 0, n)
}

// hostile is text that must not reach a terminal as it is.
const hostile = "\x1b]8;;x\a\u009b2J\r\n\b\u202e\u2066\u200b\U000E0041"

// TestNoTextOfAnyFieldIsLeftUnsanitised puts hostile text into each string of
// a good body in turn and as the name and value of an unknown member.
func TestNoTextOfAnyFieldIsLeftUnsanitised(t *testing.T) {
	quoted := must.Get(json.Marshal(hostile))
	for _, d := range decoders {
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
			read, err := d.read([]byte(body))
			assertClean(t, body, fmt.Sprintf("%+v %v", read, err))
		}
	}
	f := DecodeFailure([]byte(`{"error":` + string(quoted) + `,"message":[` + string(quoted) + `]}`))
	assertClean(t, "failure", f.Code+f.Message)
}

func assertClean(t *testing.T, from, text string) {
	t.Helper()
	must.Hold(t, utf8.ValidString(text), text, from)
	characters := []rune(text)
	for i, r := range characters {
		must.Hold(t, !unicode.IsControl(r) && (!ignorable(r) || needed(characters[:i], r, characters[i+1:])),
			text, r, i, from)
	}
}

// ignorable reports whether r hides, in the words of the Unicode standard:
// Default_Ignorable_Code_Point is derived so (DerivedCoreProperties.txt).
func ignorable(r rune) bool {
	derived := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
		!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) &&
		!(r >= 0xfff9 && r <= 0xfffb) && !(r >= 0x13430 && r <= 0x1343f)
	return derived || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// needed reports whether r is one of the exceptions: what emoji and scripts
// are written with.
func needed(before []rune, r rune, after []rune) bool {
	var last, next rune
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	if len(after) > 0 {
		next = after[0]
	}
	mark := unicode.Is(unicode.M, last)
	switch r {
	case 0xfe0e, 0xfe0f:
		return hasEmojiForm(last) || strings.ContainsRune("0123456789#*", last) && next == 0x20e3
	case 0x200d:
		if (isPicture(last) || last == 0xfe0f) && isPicture(next) {
			return true
		}
		fallthrough
	case 0x200c:
		indic := last >= 0x900 && last <= 0xdff
		return (isJoined(last) || mark) && isJoined(next) || indic && mark || indic && unicode.Is(unicode.M, next)
	}
	return false
}

// TestEveryIgnorableCharacterIsMarked puts each code point that shows nothing
// among letters, digits and pictures.
func TestEveryIgnorableCharacterIsMarked(t *testing.T) {
	count := 0
	for r := range rune(unicode.MaxRune) + 1 {
		if !ignorable(r) {
			continue
		}
		count++
		for _, beside := range []string{"a", "1", "é", "碳", "e\u0301", ""} {
			got, want := Clean(beside+string(r)+beside), fmt.Sprintf("<U+%04X>", r)
			must.Need(t, strings.Contains(got, want), r, beside, got)
		}
		for _, beside := range []string{"👩", "☎", "ک", "र", "र\u094d"} {
			got := Clean(beside + string(r) + beside)
			assertClean(t, beside, got)
			exempt := r == nonJoiner || r == joiner || r == textSelector || r == emojiSelector
			must.Hold(t, exempt || strings.Contains(got, fmt.Sprintf("<U+%04X>", r)), r, beside, got)
		}
	}
	// 4,174 have the property, 2 separate lines.
	must.Hold(t, count >= 4176, "only", count)
}

// TestCleaningAgainChangesNothing draws texts of the characters whose meaning
// depends on their neighbours, around the greatest length too.
func TestCleaningAgainChangesNothing(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "1", "\u20e3", "👩", "❤", "☎", "◌", "\n", "ک", "र", "\u094d", "\u0301", "\u200c", "\u200d",
		"\ufe0f", "\ufe0e", "\u034f", "\u202e", "\u115f", "\xff", "🏽", "ං", "\u0dca", "é"})
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Repeat("a", rapid.SampledFrom([]int{0, 0, maxText - 8, maxText - 3}).Draw(rt, "before")) +
			strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(rt, "pieces"), "")
		got := Clean(s)
		assertClean(t, s, got)
		again := Clean(got)
		must.Need(rt, again == got, s, got, again)
		must.Hold(rt, IsClean(got), got)
	})
}
