package retire

import (
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/style"
)

// line is a line of a dialog: what begins at the left, behind a label if it has
// one, and what ends at the right.
type line struct {
	label string
	left  style.Spans
	right style.Span
}

// labels is how wide the labels of a plan are.
const labels = 25

func labelled(label string, role style.Role, value string) line {
	return line{label: label, left: style.Put(role, value)}
}

func (l line) put(to *style.Line) {
	if l.label != "" {
		to.PutLeft(style.Muted, l.label, labels)
	}
	to.Field(to.Room()-style.Width(l.right.Text), func() { to.PutSpans(l.left) })
	if l.right.Text != "" {
		to.PutRight(l.right.Role, l.right.Text, to.Room())
	}
}

func said(role style.Role, text string) line {
	return line{left: style.Put(role, strings.Join(strings.Fields(text), " "))}
}

func fold(lines []line, width int) (folded []line) {
	for _, l := range lines {
		folded = append(folded, l.fold(max(width, 1))...)
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
		text := s.Text
		if used > 0 && used+style.Width(text) > room {
			next()
			text = strings.TrimLeft(text, " ")
		}
		if style.Width(text) > room {
			parts := style.Wrap(text, room)
			for _, part := range parts[:len(parts)-1] {
				now.left = append(now.left, style.Span{Role: s.Role, Text: part})
				next()
			}
			text = parts[len(parts)-1]
		}
		now.left = append(now.left, style.Span{Role: s.Role, Text: text})
		used += style.Width(text)
	}
	if l.right.Text != "" && used+1+style.Width(l.right.Text) > room {
		next()
	}
	now.right = l.right
	return append(lines, now)
}

// typed is a quantity as a person types it: "1,234", "2.5", "20 g".
func typed(g model.Grams) string { return strings.TrimSuffix(tonnes(g), " t") }

func tonnes(g model.Grams) string { return retire.FormatQuantity(g) }
