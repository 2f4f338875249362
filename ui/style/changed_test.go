package style_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/ui/style"
)

// drawAt draws finished text onto a line of cells, starting at a column.
func drawAt(screen uv.ScreenBuffer, column int, text string) {
	if rest, erases := strings.CutPrefix(text, "\x1b[m\x1b[K"); erases {
		text = rest
		screen.Clear()
	}
	area := screen.Bounds()
	area.Min.X = column
	area.Max.X = min(area.Max.X, column+ansi.StringWidth(text))
	uv.NewStyledString(text).Draw(screen, area)
}

// cells lists all cells of a line with their styles.
func cells(screen uv.ScreenBuffer) string {
	var all strings.Builder
	for x := range screen.Width() {
		c := screen.CellAt(x, 0)
		fmt.Fprintf(&all, "%d %q %+v %v\n", x, c.Content, c.Style, c.Link)
	}
	return all.String()
}

// sgr matches the escape sequence of a style.
var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestChangedTurnsOneLineIntoTheOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 30).Draw(t, "width")
		was, is := similarLines(t, width)
		screen, wanted := uv.NewScreenBuffer(width, 1), uv.NewScreenBuffer(width, 1)
		drawAt(screen, 0, was)
		drawAt(wanted, 0, is)
		column, text := style.Changed(was, is)
		styles := sgr.FindAllString(text, -1)
		must.Hold(t, len(styles) == 0 || styles[len(styles)-1] == "\x1b[m", "the style is not reset", text)
		drawAt(screen, column, text)
		must.Equal(t, cells(screen), cells(wanted), was, is, text, column)
	})
}

func TestChangedWritesFromTheStyleThatDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, is, want string
		column        int
	}{
		{"\x1b[mab\x1b[m", "\x1b[ma\x1b[1mb\x1b[m", "\x1b[1mb\x1b[m", 1},
		// A shorter line is written completely.
		{"\x1b[mabc\x1b[m", "\x1b[mab\x1b[m", "\x1b[m\x1b[K\x1b[mab\x1b[m", 0},
	} {
		column, text := style.Changed(c.was, c.is)
		must.Equal(t, text, c.want, c.was)
		must.Equal(t, column, c.column, c.was)
	}
}

// similarLines generates two lines that are mostly equal.
func similarLines(t *rapid.T, width int) (was, is string) {
	if rapid.Bool().Draw(t, "hard") {
		return finishedLine(t, width), finishedLine(t, width)
	}
	theme := style.NewTheme(style.Dark)
	var lines [2]style.Line
	for n := range lines {
		lines[n].Reset(theme, width, style.Plain)
	}
	for range rapid.IntRange(1, 8).Draw(t, "pieces") {
		s, role := rapid.StringMatching(`[a-c●─ ]{1,6}`).Draw(t, "text"),
			style.Role(rapid.IntRange(0, int(style.Alarm)).Draw(t, "role"))
		other := s
		if rapid.IntRange(0, 3).Draw(t, "differs") == 0 {
			other = rapid.StringMatching(`[a-c●─ ]{1,6}`).Draw(t, "other")
		}
		lines[0].Put(role, s)
		lines[1].Put(role, other)
	}
	return lines[0].String(), lines[1].String()
}
