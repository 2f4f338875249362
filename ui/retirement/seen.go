package retirement

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// The fields of a sighting, in the order of the form.
const (
	seenAddress = iota
	seenSerials
	seenPage
	seenFields
)

var (
	seenLabels = [seenFields]string{"address", "serials", "saved page"}
	seenHints  = [seenFields]string{
		"of the public page that you look at", "like 9320001 to 9320010; empty for the whole request", "a file that you saved of it, or empty",
	}
)

type seenForm struct {
	*tab.Form
	answer *retirement.Request
	// marked is the serial number that the person looks at, empty for none: it
	// is meant first.
	marked string
	// seen is what is known of it before anything is typed, but for the time: that
	// is when it is recorded.
	seen retirement.Observation
	// offered is an address that nobody typed. It is taken once the person has
	// confirmed that they looked at it.
	offered   string
	confirmed bool
	files     tab.Files
	record    func(retirement.Observation) effect.Effect
}

func (t *Tab) askSeen(r ledger.Row) effect.Effect {
	labels := seenLabels[:]
	if t.view.Shared {
		// Somebody at another machine has no file here.
		labels = labels[:seenPage]
	}
	seen := retirement.Observation{Subject: r.ID, Who: t.o.Who}
	note := "Recorded as seen by " + seen.Who + ", and never changed."
	if t.view.Fleeting {
		note = "Recorded for this session only: your key is read-only."
	}
	f := &seenForm{files: t.view.Files, answer: r.Answer, seen: seen, offered: t.panes.details.Page(), record: t.see}
	f.Form = tab.NewForm(tab.Form{
		Heading: "Seen on the registry: " + style.ClipMiddle(r.ID, 40), Note: note,
		Keys: "↵ records · Tab next field · Esc cancels", Width: 76, LabelWidth: 12, Labels: labels, Hints: seenHints[:],
		Edited: func(bool) { f.confirmed = false }, Enter: f.handIn,
	})
	f.SetValue(seenAddress, f.offered)
	if marked, _ := t.panes.details.Marked(); t.panes.focused && marked.Serial != "" {
		f.marked = marked.Serial
		f.SetValue(seenSerials, f.marked)
		if s, ok := retirement.ParseSerial(f.marked); ok {
			f.SetValue(seenSerials, fmt.Sprintf("%d to %d", s.Start, s.End))
		}
	}
	return effect.Show{Panel: f}
}

func (f *seenForm) handIn() (bool, effect.Effect) {
	seen := f.seen
	seen.URL = f.Value(seenAddress)
	subject, problem := f.subject()
	if problem == "" {
		seen.Subject = subject
	}
	err := seen.Check()
	switch {
	case err != nil:
		f.Fail(seenAddress, tab.Sentence(err))
	case problem != "":
		f.Fail(seenSerials, problem)
	case seen.URL == f.offered && !f.confirmed:
		f.Problem, f.confirmed = "tonne proposes this page. Did you look at it yourself? ↵ again says so.", true
	default:
		return true, f.read(seen)
	}
	return false, nil
}

// subject is what was seen: the request, a serial number of it or a part of one.
// Numbers begin again in each block.
func (f *seenForm) subject() (subject, problem string) {
	typed := f.Value(seenSerials)
	if typed == "" {
		return f.answer.ID, ""
	}
	if slices.Contains(f.answer.SerialNumbers, typed) {
		return typed, ""
	}
	block, start, end, ok := retirement.ParseCredits(typed)
	for _, text := range append([]string{f.marked}, f.answer.SerialNumbers...) {
		whole, _ := retirement.ParseSerial(text)
		part, holds := retirement.PartOfSerial(text, start, end)
		switch {
		case !ok || !holds || block != "" && block != whole.Block || part == subject:
		case text == f.marked:
			return part, ""
		case subject != "":
			return "", "Several blocks have these numbers. Type the whole serial number."
		default:
			subject = part
		}
	}
	if subject == "" {
		return "", "The request holds no such serial numbers."
	}
	return subject, ""
}

func (f *seenForm) read(seen retirement.Observation) effect.Effect {
	typed := f.Value(seenPage)
	if typed == "" {
		return f.record(seen)
	}
	return effect.Work(func(context.Context) any {
		path, err := f.files.Expand(typed)
		if err == nil {
			seen.Page = filepath.Base(path)
			seen.PageSHA256, err = f.files.SHA256(path)
		}
		return effect.Then(func() effect.Effect {
			if err == nil {
				return f.record(seen)
			}
			f.Fail(seenPage, "The saved page cannot be read: "+err.Error()+".")
			return effect.Show{Panel: f}
		})
	})
}

func (t *Tab) see(seen retirement.Observation) effect.Effect {
	seen.At = t.view.Now()
	if t.annotations != nil && slices.ContainsFunc(t.annotations.Observations, seen.Repeats) {
		return effect.Say("It is recorded already: " + seen.Who + " saw it today at " + tab.Typed(seen.URL) + ".")
	}
	t.session.See(seen)
	return effect.Say("Recorded: " + seen.Who + " saw it at " + tab.Typed(seen.URL) + ".")
}
