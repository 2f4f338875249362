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
	left := span{style.Muted, a.infos[a.active].Status}
	switch {
	case a.toast.text != "" && a.toast.bad:
		left = span{style.Warning, "✗ " + a.toast.text}
	case a.toast.text != "":
		left = span{style.Text, a.toast.text}
	case a.matcher.Begun() != "":
		left = span{style.Text, keymap.Label(a.matcher.Begun()) + "…"}
	}
	room := line.Room() - style.Width(left.text) - 2
	if left.role == style.Muted {
		// All but the first of the counts may go, so that somebody new finds a few
		// keys at any width. A message may not.
		first, _, _ := strings.Cut(left.text, tab.PartsBetween)
		room = max(room, min(a.width*11/20, line.Room()-style.Width(first)-2))
	}
	hints := footerKeys(a.keys, room, a.label)
	width := 0
	for _, h := range hints {
		width += style.Width(h.text)
	}
	if left.role == style.Muted {
		left.text = tab.FewerParts(left.text, line.Room()-width-1)
	}
	line.PutLeft(left.role, left.text, line.Room()-width-1)
	for _, h := range hints {
		line.Put(h.role, h.text)
	}
	return block.String()
}

// footerKeys returns as many keys as fit. Help and quit are the last to go:
// who knows nothing else still finds the rest.
func footerKeys(groups []keymap.Group, room int, label func(keymap.Binding) string) []span {
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
	var spans []span
	for _, b := range shown {
		spans = append(spans, span{style.Key, "  " + label(b)}, span{style.Muted, " " + b.Short})
	}
	return spans
}
