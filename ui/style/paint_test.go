package style_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"tonne/ui/style"
)

func TestAnyTextGivesALineOfExactWidth(t *testing.T) {
	t.Parallel()
	themes := []*style.Theme{style.NewTheme(style.Dark), style.NewTheme(style.Light), style.NewTheme(style.Mono)}
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z ★▲é…中👍🏽\x{200d}\x{fe0f}\x{301}🇨🇭\n\x1b]{0,9}`))
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 40).Draw(t, "width")
		var line style.Line
		line.Reset(themes[rapid.IntRange(0, 2).Draw(t, "theme")], width, style.RowState(rapid.IntRange(0, 7).Draw(t, "state")))
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			s, role := text.Draw(t, "text"), style.Role(rapid.IntRange(0, int(style.Bar)).Draw(t, "role"))
			n := rapid.IntRange(-1, 20).Draw(t, "n")
			line.Flash(rapid.Bool().Draw(t, "flash"))
			var cell style.Cell
			switch rapid.IntRange(0, 6).Draw(t, "call") {
			case 0:
				line.Put(role, s)
			case 1:
				line.PutLeft(role, s, n)
			case 2:
				line.PutRight(role, s, n)
			case 3:
				line.Gap(n)
			case 4:
				line.Link(role, "https://registry.example/1", s)
			case 5:
				line.Repeat(role, "─", n)
			default:
				cell.Put(role, s)
				cell.PutBytes(style.Text, []byte(s))
				line.PutCell(&cell, n, style.Align(n&1))
			}
			if line.Used() > width {
				t.Fatalf("%d cells used of %d", line.Used(), width)
			}
		}
		got := line.String()
		if w := ansi.StringWidth(got); w != width {
			t.Fatalf("line %q is %d cells wide, want %d", got, w, width)
		}
		if strings.Contains(ansi.Strip(got), "\n") {
			t.Fatalf("line %q contains a line break", got)
		}
	})
}

func TestClipFitsAndHasAnEllipsis(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, width := rapid.String().Draw(t, "text"), rapid.IntRange(-1, 30).Draw(t, "width")
		got := style.Clip(s, width)
		if style.Width(got) > max(width, 0) || ansi.StringWidth(got) > max(width, 0) {
			t.Fatalf("Clip(%q, %d) = %q, wider", s, width, got)
		}
		if style.Width(s) > width && width > 0 && !strings.HasSuffix(got, "…") {
			t.Fatalf("Clip(%q, %d) = %q has no ellipsis", s, width, got)
		}
	})
}
