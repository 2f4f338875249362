package ui

import (
	"tonne/ui/keymap"
	"tonne/ui/style"
)

// drawFooter draws what the tab says of itself, or a message, and the keys
// that work.
func (d *Desk) drawFooter() string {
	block := style.NewBlock(d.view.Theme, d.width, footerLines)
	block.Line(style.Plain).Repeat(style.Rule, "─", d.width)
	line := block.Line(style.Plain)
	line.Gap(1)
	left := span{style.Muted, d.tabs[d.active].Status()}
	switch {
	case d.toast.text != "" && d.toast.bad:
		left = span{style.Dearer, "✗ " + d.toast.text}
	case d.toast.text != "":
		left = span{style.Text, d.toast.text}
	case d.matcher.Begun() != "":
		left = span{style.Text, keymap.Label(d.matcher.Begun()) + "…"}
	}
	room := line.Room() - style.Width(left.text) - 2
	if left.role == style.Muted {
		// The counts may be cut, so that somebody new finds a few keys at any
		// width. A message may not.
		room = max(room, d.width*11/20)
	}
	hints := footerKeys(d.groups(), room)
	width := 0
	for _, h := range hints {
		width += style.Width(h.text)
	}
	line.PutLeft(left.role, left.text, line.Room()-width-1)
	for _, h := range hints {
		line.Put(h.role, h.text)
	}
	return block.String()
}

// footerKeys returns as many keys as fit. Help and quit are the last to go:
// who knows nothing else still finds the rest.
func footerKeys(groups []keymap.Group, room int) []span {
	var shown []keymap.Binding
	for _, g := range groups {
		for _, b := range g.Bindings {
			if b.Short != "" && b.Disabled() == "" {
				shown = append(shown, b)
			}
		}
	}
	width := func(b keymap.Binding) int { return style.Width(b.Label()+" "+b.Short) + 2 }
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
		spans = append(spans, span{style.Key, "  " + b.Label()}, span{style.Muted, " " + b.Short})
	}
	return spans
}
