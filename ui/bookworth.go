package ui

import (
	"errors"
	"fmt"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// bookGap is how far that stands from what is beside it.
const bookGap = 3

// bookWorth tells what the whole book is worth: less of it where there is less
// room, and nothing while it is not known. What the day did goes before what the
// book cost, which changes little.
func (a *App) bookWorth(room int) []span {
	spans := a.bookSpans()
	if len(spans) > 4 && widthOf(spans) > room {
		spans = append(spans[:2], spans[4:]...)
	}
	for len(spans) > 0 && widthOf(spans) > room {
		spans = spans[:len(spans)-2]
	}
	return spans
}

func (a *App) bookSpans() []span {
	b := a.view.Book
	switch {
	case b.Partial && b.Err != nil:
		return []span{{style.Warning, "⚠ book "}, {style.Warning, tab.Brief(b.Err)}}
	case a.valued && errors.Is(a.book.Err, model.ErrUnknown):
		return []span{{style.Warning, "⚠ book "}, {style.Warning, "unknown"}}
	case b.Partial && b.Total > 0:
		return []span{{style.Muted, "book "}, {style.Muted, fmt.Sprintf("page %d of %d", b.Done, b.Total)}}
	case !a.valued || a.book.Err != nil:
		return nil
	}
	v, today := a.book.Value, a.view.SinceDay(a.book.Since)
	spans := []span{{style.Muted, "book "}, {style.Strong, v.Value.FormatRounded()}}
	if v.Compared > 0 {
		role, arrow := tab.Way(v.OverCost)
		spans = append(spans, span{style.Muted, "  vs cost "}, span{role, arrow + v.OverCost.FormatRoundedChange()})
	}
	if v.Moved > 0 {
		role, arrow := tab.Way(v.Today)
		spans = append(spans, span{style.Muted, "  " + today + " "}, span{role, arrow + v.Today.FormatRoundedChange()})
	}
	if b.Old() || a.view.Market.Old() {
		for i := range spans {
			spans[i].role = style.Muted
		}
		spans[0] = span{style.Warning, "⚠ book "}
	}
	return spans
}

func widthOf(spans []span) (width int) {
	for _, s := range spans {
		width += style.Width(s.text)
	}
	return width
}
