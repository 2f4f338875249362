package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/model/texttest"
)

func TestTextIsMadeVisible(t *testing.T) {
	texttest.Table(t, "clean", func(text string) string { return strconv.Quote(Clean(text)) })
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
// a good body in turn, and a list or an object with it instead of the string, and
// as the name and value of an unknown member.
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
			before, after := strings.Join(parts[:i], `"`), strings.Join(parts[i+1:], `"`)
			bodies = append(bodies, before+"["+string(quoted)+"]"+after, before+`{"a":`+string(quoted)+"}"+after)
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
	piece := rapid.SampledFrom([]string{"a", "1", "\u20e3", "👩", "❤", "☎", "◌", "\n", "ک", "र", "\u094d", "\u0301",
		"\u200c", "\u200d",
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
