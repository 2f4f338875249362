package tab_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// typedInto returns a focused line with the cursor before the nth character.
func typedInto(text string, n int) tab.Entry {
	e := tab.NewEntry()
	e.Focus()
	place(&e, text, n)
	return e
}

func place(e *tab.Entry, text string, n int) {
	e.SetValue(text)
	e.Take(tea.KeyPressMsg{Code: tea.KeyHome})
	for range n {
		e.Take(tea.KeyPressMsg{Code: tea.KeyRight})
	}
}

func TestAltDDeletesTheNextWord(t *testing.T) {
	t.Parallel()
	want := []string{" cd  e", "a cd  e", "ab  e", "ab   e", "ab c  e", "ab cd", "ab cd ", "ab cd  ", "ab cd  e"}
	for n, want := range want {
		for _, stroke := range []tea.KeyPressMsg{
			{Code: 'd', Mod: tea.ModAlt}, {Code: tea.KeyDelete, Mod: tea.ModAlt}, {Code: tea.KeyDelete, Mod: tea.ModCtrl},
		} {
			e := typedInto("ab cd  e", n)
			e.Take(stroke)
			e.Take(tea.KeyPressMsg{Code: '|', Text: "|"})
			before := "ab cd  e"[:n]
			must.Equal(t, e.Value(), before+"|"+strings.TrimPrefix(want, before), stroke, n)
		}
	}
}

func TestUnfocusedLineIgnoresKeys(t *testing.T) {
	t.Parallel()
	e := typedInto("ab cd", 1)
	e.Blur()
	for _, stroke := range editing() {
		e.Take(stroke)
		must.Need(t, e.Value() == "ab cd", stroke, e.Value())
	}
}

// editing returns every key that edits a line, alone and with each supported modifier.
func editing() (strokes []tea.KeyPressMsg) {
	for _, mod := range []tea.KeyMod{0, tea.ModAlt, tea.ModCtrl} {
		for _, code := range []rune{
			tea.KeyLeft, tea.KeyRight, tea.KeyUp, tea.KeyDown, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace, tea.KeyDelete,
			tea.KeyTab, tea.KeyEnter, tea.KeySpace, tea.KeyPgUp, tea.KeyF1, tea.KeyInsert,
		} {
			strokes = append(strokes, tea.KeyPressMsg{Code: code, Mod: mod})
		}
		for code := 'a'; code <= 'z' && mod != 0; code++ {
			strokes = append(strokes, tea.KeyPressMsg{Code: code, Mod: mod})
		}
	}
	return strokes
}

// written are texts with joined, wide and blank characters.
var written = []string{
	"", "a", "ab", " ", "   ", "ab cd  e", "Cookstoves 1️⃣", "森林 碳汇", "👩‍👩‍👧‍👦 👍🏽", "e\u0301e\u0301 e\u0301", "क्षि स्ते",
	"\u3000森\u00a0", "🇪🇹🇰",
}

func TestEditingKeysAtEveryPosition(t *testing.T) {
	t.Parallel()
	strokes, e := editing(), typedInto("", 0)
	for _, text := range written {
		for n := range utf8.RuneCountInString(text) + 1 {
			for _, stroke := range strokes {
				place(&e, text, n)
				e.Take(stroke)
				fits(t, &e, 12)
			}
		}
	}
}

func TestRandomKeys(t *testing.T) {
	t.Parallel()
	strokes := editing()
	rapid.Check(t, func(t *rapid.T) {
		e := tab.NewEntry()
		e.Focus()
		for range rapid.IntRange(0, 60).Draw(t, "messages") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				text := rapid.OneOf(rapid.String(), rapid.SampledFrom(written)).Draw(t, "paste")
				e.Take(tea.PasteMsg{Content: text})
			case 1:
				text := rapid.SampledFrom(written).Draw(t, "text")
				e.Take(tea.KeyPressMsg{Code: tea.KeyExtended, Text: text})
			default:
				e.Take(rapid.SampledFrom(strokes).Draw(t, "key"))
			}
			fits(t, &e, rapid.IntRange(2, 40).Draw(t, "width"))
		}
	})
}

var mono = style.NewTheme(style.Mono)

// fits checks that the line has exactly the width and contains the cursor.
func fits(t interface {
	Helper()
	Fatalf(format string, values ...any)
}, e *tab.Entry, width int) {
	t.Helper()
	block := style.NewBlock(mono, width, 1)
	cursor := e.Draw(block.Line(style.Plain), 0)
	if cursor == nil || cursor.X < 0 || cursor.X >= width {
		t.Fatalf("the cursor in %q is %+v, want one in %d cells", e.Value(), cursor, width)
	}
	if got := ansi.StringWidth(block.String()); got != width {
		t.Fatalf("%q is drawn in %d cells, want %d", e.Value(), got, width)
	}
}

func TestInvisibleCharactersAreMarked(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"a\u034fb": "a\ufffdb", "tags \U000e0041": "tags \ufffd", "\u202egnp": "\ufffdgnp",
		"a\u00adb\u2066": "a\ufffdb\ufffd",
		"1\ufe0f\u20e3 👩\u200d🚀 \u0627\u200c\u0628": "1\ufe0f\u20e3 👩\u200d🚀 \u0627\u200c\u0628",
	} {
		e := typedInto("", 0)
		e.Take(tea.PasteMsg{Content: typed})
		block := style.NewBlock(mono, 40, 1)
		e.Draw(block.Line(style.Plain), 0)
		drawn := strings.TrimRight(ansi.Strip(block.String()), " ")
		must.Hold(t, drawn == want && e.Value() == typed, e.Value(), drawn, want)
	}
}
