package style

import "strings"

const eraseLine = "\x1b[K"

// Changed returns what is written onto a finished line, from a column on that is
// counted from 0, to make it another one: nothing where it is the same. It is
// written in no style and no link, and leaves none.
//
// Terminals disagree about the width of some characters. A line with one of them
// is written as a whole.
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

// certain returns the width of a finished line, and whether every terminal has
// the same opinion of it. What stands in a link is another matter.
func certain(line string) (cells int, sure bool) {
	for i := 0; i < len(line); {
		if line[i] == '\x1b' {
			size, k := sequence(line[i:])
			if size == 0 || k != styling {
				return 0, false
			}
			i += size
			continue
		}
		size := simple(line, i)
		if size == 0 {
			return 0, false
		}
		i += size
		cells++
	}
	return cells, true
}

// sameHead returns how many bytes and cells two lines have in common before a
// style begins in both.
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
		styled, _ := sequence(b[size:])
		at = size + styled
	}
}

// sameTail returns how many bytes two lines have in common from where a style
// begins in both.
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
