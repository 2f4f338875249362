package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// A message stays for toastTime at least. A failure stays for failureTime, unless a person does something
// meanwhile: they may be looking elsewhere, and a screen that is not touched must not keep it.
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

// alertToast says below the header that a rule has fired or a request has changed.
type alertToast struct {
	toast
	hint string
	tab  int
}

// notice is how many cells of a message go into a notification of the terminal.
const notice = 200

// notify shows an alert, and sends it through the terminal (OSC 9 and the bell), without control characters.
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

// An alert needs alertRoom, and hintRoom to keep its hint if it is cut.
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
