package ui

import (
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

// tabSpan is where the label of a tab stands in the header.
type tabSpan struct{ first, end int }

const brand = " ◆ tonne  "

func (a *App) tabSpans() []tabSpan {
	at := style.Width(brand)
	spans := make([]tabSpan, len(a.infos))
	for n, info := range a.infos {
		width := style.Width(info.Title) + len(" 1  ")
		spans[n] = tabSpan{at, at + width}
		at += width + 1
	}
	return spans
}

func (a *App) tabAt(x int) (int, bool) {
	for n, s := range a.tabSpans() {
		if x >= s.first && x < s.end {
			return n, true
		}
	}
	return 0, false
}

func (a *App) drawHeader() string {
	block := style.NewBlock(a.view.Theme, a.width, headerLines)
	line := block.Line(style.Plain)
	line.Put(style.Accent, brand)
	for n, info := range a.infos {
		a.drawTabLabel(line, n, info)
	}
	health := a.health()
	room := line.Room() - 1
	state := health.long
	if style.Width(state) > room {
		state = health.short
	}
	// The usual state has its room, so that the place stays where it is.
	place := a.place(room - max(style.Width(state), usualState) - placeGap)
	beside := a.width - 1 - style.Width(state) - placeGap - style.Width(place.text)
	worth := a.bookSpans()
	below := widthOf(worth) > beside-line.Used()-2*bookGap
	if !below {
		line.Gap(bookGap)
		putSpans(line, worth)
	}
	line.GapTo(beside)
	line.Put(place.role, place.text)
	line.GapTo(a.width - 1 - style.Width(state))
	line.Put(health.role, state)

	told := ""
	if state != health.long && health.role != style.Accent {
		told = health.long
	}
	a.drawRule(block.Line(style.Plain), place.text == "", below, span{health.role, told})
	return block.String()
}

// drawRule draws the line below the tabs: the mode, what did not fit beside the
// tabs, and then the rule. The rule begins after the text: a badge in a rule
// looks crossed out.
func (a *App) drawRule(rule *style.Line, placed, worth bool, told span) {
	a.drawMode(rule)
	if placed {
		// No terminal is too narrow to say that this is production, or a demo.
		place := a.place(a.width - 14 - rule.Used())
		if short := a.place(shortPlace); a.alert.text != "" && short.text != "" {
			place = short
		}
		if place.text != "" {
			rule.Put(place.role, " "+strings.TrimSpace(place.text)+" ")
		}
	}
	if here := a.atTheDesk(); here != "" {
		rule.Put(style.Muted, " "+here+" ")
	}
	room := rule.Room() - 2
	if told.text != "" {
		room /= 2
	}
	alert := a.alertText(room)
	if spans := a.bookWorth(rule.Room() - style.Width(told.text+alert) - 2*bookGap); worth && len(spans) > 0 {
		rule.Gap(1)
		putSpans(rule, spans)
		rule.Gap(1)
	}
	if alert != "" {
		rule.Put(style.Warning, " "+alert+" ")
	}
	if told.text != "" {
		text := " " + style.Clip(told.text, max(rule.Room()-4, 0)) + " "
		rule.Repeat(style.Border, "─", max(rule.Room()-style.Width(text)-1, 0))
		rule.Put(told.role, text)
		rule.Gap(rule.Room())
	}
	rule.Repeat(style.Border, "─", rule.Room())
}

func putSpans(line *style.Line, spans []span) {
	for _, s := range spans {
		line.Put(s.role, s.text)
	}
}

func (a *App) drawTabLabel(line *style.Line, n int, info tab.Info) {
	number := " " + strconv.Itoa(n+1) + " "
	end := line.Used() + style.Width(info.Title) + len(" 1  ") + 1
	if n == a.active {
		line.Put(style.Tab, number+info.Title)
	} else {
		line.Put(style.Muted, number)
		line.Put(style.Text, info.Title)
	}
	// The badge takes the place of what parts the labels: none of them moves.
	badge := style.Clip(info.Badge, badgeRoom)
	if badge == "" && n == a.active {
		line.Put(style.Tab, " ")
	}
	line.Put(style.Warning, badge)
	line.GapTo(end)
}

// badgeRoom is how wide a badge may be.
const badgeRoom = 2

// span is a piece of text with its meaning.
type span struct {
	role style.Role
	text string
}

// usualState is how wide the state of the feed is mostly.
const usualState = len("o live - 59s ago")

// shortPlace is the width of the place next to an alert, if it can be that short.
const shortPlace = 24

// placeGap is how far the place stands from the state of the feed.
const placeGap = 3

// production is what a place is called where mistakes cost money.
const production = "PRODUCTION"

func (a *App) place(room int) span {
	names := slices.DeleteFunc([]string{a.o.Label, a.o.Host}, func(s string) bool { return s == "" || strings.EqualFold(s, production) })
	s := span{role: style.Muted}
	if a.o.Alarm {
		names = append([]string{production}, names...)
		s.role, room = style.Alarm, room-2
	}
	for n := len(names); n > len(names)-2 && n > 0 && s.text == ""; n-- {
		if text := strings.Join(names[:n], " · "); style.Width(text) <= room {
			s.text = text
		}
	}
	if a.o.Alarm && s.text != "" {
		s.text = " " + s.text + " "
	}
	return s
}

// health is the state of the feed as the header shows it.
type health struct {
	role        style.Role
	short, long string
}

// state returns the state that the header tells, and what it is of: of one
// thing, or with "" of the connection. That the service knows no such thing is
// no fault of the connection, and an answer of long ago does not make it live.
func (a *App) state() (s session.Status, of string) {
	info, market := a.infos[a.active], a.view.Market.Status
	kind := api.KindOf(info.Health.Err)
	if info.Of != "" && (kind == api.NotFound || kind == api.Invalid || info.Health.State == session.Live && market.State != session.Live) {
		return market, ""
	}
	return info.Health, info.Of
}

func (a *App) health() health {
	s, of := a.state()
	now := a.o.Now()
	switch s.State {
	case session.Live:
		age := tab.Age(now.Sub(s.At))
		if of != "" {
			return health{style.Accent, "● live", "● live · " + of + " " + age + " old"}
		}
		return health{style.Accent, "● " + age, "● live · " + age + " ago"}
	case session.Paused:
		text := "‖ paused"
		if !s.At.IsZero() {
			return health{style.Muted, text, text + " · as of " + a.view.Moment(model.At(s.At))}
		}
		return health{style.Muted, text, text}
	case session.Refused:
		text := "✗ " + reason(s.Err)
		if !s.At.IsZero() {
			text += " · as of " + a.view.Moment(model.At(s.At))
		}
		text += " · r tries again"
		if a.o.KeyFrom != "" {
			text += " · key from " + a.o.KeyFrom
		}
		return health{style.Warning, "✗ refused", text}
	case session.Stale:
		text := "⚠ stale " + tab.Age(now.Sub(s.At))
		why := reason(s.Err) + retryIn(s, now)
		if s.Err == nil {
			why = loading(s)
		}
		return health{style.Warning, text, text + " · " + why}
	}
	if s.Err != nil {
		return health{style.Warning, "⚠ no answer", "⚠ " + reason(s.Err) + retryIn(s, now)}
	}
	return health{style.Muted, "◌ loading", "◌ " + loading(s)}
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
		return " · trying again"
	}
	// Rounded up, so that the last second reads 1s.
	return " · retry in " + tab.Age(s.RetryAt.Sub(now)+time.Second-1)
}

func reason(err error) string {
	if err == nil {
		return "no answer"
	}
	return tab.Brief(err)
}

// ageChanges returns when the header reads differently by itself; zero for
// never. While nobody looks, it may be wrong.
func (a *App) ageChanges(now time.Time) time.Time {
	s, _ := a.state()
	if a.unfocused || a.tooSmall() {
		return time.Time{}
	}
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
