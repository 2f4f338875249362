package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// A message stays on the screen for toastTime, at least. One of something that
// failed stays for failureTime, unless somebody does something meanwhile: they may
// be looking elsewhere, and a screen that nobody touches must not keep it.
const (
	toastTime   = 4 * time.Second
	failureTime = time.Minute
)

type toast struct {
	text string
	bad  bool
	// stands says that it stays for failureTime.
	stands bool
	until  time.Time
	// holds reports whether the message is still true; nil for always.
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

// alert is what the line below the header announces: that a rule has fired, or that
// a request has changed.
type alert struct {
	toast
	hint string
	tab  int
}

// notice is how many cells of a message go into a notification of the terminal.
const notice = 200

// notify shows an alert, and sends it through the terminal (OSC 9 and the bell).
// What would end the sequence early is replaced in the text.
func (a *App) notify(tab int, n effect.Notify) tea.Cmd {
	if n.Quiet && a.alert.text != "" {
		return nil
	}
	a.alert = alert{toast{text: n.Text, stands: true, until: a.o.Now().Add(toastTime), holds: n.Holds}, n.Hint, tab}
	if n.Quiet {
		return nil
	}
	return tea.Raw("\x1b]9;" + style.Clip(n.Text, notice) + "\x07\x07")
}

// From alertRoom on an alert is shown at all, from hintRoom on one that is cut keeps
// its hint.
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
