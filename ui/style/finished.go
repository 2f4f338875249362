package style

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Overlay draws a finished box of width cells over a finished line at column x. Finished means written by a Line
// or a Block. Half of a wide character becomes a blank.
func Overlay(line, box string, x, width int) string {
	left, right := line, line
	for n := x; ansi.StringWidth(left) > x; n-- {
		left = ansi.Truncate(line, n, "")
	}
	rest := max(ansi.StringWidth(line)-x-width, 0)
	for n := x + width; ansi.StringWidth(right) > rest; n++ {
		right = ansi.TruncateLeft(line, n, "")
	}
	return left + strings.Repeat(" ", x-ansi.StringWidth(left)) + box + strings.Repeat(" ", rest-ansi.StringWidth(right)) +
		right
}

const styleStart = "\x1b["

const eraseLine = "\x1b[K"

// Changed returns the text that turns a finished line on the screen into another, and the column (from 0) at
// which to write it. The text is empty if the lines are equal. It starts and ends without style and link.
//
// Terminals disagree about the width of some characters. A line with such a character is written completely.
func Changed(was, is string) (column int, text string) {
	if was == is {
		return 0, ""
	}
	cells, sure := certain(was)
	if wanted, certain := certain(is); !sure || !certain || wanted != cells {
		return 0, end + eraseLine + is
	}
	from, column := sameHead(was, is)
	to := len(is) - sameTail(was[from:], is[from:])
	if to == len(is) {
		return column, is[from:]
	}
	return column, is[from:to] + end
}

func certain(line string) (cells int, sure bool) {
	for i := 0; i < len(line); {
		if strings.HasPrefix(line[i:], styleStart) {
			i += styleSize(line[i:])
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if !narrow(r) {
			return 0, false
		}
		i += size
		cells++
	}
	return cells, true
}

func styleSize(text string) int { return strings.IndexByte(text, 'm') + 1 }

func sameHead(a, b string) (size, cells int) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	for at := 0; ; {
		next := strings.Index(b[at:], styleStart)
		if next < 0 || at+next > same {
			return size, cells
		}
		width, _ := certain(b[at : at+next])
		cells += width
		size = at + next
		at = size + styleSize(b[size:])
	}
}

func sameTail(a, b string) (size int) {
	same := 0
	for same < min(len(a), len(b)) && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	begins := strings.Index(b[len(b)-same:], styleStart)
	if begins < 0 {
		return 0
	}
	return same - begins
}
