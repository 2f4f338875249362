package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// header draws the two lines above the tab.
type header App

func (a *App) header() *header { return (*header)(a) }

const brand = " ◆ tonne  "

func (h *header) tabAt(x int) (int, bool) {
	at := style.Width(brand)
	for n, info := range h.infos[:recordedTab] {
		end := at + style.Width(info.Title) + len(" 1  ")
		if x >= at && x < end {
			return n, true
		}
		at = end + 1
	}
	return 0, false
}

func (h *header) draw() string {
	block := style.NewBlock(h.view.Theme, h.width, headerLines)
	line := block.Line(style.Plain)
	line.Put(style.Accent, brand)
	for n, info := range h.infos[:recordedTab] {
		h.drawTabLabel(line, n, info)
	}
	if h.replay.Recorded() {
		place := h.place(line.Room() - 1)
		line.GapTo(h.width - 1 - style.Width(place.Text))
		line.Put(place.Role, place.Text)
		h.replay.banner(block.Line(style.Plain))
		return block.String()
	}
	health := h.health()
	room := line.Room() - 1
	state := health.long
	if style.Width(state) > room {
		state = health.short
	}
	// Reserve the width of the usual state, so that the place does not move.
	place := h.place(room - max(style.Width(state), usualState) - placeGap)
	beside := h.width - 1 - style.Width(state) - placeGap - style.Width(place.Text)
	worth := h.bookSpans()
	below := worth.Width() > beside-line.Used()-2*bookGap
	if !below {
		line.Gap(bookGap)
		line.PutSpans(worth)
	}
	line.GapTo(beside)
	line.Put(place.Role, place.Text)
	line.GapTo(h.width - 1 - style.Width(state))
	line.Put(health.role, state)

	rest := style.Span{Role: health.role}
	if state != health.long && health.role != style.Accent {
		rest.Text = health.long
	}
	h.drawRule(block.Line(style.Plain), place.Text == "", below, rest)
	return block.String()
}

// drawRule draws the line below the tabs: the mode, what did not fit above, and a rule.
func (h *header) drawRule(rule *style.Line, placed, worth bool, rest style.Span) {
	mode := h.retiring.mode()
	rule.Put(mode.Role, " "+mode.Text+" ")
	if placed {
		room := h.width - 14 - rule.Used()
		place := h.place(room)
		if short := h.place(min(shortPlace, room)); h.alert.text != "" && short.Text != "" {
			place = short
		}
		if place.Text != "" {
			rule.Put(place.Role, " "+strings.TrimSpace(place.Text)+" ")
		}
	}
	if here := h.atTheDesk(); here != "" {
		rule.Put(style.Muted, " "+here+" ")
	}
	room := rule.Room() - 2
	if rest.Text != "" {
		room /= 2
	}
	alert := h.alertText(room)
	if spans := h.bookWorth(rule.Room() - style.Width(rest.Text+alert) - 2*bookGap); worth && len(spans) > 0 {
		rule.Gap(1)
		rule.PutSpans(spans)
		rule.Gap(1)
	}
	if alert != "" {
		rule.Put(style.Warning, " "+alert+" ")
	}
	if rest.Text != "" {
		text := " " + style.Clip(rest.Text, max(rule.Room()-4, 0)) + " "
		rule.Repeat(style.Border, "─", max(rule.Room()-style.Width(text)-1, 0))
		rule.Put(rest.Role, text)
		rule.Gap(rule.Room())
	}
	rule.Repeat(style.Border, "─", rule.Room())
}

func (h *header) drawTabLabel(line *style.Line, n int, info tab.Info) {
	number := " " + strconv.Itoa(n+1) + " "
	end := line.Used() + style.Width(info.Title) + len(" 1  ") + 1
	active := n == h.replay.kind()
	if active {
		line.Put(style.Tab, number+info.Title)
	} else {
		line.Put(style.Muted, number)
		line.Put(style.Text, info.Title)
	}
	badge := style.Clip(info.Badge, badgeRoom)
	if badge == "" && active {
		line.Put(style.Tab, " ")
	}
	line.Put(style.Warning, badge)
	line.GapTo(end)
}

const (
	badgeRoom  = 2
	usualState = len("o live - 59s ago")
	shortPlace = 24
	placeGap   = 3
	bookGap    = 3
	production = "PRODUCTION"
)

func (h *header) place(room int) style.Span {
	names := slices.DeleteFunc([]string{h.o.Label, h.o.Host},
		func(s string) bool { return s == "" || strings.EqualFold(s, production) })
	s := style.Span{Role: style.Muted}
	if h.o.Alarm {
		names = append([]string{production}, names...)
		s.Role, room = style.Alarm, room-2
	}
	for n := len(names); n > 0 && s.Text == ""; n-- {
		if text := strings.Join(names[:n], " · "); style.Width(text) <= room {
			s.Text = text
		}
	}
	if h.o.Alarm && s.Text != "" {
		s.Text = " " + s.Text + " "
	}
	return s
}

type health struct {
	role        style.Role
	short, long string
}

// state returns the status in the header and its subject: the name of a thing, or "" for the
// connection. A thing that does not exist is not a connection error, and an old response does
// not make the connection live.
func (h *header) state() (s session.Status, of string) {
	info, market := h.infos[h.active], h.view.Market.Status
	kind := api.KindOf(info.Health.Err)
	if info.Of != "" &&
		(kind == api.NotFound || kind == api.Invalid || info.Health.State == session.Live && market.State != session.Live) {
		return market, ""
	}
	return info.Health, info.Of
}

func (h *header) health() health {
	s, of := h.state()
	now, asOf, reason, why := h.o.Now(), "", "no answer", loading(s)
	if !s.At.IsZero() {
		asOf = " · as of " + h.view.Moment(model.At(s.At))
	}
	if s.Err != nil {
		reason = api.Brief(s.Err)
		why = reason + retryIn(s, now)
	}
	age := tab.Age(now.Sub(s.At))
	switch {
	case s.State == session.Live && of != "":
		return health{style.Accent, "● live", "● live · " + of + " " + age + " old"}
	case s.State == session.Live:
		return health{style.Accent, "● " + age, "● live · " + age + " ago"}
	case s.State == session.Paused:
		return health{style.Muted, "‖ paused", "‖ paused" + asOf}
	case s.State == session.Refused:
		text := "✗ " + reason + asOf + " · r retries"
		if h.o.KeyFrom != "" {
			text += " · key from " + h.o.KeyFrom
		}
		return health{style.Warning, "✗ refused", text}
	case s.State == session.Stale:
		return health{style.Warning, "⚠ stale " + age, "⚠ stale " + age + " · " + why}
	case s.Err != nil:
		return health{style.Warning, "⚠ no answer", "⚠ " + why}
	}
	return health{style.Muted, "◌ loading", "◌ " + why}
}

func loading(s session.Status) string {
	if s.Total > 1 {
		return fmt.Sprintf("loading · page %d of %d", s.Done, s.Total)
	}
	return "loading"
}

func retryIn(s session.Status, now time.Time) string {
	if s.RetryAt.IsZero() {
		return ""
	}
	if s.Fetching || !s.RetryAt.After(now) {
		return " · retrying"
	}
	// Round up, so that the last second is 1s.
	return " · retry in " + tab.Age(s.RetryAt.Sub(now)+time.Second-1)
}

// ageChanges returns when the text of the header changes next, or zero if it does not.
func (h *header) ageChanges(now time.Time) time.Time {
	s, _ := h.state()
	switch {
	case s.State == session.Paused || s.State == session.Refused:
		return time.Time{}
	case s.Err != nil && s.RetryAt.After(now):
		left := s.RetryAt.Sub(now)
		return now.Add(left - (left-1)/time.Second*time.Second)
	case s.At.IsZero():
		return time.Time{}
	}
	return now.Add(tab.NextAge(now.Sub(s.At)))
}

// bookWorth returns as much of bookSpans as fits in room. The comparison with cost is dropped first.
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
		return style.Put(style.Warning, "⚠ book ").Put(style.Warning, api.Brief(b.Err))
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
