package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// A message stays for toastTime. A failure stays for failureTime or until the next input, because
// the user may be looking elsewhere.
const (
	toastTime   = 4 * time.Second
	failureTime = time.Minute
)

type toast struct {
	text string
	bad  bool
	// stands reports whether the message stays for failureTime.
	stands bool
	until  time.Time
	// holds reports whether the message is still true. Nil means always.
	holds func() bool
}

func (t *toast) end() time.Time {
	if t.stands {
		return t.until.Add(failureTime - toastTime)
	}
	return t.until
}

func (t *toast) expire(now time.Time) time.Time {
	if t.text != "" && (!t.end().After(now) || t.holds != nil && !t.holds()) {
		*t = toast{}
	}
	return t.end()
}

// alertToast is the alert below the header: a rule fired or a request changed.
type alertToast struct {
	toast
	hint string
	tab  int
}

// notice limits a terminal notification, in cells.
const notice = 200

// notify shows an alert and sends a terminal notification (OSC 9 and the bell) without control characters.
func (a *App) notify(tab int, n effect.Notify) tea.Cmd {
	if n.Quiet && a.alert.text != "" {
		return nil
	}
	a.alert = alertToast{toast{text: n.Text, stands: true, until: a.o.Now().Add(toastTime), holds: n.Holds}, n.Hint, tab}
	if n.Quiet {
		return nil
	}
	return tea.Raw("\x1b]9;" + style.Clip(n.Text, notice) + "\x07\x07")
}

// An alert needs alertRoom cells, and keeps its hint if it has hintRoom cells.
const alertRoom, hintRoom = 12, 40

func (h *header) alertText(room int) string {
	if h.alert.text == "" || room < alertRoom {
		return ""
	}
	text, hint := "▲ "+h.alert.text, h.alert.hint
	if hint != "" && h.alert.tab != h.active {
		hint = strconv.Itoa(h.alert.tab+1) + " " + hint
	}
	if hint != "" {
		hint = " · " + hint
	}
	if style.Width(text+hint) > room && room < hintRoom {
		hint = ""
	}
	return style.Clip(text, room-style.Width(hint)) + hint
}
