package paint_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"tonne/ui/paint"
)

// draw returns a line of 12 cells without its styles.
func draw(build func(l *paint.Line)) string {
	var line paint.Line
	line.Reset(paint.NewTheme(paint.Mono), 12, paint.Plain)
	build(&line)
	return ansi.Strip(line.String())
}

func TestLines(t *testing.T) {
	t.Parallel()
	cell := func(text string) *paint.Cell {
		c := new(paint.Cell)
		c.Put(paint.Paid, "★ ")
		c.PutBytes(paint.Text, []byte(text))
		return c
	}
	tests := []struct {
		name  string
		build func(l *paint.Line)
		want  string
	}{
		{"nothing", func(l *paint.Line) {}, "            "},
		{"text", func(l *paint.Line) { l.Put(paint.Text, "Bale") }, "Bale        "},
		{"text that just fits", func(l *paint.Line) { l.Put(paint.Text, "Bale Mountai") }, "Bale Mountai"},
		{"text that is cut", func(l *paint.Line) { l.Put(paint.Text, "Bale Mountains") }, "Bale Mounta…"},
		{"text behind a full line", func(l *paint.Line) { l.Put(paint.Text, "Bale Mountai"); l.Put(paint.Strong, "ns") }, "Bale Mounta…"},
		{"text behind a cut", func(l *paint.Line) { l.Put(paint.Text, "Bale Mountains"); l.Put(paint.Text, "!") }, "Bale Mounta…"},
		{"wide text that is cut", func(l *paint.Line) { l.Put(paint.Text, "山山山山山山山") }, "山山山山山… "},
		{"a wide end that is cut", func(l *paint.Line) { l.Put(paint.Text, "山山山山山山"); l.Put(paint.Text, "x") }, "山山山山山… "},
		{"fields", func(l *paint.Line) { l.PutLeft(paint.Text, "a", 4); l.PutRight(paint.Text, "b", 4) }, "a      b    "},
		{"fields that are cut", func(l *paint.Line) { l.PutLeft(paint.Text, "abcdef", 4); l.PutRight(paint.Text, "ghijkl", 4) }, "abc…ghi…    "},
		{"a cell", func(l *paint.Line) { l.PutCell(cell("$6"), 6, paint.Left); l.PutCell(cell("$7"), 6, paint.Right) }, "★ $6    ★ $7"},
		{"a cell that is cut", func(l *paint.Line) { l.PutCell(cell("$6,000"), 5, paint.Right); l.Put(paint.Text, "|") }, "★ $6…|      "},
		{"gaps", func(l *paint.Line) { l.GapTo(3); l.Put(paint.Text, "a"); l.GapTo(2); l.Gap(2); l.Put(paint.Text, "b") }, "   a  b     "},
		{"a rule", func(l *paint.Line) { l.Put(paint.Text, "a "); l.Repeat(paint.Rule, "─", 99) }, "a ──────────"},
		{"a control character", func(l *paint.Line) { l.Put(paint.Text, "a\x1b]0;b\nc") }, "a�]0;b�c    "},
		{"invalid UTF-8", func(l *paint.Line) { l.Put(paint.Text, "a\xffb") }, "a�b         "},
		{"a mark without a letter", func(l *paint.Line) { l.Put(paint.Text, "\u0301a") }, "�a          "},
		{"a mark on a letter", func(l *paint.Line) { l.Put(paint.Text, "e\u0301 é") }, "e\u0301 é         "},
	}
	for _, test := range tests {
		if got := draw(test.build); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestALinkOpensAndClosesAroundItsText(t *testing.T) {
	t.Parallel()
	line := func(address string) string {
		var l paint.Line
		l.Reset(paint.NewTheme(paint.Mono), 6, paint.Plain)
		l.Link(paint.Text, address, "certificate")
		return l.String()
	}
	if got, want := line("https://registry.example/1"), "\x1b]8;;https://registry.example/1\x1b\\certi…\x1b]8;;\x1b\\\x1b[m"; got != want {
		t.Errorf("link %q, want %q", got, want)
	}
	for _, address := range []string{"", "https://a\x1b\\b", "https://a b"} {
		if got := line(address); strings.Contains(got, "\x1b]8") {
			t.Errorf("address %q was written: %q", address, got)
		}
	}
}

func TestTheSelectedLineIsFilledToItsEnd(t *testing.T) {
	t.Parallel()
	var l paint.Line
	l.Reset(paint.NewTheme(paint.Mono), 4, paint.Selected)
	l.Put(paint.Strong, "a")
	if got, want := l.String(), "\x1b[0;1;7ma\x1b[0;7m   \x1b[m"; got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}

func TestWidthIsThatOfTheRenderer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z ★▲é…中👍🏽\x{200d}\x{fe0f}\x{301}🇨🇭क्षि]{0,9}`)).Draw(t, "text")
		// A cell has replaced what would not be written.
		var c paint.Cell
		c.Put(paint.Text, s)
		if got, want := paint.Width(s), ansi.StringWidth(c.Text()); got != want || c.Width() != want {
			t.Fatalf("width of %q is %d, in a cell %d, want %d", s, got, c.Width(), want)
		}
	})
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	theme := paint.NewTheme(paint.Mono)
	left := paint.NewBlock(theme, 3, 3)
	left.Put(paint.Text, "a")
	left.Line(paint.Plain).Put(paint.Text, "bcde")
	right := paint.NewBlock(theme, 2, 3)
	for range 5 {
		right.Put(paint.Text, "x")
	}
	if right.Room() > 0 {
		t.Error("a full block has room")
	}
	if got, want := ansi.Strip(paint.Beside(left.String(), right.String())), "a  x \nbc…x \n   x "; got != want {
		t.Errorf("beside each other %q, want %q", got, want)
	}
	whole := paint.NewBlock(theme, 3, 3)
	whole.Put(paint.Text, "x")
	whole.Append(left.String())
	if got, want := ansi.Strip(whole.String()), "x  \na  \nbc…"; got != want {
		t.Errorf("appended %q, want %q", got, want)
	}
	if got := paint.Stack("a", "", "b"); got != "a\nb" {
		t.Errorf("on top of each other %q", got)
	}
	if got := paint.NewBlock(theme, 3, 0).String(); got != "" {
		t.Errorf("a block without lines is %q", got)
	}
}

func FuzzALineIsExactlyAsWideAsItWasStarted(f *testing.F) {
	for _, seed := range []string{"Bale Mountains", "山👍🏽\u200d🇨🇭", "\x1b[31m\xff\u202e", "e\u0301\u0301"} {
		f.Add(seed, seed, uint8(9))
	}
	theme := paint.NewTheme(paint.Dark)
	f.Fuzz(func(t *testing.T, a, b string, width uint8) {
		var l paint.Line
		l.Reset(theme, int(width), paint.Selected)
		l.Put(paint.Text, a)
		l.Put(paint.Text, b)
		if got := ansi.StringWidth(l.String()); got != int(width) {
			t.Errorf("%q and %q make %d cells, want %d", a, b, got, width)
		}
	})
}
