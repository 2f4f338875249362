package style_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/model/texttest"
	"tonne/ui/style"
)

// draw returns a line of 12 cells without its styles.
func draw(build func(l *style.Line)) string {
	var line style.Line
	line.Reset(style.NewTheme(style.Mono), 12, style.Plain)
	build(&line)
	return ansi.Strip(line.String())
}

func TestLines(t *testing.T) {
	t.Parallel()
	cell := func(text string) *style.Cell {
		c := new(style.Cell)
		c.Put(style.Paid, "★ ")
		c.PutBytes(style.Text, []byte(text))
		return c
	}
	tests := []struct {
		name  string
		build func(l *style.Line)
		want  string
	}{
		{"nothing", func(l *style.Line) {}, "            "},
		{"text", func(l *style.Line) { l.Put(style.Text, "Bale") }, "Bale        "},
		{"text that just fits", func(l *style.Line) { l.Put(style.Text, "Bale Mountai") }, "Bale Mountai"},
		{"text that is cut", func(l *style.Line) { l.Put(style.Text, "Bale Mountains") }, "Bale Mounta…"},
		{"text after a full line", func(l *style.Line) { l.Put(style.Text, "Bale Mountai"); l.Put(style.Strong, "ns") },
			"Bale Mounta…"},
		{"text after a cut", func(l *style.Line) { l.Put(style.Text, "Bale Mountains"); l.Put(style.Text, "!") },
			"Bale Mounta…"},
		{"wide text that is cut", func(l *style.Line) { l.Put(style.Text, "山山山山山山山") }, "山山山山山… "},
		{"a wide end that is cut", func(l *style.Line) { l.Put(style.Text, "山山山山山山"); l.Put(style.Text, "x") }, "山山山山山… "},
		{"fields", func(l *style.Line) { l.PutLeft(style.Text, "a", 4); l.PutRight(style.Text, "b", 4) }, "a      b    "},
		{"fields that are cut",
			func(l *style.Line) { l.PutLeft(style.Text, "abcdef", 4); l.PutRight(style.Text, "ghijkl", 4) }, "abc…ghi…    "},
		{"a cell", func(l *style.Line) { l.PutCell(cell("$6"), 6, style.Left); l.PutCell(cell("$7"), 6, style.Right) },
			"★ $6    ★ $7"},
		{"a cell that is cut", func(l *style.Line) { l.PutCell(cell("$6,000"), 5, style.Right); l.Put(style.Text, "|") },
			"★ $6…|      "},
		{"gaps", func(l *style.Line) { l.GapTo(3); l.Put(style.Text, "a"); l.GapTo(2); l.Gap(2); l.Put(style.Text, "b") },
			"   a  b     "},
		{"a rule", func(l *style.Line) { l.Put(style.Text, "a "); l.Repeat(style.Border, "─", 99) }, "a ──────────"},
		{"a control character", func(l *style.Line) { l.Put(style.Text, "a\x1b]0;b\nc") }, "a�]0;b�c    "},
		{"invalid UTF-8", func(l *style.Line) { l.Put(style.Text, "a\xffb") }, "a�b         "},
		{"a mark without a letter", func(l *style.Line) { l.Put(style.Text, "\u0301a") }, "�a          "},
		{"a skin tone without a person", func(l *style.Line) { l.Put(style.Text, "🏽a") }, "�a          "},
		{"a mark on a letter", func(l *style.Line) { l.Put(style.Text, "e\u0301 é") }, "e\u0301 é         "},
	}
	for _, test := range tests {
		must.Equal(t, draw(test.build), test.want, test.name)
	}
}

func TestLinkEscapeSequences(t *testing.T) {
	t.Parallel()
	line := func(address string) string {
		var l style.Line
		l.Reset(style.NewTheme(style.Mono), 6, style.Plain)
		l.Link(style.Text, address, "certificate")
		return l.String()
	}
	got, want := line("https://registry.example/1"), "\x1b]8;;https://registry.example/1\x1b\\certi…\x1b]8;;\x1b\\\x1b[m"
	must.Equal(t, got, want, "link")
	for _, address := range []string{"", "https://a\x1b\\b", "https://a b"} {
		got := line(address)
		must.Hold(t, !strings.Contains(got, "\x1b]8"), "address", address, got)
	}
}

func TestSelectedLineIsFilledToItsEnd(t *testing.T) {
	t.Parallel()
	var l style.Line
	l.Reset(style.NewTheme(style.Mono), 4, style.Selected)
	l.Put(style.Strong, "a")
	got, want := l.String(), "\x1b[0;1;7ma\x1b[0;7m   \x1b[m"
	must.Equal(t, got, want, "line")
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.Mono)
	left := style.NewBlock(theme, 3, 3)
	left.Put(style.Text, "a")
	left.Line(style.Plain).Put(style.Text, "bcde")
	right := style.NewBlock(theme, 2, 3)
	for range 5 {
		right.Put(style.Text, "x")
	}
	must.Hold(t, right.Room() <= 0, "a full block has room")
	got, want := ansi.Strip(style.Beside(left.String(), right.String())), "a  x \nbc…x \n   x "
	must.Equal(t, got, want, "Beside")
	whole := style.NewBlock(theme, 3, 3)
	whole.Put(style.Text, "x")
	whole.Append(left.String())
	if got, want := ansi.Strip(whole.String()), "x  \na  \nbc…"; got != want {
		t.Errorf("appended %q, want %q", got, want)
	}
	must.Equal(t, style.Stack("a", "", "b"), "a\nb", "Stack")
	must.Equal(t, style.NewBlock(theme, 3, 0).String(), "", "a block without lines")
}

// Ids differ at their ends, so the middle is cut. The result fills the width.
func TestClipMiddle(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "middle", func(input string) string {
		text, width, _ := strings.Cut(input, " ")
		return style.ClipMiddle(text, must.Get(strconv.Atoi(width)))
	})
	rapid.Check(t, func(t *rapid.T) {
		text, width := hardText().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "width")
		got := style.Width(style.ClipMiddle(text, width))
		want := min(style.Width(text), width)
		must.Need(t, got <= want && got >= want-2, text, width, got)
	})
}

func TestMarkCoversWholeCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		texts    []string
		from, to int
		want     string
	}{
		{[]string{"Bale"}, 0, 2, "[Ba]le"},
		{[]string{"Bale"}, 1, 4, "B[ale]"},
		{[]string{"Bale"}, 2, 2, "Bale"},
		{[]string{"Bale"}, 3, 99, "Bal[e]"},
		{[]string{"Bale", " Wind"}, 2, 7, "Ba[le Wi]nd"},
		{[]string{"ae\u0301b"}, 1, 2, "a[e\u0301]b"},
		{[]string{"山山"}, 1, 2, "[山]山"},
		{[]string{"👩‍🚒x"}, 4, 5, "[👩‍🚒]x"},
	} {
		var cell style.Cell
		for _, text := range c.texts {
			cell.Put(style.Name, text)
		}
		width := cell.Width()
		cell.Mark(c.from, c.to)
		var line style.Line
		line.Reset(style.NewTheme(style.Mono), width, style.Plain)
		line.PutCell(&cell, width, style.Left)
		drawn := line.String()
		must.Equal(t, ansi.StringWidth(drawn), width, c.texts)
		var got strings.Builder
		for piece := range strings.SplitSeq(drawn, "\x1b[") {
			end := strings.IndexByte(piece, 'm')
			switch text := piece[end+1:]; {
			case text == "":
			case end >= 0 && piece[:end] == "0;4":
				got.WriteString("[" + text + "]")
			default:
				got.WriteString(text)
			}
		}
		must.Equal(t, got.String(), c.want, c.texts, c.from, c.to)
	}
}

func TestLongWordIsBrokenBetweenCharacters(t *testing.T) {
	t.Parallel()
	for _, character := range []string{"a", "森", "1️⃣", "👩‍👩‍👧‍👦", "e\u0301", "क्षि", "❤️\u200d🔥", "🇪🇹"} {
		word := strings.Repeat(character, 40)
		for width := 2; width < 12; width++ {
			lines := style.Wrap(word, width)
			must.Equal(t, strings.Join(lines, ""), word, character, width, lines)
			for _, line := range lines {
				if strings.ReplaceAll(line, character, "") != "" || style.Width(line) > width {
					t.Errorf("%q in %d cells: the line %q", character, width, line)
					break
				}
			}
			full := width / style.Width(character)
			must.Equal(t, len(lines), (40+full-1)/full, character, width)
		}
	}
}
