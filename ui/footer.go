package ui

import (
	"strings"

	"tonne/ui/keymap"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func (a *App) drawFooter() string {
	block := style.NewBlock(a.view.Theme, a.width, footerLines)
	block.Line(style.Plain).Repeat(style.Border, "─", a.width)
	line := block.Line(style.Plain)
	line.Gap(1)
	left := style.Span{Role: style.Muted, Text: a.infos[a.active].Status}
	switch {
	case a.toast.text != "" && a.toast.bad:
		left = style.Span{Role: style.Warning, Text: "✗ " + a.toast.text}
	case a.toast.text != "":
		left = style.Span{Role: style.Text, Text: a.toast.text}
	case a.matcher.Begun() != "":
		left = style.Span{Role: style.Text, Text: keymap.Label(a.matcher.Begun()) + "…"}
	}
	room := line.Room() - style.Width(left.Text) - 2
	if left.Role == style.Muted {
		// All but the first of the counts may go, so that somebody new finds a few
		// keys at any width. A message may not.
		first, _, _ := strings.Cut(left.Text, tab.PartsBetween)
		room = max(room, min(a.width*11/20, line.Room()-style.Width(first)-2))
	}
	hints := footerKeys(a.keys, room, a.label)
	width := hints.Width()
	if left.Role == style.Muted {
		left.Text = tab.FewerParts(left.Text, line.Room()-width-1)
	}
	line.PutLeft(left.Role, left.Text, line.Room()-width-1)
	line.PutSpans(hints)
	return block.String()
}

// footerKeys returns as many keys as fit. Help and quit are the last to go:
// who knows nothing else still finds the rest.
func footerKeys(groups []keymap.Group, room int, label func(keymap.Binding) string) style.Spans {
	var shown []keymap.Binding
	for _, g := range groups {
		for _, b := range g.Bindings {
			if b.Short != "" && b.Disabled() == "" {
				shown = append(shown, b)
			}
		}
	}
	width := func(b keymap.Binding) int { return style.Width(label(b)+" "+b.Short) + 2 }
	total := 0
	for _, b := range shown {
		total += width(b)
	}
	for len(shown) > 0 && total > room {
		drop := max(len(shown)-3, 0)
		total -= width(shown[drop])
		shown = append(shown[:drop:drop], shown[drop+1:]...)
	}
	var spans style.Spans
	for _, b := range shown {
		spans = spans.Put(style.Key, "  "+label(b)).Put(style.Muted, " "+b.Short)
	}
	return spans
}
