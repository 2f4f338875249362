package retire

import (
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/style"
)

// span is a piece of text with its meaning.
type span struct {
	role style.Role
	text string
}

// line is a line of a dialog: what begins at the left, behind a label if it has
// one, and what ends at the right.
type line struct {
	label string
	left  []span
	right span
}

// labels is how wide the labels of a plan are.
const labels = 25

func labelled(label string, role style.Role, value string) line {
	return line{label: label, left: []span{{role, value}}}
}

func (l line) put(to *style.Line) {
	if l.label != "" {
		to.PutLeft(style.Muted, l.label, labels)
	}
	to.Field(to.Room()-style.Width(l.right.text), func() {
		for _, s := range l.left {
			to.Put(s.role, s.text)
		}
	})
	if l.right.text != "" {
		to.PutRight(l.right.role, l.right.text, to.Room())
	}
}

func wrapped(role style.Role, text string, width int) (lines []line) {
	for _, part := range style.Wrap(text, max(width, 1)) {
		lines = append(lines, line{left: []span{{role, part}}})
	}
	return lines
}

func fold(lines []line, width int) (folded []line) {
	for _, l := range lines {
		folded = append(folded, l.fold(width)...)
	}
	return folded
}

func (l line) fold(width int) (lines []line) {
	room := width
	if l.label != "" {
		room = max(width-labels, 1)
	}
	now, used := line{label: l.label}, 0
	next := func() {
		lines = append(lines, now)
		now, used = line{}, 0
		if l.label != "" {
			now.label = " "
		}
	}
	for _, s := range l.left {
		text := s.text
		if used > 0 && used+style.Width(text) > room {
			next()
			text = strings.TrimLeft(text, " ")
		}
		if style.Width(text) > room {
			parts := style.Wrap(text, room)
			for _, part := range parts[:len(parts)-1] {
				now.left = append(now.left, span{s.role, part})
				next()
			}
			text = parts[len(parts)-1]
		}
		now.left = append(now.left, span{s.role, text})
		used += style.Width(text)
	}
	if l.right.text != "" && used+1+style.Width(l.right.text) > room {
		next()
	}
	now.right = l.right
	return append(lines, now)
}

// typed is a quantity as a person types it: "1,234", "2.5", "20 g".
func typed(g model.Grams) string { return strings.TrimSuffix(tonnes(g), " t") }

func tonnes(g model.Grams) string { return retire.FormatQuantity(g) }
