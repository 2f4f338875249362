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

// The fields of the form, in order.
const (
	fieldAddress = iota
	fieldSerials
	fieldPage
	observationFields
)

var (
	observationLabels = [observationFields]string{"address", "serials", "saved page"}
	observationHints  = [observationFields]string{
		"of the public page that you see", "e.g. 9320001 to 9320010; blank for the whole request",
		"a file of the page that you saved; optional",
	}
)

type observationForm struct {
	*tab.Form
	answer *retirement.Request
	// marked is the selected serial number, or "". Numbers without a block refer to it first.
	marked string
	// seen is the observation without the fields of the form and the time, which is set when it
	// is recorded.
	seen retirement.Observation
	// offered is an address that tonne filled in. The user must confirm that they looked at it.
	offered   string
	confirmed bool
	files     tab.Files
	record    func(retirement.Observation) effect.Effect
}

func (t *Tab) askObservation(r ledger.Row) effect.Effect {
	labels := observationLabels[:]
	if t.view.Shared {
		// Remote users have no files on this machine.
		labels = labels[:fieldPage]
	}
	seen := retirement.Observation{Subject: r.ID, Who: t.o.Who}
	note := "Recorded as seen by " + seen.Who + ". This cannot be changed later."
	if t.view.Fleeting {
		note = "Recorded for this session only: you have read-only access."
	}
	f := &observationForm{files: t.view.Files, answer: r.Answer, seen: seen, offered: t.panes.details.Page(),
		record: t.recordObservation}
	f.Form = tab.NewForm(tab.Form{
		Heading: "Seen on the registry: " + style.ClipMiddle(r.ID, 40), Note: note,
		Keys: "↵ records · Tab next field · Esc cancels", Width: 76, LabelWidth: 12, Labels: labels,
		Hints:  observationHints[:],
		Edited: func(bool) { f.confirmed = false }, Enter: f.submit,
	})
	f.SetValue(fieldAddress, f.offered)
	if marked, _ := t.panes.details.Marked(); t.panes.focused && marked.Serial != "" {
		f.marked = marked.Serial
		f.SetValue(fieldSerials, f.marked)
		if s, ok := retirement.ParseSerial(f.marked); ok {
			f.SetValue(fieldSerials, fmt.Sprintf("%d to %d", s.Start, s.End))
		}
	}
	return effect.Show{Panel: f}
}

func (f *observationForm) submit() (bool, effect.Effect) {
	seen := f.seen
	seen.URL = f.Value(fieldAddress)
	subject, problem := f.subject()
	if problem == "" {
		seen.Subject = subject
	}
	err := seen.Check()
	switch {
	case err != nil:
		f.Fail(fieldAddress, tab.Sentence(err))
	case problem != "":
		f.Fail(fieldSerials, problem)
	case seen.URL == f.offered && !f.confirmed:
		f.Problem, f.confirmed = "tonne filled in this address. Did you see the page yourself? ↵ confirms.", true
	default:
		return true, f.read(seen)
	}
	return false, nil
}

// subject returns what was seen: the request, one of its serial numbers, or a part of one.
// Each block has its own numbering.
func (f *observationForm) subject() (subject, problem string) {
	typed := f.Value(fieldSerials)
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
			return "", "Several blocks have these numbers. Enter the whole serial number."
		default:
			subject = part
		}
	}
	if subject == "" {
		return "", "The request has no such serial numbers."
	}
	return subject, ""
}

func (f *observationForm) read(seen retirement.Observation) effect.Effect {
	typed := f.Value(fieldPage)
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
			f.Fail(fieldPage, "Cannot read the saved page: "+err.Error()+".")
			return effect.Show{Panel: f}
		})
	})
}

func (t *Tab) recordObservation(seen retirement.Observation) effect.Effect {
	seen.At = t.view.Now()
	if t.annotations != nil && slices.ContainsFunc(t.annotations.Observations, seen.Repeats) {
		return effect.Say("Already recorded: " + seen.Who + " saw it today at " + tab.Typed(seen.URL) + ".")
	}
	t.session.See(seen)
	return effect.Say("Recorded: " + seen.Who + " saw it at " + tab.Typed(seen.URL) + ".")
}
