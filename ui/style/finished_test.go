package style_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/ui/style"
)

// clusters are characters whose width is hard to measure.
var clusters = []string{
	"a", " ", "1", "é", "★", "…", "─",
	"1️⃣", "#️⃣", "*⃣", "9\u20e3", "1\ufe0f", "1\ufe0e", // keycaps, whole and half
	"❤️", "❤\ufe0f\u200d🔥", "🏳️‍🌈", "☠️", "™️", "↩\ufe0e", "✈", // VS15 and VS16, also before ZWJ
	"👩‍👩‍👧‍👦", "👍🏽", "👩🏾‍🚀", "\u200d👩", "🏽", // families and skin tones
	"🇪🇹", "🇪", "🇪🇹🇰", "🏴\U000E0067\U000E0062\U000E007F", // flags, also half of one
	"e\u0301", "e" + strings.Repeat("\u0301", 40), "\u0301", "a\u20d0", // combining marks
	"森", "林\u3099", "ｶﾞ", "Ａ", "　", // wide and half-width
	"क्षि", "நி", "ক্ষ", "ก็", "ำ", "\u0600\u0661", // conjuncts, and a sign before digits
	"각", "\u1100\u1161\u11a8", "\u1100", "\u1161", // syllables, whole and in parts
	"\u200b", "\u200d", "\u00ad", "\u2060", "\ufeff", "\u034f", "\u202e", // zero width
	"\x1b[2J", "\x1b]8;;", "\u009b", "\r", "\n", "\x00", "\xff", "\xf0\x9f",
}

// hardText generates text from clusters.
func hardText() *rapid.Generator[string] {
	some := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(clusters), 0, 8),
		func(s []string) string { return strings.Join(s, "") })
	return rapid.OneOf(some, rapid.String())
}

// finishedLine generates a line with styles and links.
func finishedLine(t *rapid.T, width int) string {
	theme := style.NewTheme(rapid.SampledFrom([]style.Mode{style.Dark, style.Light, style.Mono}).Draw(t, "mode"))
	var line style.Line
	line.Reset(theme, width, style.RowState(rapid.IntRange(0, 7).Draw(t, "state")))
	for range rapid.IntRange(0, 6).Draw(t, "pieces") {
		s, role, n := hardText().Draw(t, "text"), style.Role(rapid.IntRange(0, int(style.Bar)).Draw(t, "role")),
			rapid.IntRange(-1, 20).Draw(t, "n")
		line.Flash(rapid.Bool().Draw(t, "flash"))
		var cell style.Cell
		switch rapid.IntRange(0, 6).Draw(t, "call") {
		case 0:
			line.Link(role, "https://registry.example/1", s)
		case 1:
			line.PutRight(role, s, n)
		case 2:
			line.Gap(n)
		case 3:
			line.PutLeft(role, s, n)
		case 4:
			line.Repeat(role, "─", n)
		case 5:
			cell.Put(role, s)
			cell.PutBytes(style.Text, []byte(s))
			line.PutCell(&cell, n, style.Align(n&1))
		default:
			line.Put(role, s)
		}
		must.Need(t, line.Used() <= width, line.Used(), width)
	}
	return line.String()
}

func TestAnyTextGivesALineOfExactWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 40).Draw(t, "width")
		line := finishedLine(t, width)
		must.Need(t, ansi.StringWidth(line) == width && !strings.Contains(ansi.Strip(line), "\n"),
			"line", line, ansi.StringWidth(line), width)
	})
}

func TestOverlayKeepsTheWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 30).Draw(t, "width")
		line, x := finishedLine(t, width), rapid.IntRange(0, width).Draw(t, "x")
		boxed := rapid.IntRange(0, width-x).Draw(t, "box")
		got := style.Overlay(line, strings.Repeat("#", boxed), x, boxed)
		n := ansi.StringWidth(got)
		must.Need(t, n == width, line, width, n, boxed, x)
	})
}

func TestOverlayKeepsStylesAndLinks(t *testing.T) {
	t.Parallel()
	var line style.Line
	line.Reset(style.NewTheme(style.Mono), 9, style.Plain)
	line.Put(style.Name, "ab")
	line.Link(style.Link, "https://a.example", "c森d")
	line.Put(style.Text, "e")
	for x, want := range []string{"##c森de  ", "a##森de  ", "ab## de  ", "abc##de  ", "abc ##e  ", "abc森##  "} {
		drawn := style.Overlay(line.String(), "##", x, 2)
		must.Equal(t, ansi.Strip(drawn), want, x)
		must.Hold(t, strings.Count(drawn, "\x1b]8;;https://a.example\x1b\\") != 0, x, drawn)
	}
}

func TestSplitCutsBetweenCharacters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Clip has already replaced the characters that must not reach a terminal.
		text := style.Clip(hardText().Draw(t, "text"), 1000)
		width := rapid.IntRange(-1, 6).Draw(t, "width")
		joined, cells := "", 0
		for rest := text; rest != ""; {
			var head string
			head, rest = style.Split(rest, width)
			must.Need(t, head != "", "Split returns an empty head for", rest)
			w := style.Width(head)
			must.Need(t, w <= max(width, 2) && (w <= width || style.Width(rest) <= 0 || width <= 1), head, w, width)
			joined, cells = joined+head, cells+style.Width(head)
		}
		must.Need(t, joined == text && cells == style.Width(text), text, style.Width(text), joined, cells)
	})
}

func TestASCIIKeepsTheWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 60).Draw(t, "width")
		block := style.NewBlock(style.NewTheme(style.Dark), width, 2)
		block.Put(style.Accent,
			rapid.SampledFrom([]string{"▎", "↵ next", "", "— ↵"}).Draw(t, "sign")+hardText().Draw(t, "text"))
		block.Put(style.Text, hardText().Draw(t, "more"))
		lines := style.ASCII(block.String())
		for line := range strings.SplitSeq(lines, "\n") {
			got := ansi.StringWidth(line)
			must.Need(t, got == width, line, got, width)
			for _, c := range line {
				must.Need(t, c <= '~', line, c)
			}
		}
	})
}

func TestMeasuringAndCuttingAgree(t *testing.T) {
	t.Parallel()
	agree := func(t must.Test, text string, width int) {
		// A cell replaces characters that must not reach a terminal.
		var cell style.Cell
		cell.Put(style.Text, text)
		whole := style.Width(text)
		must.Equal(t, ansi.StringWidth(cell.Text()), whole, text)
		must.Equal(t, cell.Width(), whole, text)
		clipped := style.Clip(text, width)
		must.Hold(t, max(style.Width(clipped), ansi.StringWidth(clipped)) <= max(width, 0), text, width, clipped)
		must.Hold(t, whole <= width || width <= 0 || strings.HasSuffix(clipped, "…"), text, width, clipped)
	}
	for _, c := range clusters {
		for _, text := range []string{c, "Cookstoves " + c, c + c + "b", "森" + c + "森"} {
			for width := range style.Width(text) + 3 {
				agree(t, text, width)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) { agree(t, hardText().Draw(t, "text"), rapid.IntRange(-1, 30).Draw(t, "width")) })
}

func TestLineOfAmbiguousWidthIsWrittenCompletely(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"森林", "☠️", "👍🏽", "e\u0301"} {
		draw := func(price string) string {
			var line style.Line
			line.Reset(style.NewTheme(style.Dark), 40, style.Plain)
			line.Put(style.Name, name)
			line.Put(style.Paid, price)
			return line.String()
		}
		before, after := draw("1"), draw("2")
		column, text := style.Changed(before, after)
		must.Hold(t, column == 0 && strings.HasSuffix(text, after) && text != after, name, text, column)
	}
}
