package uitest

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/tab"
)

// Wishes are what a tab asked the desk for.
type Wishes struct {
	// Said, Notified, Copied and Opened are all of a kind, the newest last.
	Said, Notified, Copied, Opened []string
	// Ask, Panel and Choices are the last of a kind; nil for none.
	Ask     *tab.Ask
	Panel   tab.Panel
	Choices []tab.Choice
}

func (w *Wishes) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tab.Toast:
		w.Said = append(w.Said, msg.Text)
	case tab.Notify:
		w.Notified = append(w.Notified, msg.Text)
	case tab.Copy:
		w.Copied = append(w.Copied, msg.Text)
	case tab.Open:
		w.Opened = append(w.Opened, msg.URL)
	case tab.Ask:
		w.Ask = &msg
	case tab.Lay:
		w.Panel = msg.Panel
	case tab.Choose:
		w.Choices = msg.Choices
	}
}

// LastOf returns the newest of what was said, copied and so on, or "".
func LastOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}
