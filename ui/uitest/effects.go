package uitest

import (
	"context"

	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Effects records the effects that a tab requested.
type Effects struct {
	// Said, Notified, Copied and Opened are in order, the newest last.
	Said, Notified, Copied, Opened []string
	// Prompt is the last form of one line, and Panel the last other panel, or nil.
	Prompt *tab.Form
	Panel  effect.Panel
	// undo are the changes that can be undone, the newest last.
	undo []effect.Undo
}

func (w *Effects) take(e effect.Effect) (work []effect.Work) {
	switch e := e.(type) {
	case effect.Several:
		for _, one := range e {
			work = append(work, w.take(one)...)
		}
	case effect.Work:
		work = append(work, e)
	case effect.Answer:
		work = append(work, func(context.Context) any { return e.Value })
	case effect.Then:
		work = append(work, w.take(e())...)
	case effect.Toast:
		w.Said = append(w.Said, e.Text)
	case effect.Notify:
		if e.Quiet {
			w.Said = append(w.Said, e.Text)
		} else {
			w.Notified = append(w.Notified, e.Text)
		}
	case effect.Undo:
		w.undo = append(w.undo, e)
	case effect.Copy:
		w.Copied = append(w.Copied, e.Text)
	case effect.Open:
		w.Opened = append(w.Opened, e.URL)
	case effect.Show:
		if form, ok := e.Panel.(*tab.Form); ok && len(form.Labels) == 1 {
			w.Prompt = form
		} else {
			w.Panel = e.Panel
		}
	}
	return work
}

// LastOf returns the last text, or "".
func LastOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// Last returns the newest message and the newest copied text.
func (w *Effects) Last() (said, copied string) { return LastOf(w.Said), LastOf(w.Copied) }
