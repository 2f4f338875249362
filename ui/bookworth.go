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
func (h *header) bookWorth(room int) style.Spans {
	spans := h.bookSpans()
	if len(spans) > 4 && spans.Width() > room {
		spans = append(spans[:2], spans[4:]...)
	}
	for len(spans) > 0 && spans.Width() > room {
		spans = spans[:len(spans)-2]
	}
	return spans
}

func (h *header) bookSpans() style.Spans {
	b := h.view.Book
	switch {
	case b.Partial && b.Err != nil:
		return style.Put(style.Warning, "⚠ book ").Put(style.Warning, tab.Brief(b.Err))
	case h.valued && errors.Is(h.book.Err, model.ErrUnknown):
		return style.Put(style.Warning, "⚠ book ").Put(style.Warning, "unknown")
	case b.Partial && b.Total > 0:
		return style.Put(style.Muted, "book ").Put(style.Muted, fmt.Sprintf("page %d of %d", b.Done, b.Total))
	case !h.valued || h.book.Err != nil:
		return nil
	}
	v, today := h.book.Value, h.view.SinceDay(h.book.Since)
	spans := style.Put(style.Muted, "book ").Put(style.Strong, v.Value.FormatRounded())
	if v.Compared > 0 {
		role, arrow := tab.Way(v.OverCost)
		spans = spans.Put(style.Muted, "  vs cost ").Put(role, arrow+v.OverCost.FormatRoundedChange())
	}
	if v.Moved > 0 {
		role, arrow := tab.Way(v.Today)
		spans = spans.Put(style.Muted, "  "+today+" ").Put(role, arrow+v.Today.FormatRoundedChange())
	}
	if b.Old() || h.view.Market.Old() {
		for i := range spans {
			spans[i].Role = style.Muted
		}
		spans[0] = style.Span{Role: style.Warning, Text: "⚠ book "}
	}
	return spans
}
