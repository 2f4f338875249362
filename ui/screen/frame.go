package screen

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tonne/ui/style"
)

// The sequences before the first frame and after the last. They switch to the alternate
// screen, disable line wrapping, enable grapheme clusters, and enable reports of pastes,
// focus and all keys.
const (
	enter = "\x1b[?1049h\x1b[?7l\x1b[?2027h\x1b[?2004h\x1b[?1004h\x1b[>4;2m\x1b[>1u" + hideCursor + clearAll
	leave = "\x1b[m\x1b]2;\a\x1b[0 q\x1b[?1002l\x1b[?1006l\x1b[<1u\x1b[>4m\x1b[?1004l\x1b[?2004l\x1b[?2027l\x1b[?7h" +
		showCursor + "\x1b[?1049l"
)

// begin and finish enclose a frame, so that the terminal never shows a part of it.
const (
	begin      = "\x1b[?2026h"
	finish     = "\x1b[?2026l"
	clearAll   = "\x1b[H\x1b[2J"
	clearBelow = "\x1b[J"
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
)

var mouse = map[bool]string{true: "\x1b[?1002h\x1b[?1006h", false: "\x1b[?1002l\x1b[?1006l"}

type frame struct {
	lines, title string
	mouse        bool
	// cursor reports that the cursor is visible, at x and y. shape is its number in the terminal, or 0 for the default.
	cursor bool
	x, y   int
	shape  int
}

func newFrame(v tea.View) frame {
	f := frame{lines: v.Content, title: v.WindowTitle, mouse: v.MouseMode != tea.MouseModeNone}
	if c := v.Cursor; c != nil {
		f.cursor, f.x, f.y, f.shape = true, c.X, c.Y, 2*int(c.Shape)+1
		if !c.Blink {
			f.shape++
		}
	}
	return f
}

func (f frame) write(out *strings.Builder, shown frame, profile colorprofile.Profile) {
	out.WriteString(begin)
	if shown.cursor {
		out.WriteString(hideCursor)
	}
	f.writeLines(out, shown, profile)
	if f.title != shown.title {
		out.WriteString("\x1b]2;" + f.title + "\a")
	}
	if f.mouse != shown.mouse {
		out.WriteString(mouse[f.mouse])
	}
	if f.cursor {
		if f.shape != shown.shape {
			out.WriteString("\x1b[" + strconv.Itoa(f.shape) + " q")
		}
		place(out, f.x, f.y)
		out.WriteString(showCursor)
	}
	out.WriteString(finish)
}

func (f frame) writeLines(out *strings.Builder, shown frame, profile colorprofile.Profile) {
	coloured := colorprofile.Writer{Forward: out, Profile: profile}
	rest, before := f.lines, shown.lines
	for y := 0; rest != ""; y++ {
		var is, was string
		is, rest, _ = strings.Cut(rest, "\n")
		was, before, _ = strings.Cut(before, "\n")
		if x, text := style.Changed(was, is); text != "" {
			place(out, x, y)
			_, _ = coloured.WriteString(text)
		}
		if rest == "" && before != "" {
			place(out, 0, y+1)
			out.WriteString(clearBelow)
		}
	}
}

func place(out *strings.Builder, x, y int) {
	out.WriteString("\x1b[" + strconv.Itoa(y+1) + "H")
	if x > 0 {
		out.WriteString("\x1b[" + strconv.Itoa(x+1) + "G")
	}
}
