package retirement

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/model/localfile"
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

// seenLabels name the fields, seenHints are what may be typed there.
var (
	seenLabels = [seenFields]string{"address", "serials", "saved page"}
	seenHints  = [seenFields]string{
		"of the public page that you look at", "like 9320001 to 9320010; empty for the whole request", "a file that you saved of it, or empty",
	}
)

type seenForm struct {
	fields tab.Fields
	answer *model.Retirement
	// marked is the serial number that the person looks at, empty for none: it
	// is meant first.
	marked string
	// seen is what is known of it before anything is typed, but for the time: that
	// is when it is recorded.
	seen model.RegistryObservation
	// offered is an address that nobody typed. It is taken once the person has
	// confirmed that they looked at it.
	offered   string
	confirmed bool
	problem   string
	record    func(model.RegistryObservation) effect.Effect
	// fleeting says that it is gone with the session.
	fleeting bool
}

func (t *Tab) askSeen(r ledger.Row) effect.Effect {
	asked := seenFields
	if t.view.Shared {
		// Somebody at another machine has no file here.
		asked = seenPage
	}
	f := &seenForm{fields: tab.NewFields(asked), answer: r.Answer, seen: model.RegistryObservation{Subject: r.ID, Who: t.o.Who}, offered: t.panes.details.Page(), fleeting: t.view.Fleeting, record: t.see}
	f.fields.SetValue(seenAddress, f.offered)
	if marked, _ := t.panes.details.Marked(); t.panes.focused && marked.Serial != "" {
		f.marked = marked.Serial
		f.fields.SetValue(seenSerials, f.marked)
		if s, ok := model.ParseSerial(f.marked); ok {
			f.fields.SetValue(seenSerials, fmt.Sprintf("%d to %d", s.Start, s.End))
		}
	}
	return effect.Show{Panel: f}
}

// Title names the request.
func (f *seenForm) Title() string {
	return "Seen on the registry: " + style.ClipMiddle(f.answer.ID, 40)
}

// Size is as many lines as there are fields, and those that tell.
func (f *seenForm) Size(width, _ int) (w, h int) {
	width = min(width, 76)
	return width, f.fields.Len() + len(f.below(width)) + 1
}

func (f *seenForm) below(width int) []string {
	text := "Recorded as seen by " + f.seen.Who + ", and never changed."
	if f.fleeting {
		text = "Recorded for this session only: your key is read-only."
	}
	if f.problem != "" {
		text = "✗ " + f.problem
	}
	return style.Wrap(text, max(width, 1))
}

// Draw draws the fields, what is wrong with one, and the keys.
func (f *seenForm) Draw(b *style.Block) (cursor *tea.Cursor) {
	for i := range f.fields.Len() {
		if c := f.fields.Draw(b.Line(style.Plain), i, i, seenLabels[i], 12, seenHints[i]); c != nil {
			cursor = c
		}
	}
	role := style.Muted
	if f.problem != "" {
		role = style.Warning
	}
	for _, line := range f.below(b.Width()) {
		b.Put(role, line)
	}
	b.Put(style.Faint, "↵ records · Tab next field · Esc cancels")
	return cursor
}

// Press edits, goes from field to field, hands over or closes.
func (f *seenForm) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
	case "esc":
		return true, nil
	case "tab", "down":
		f.fields.Focus(f.fields.At() + 1)
	case "shift+tab", "up":
		f.fields.Focus(f.fields.At() - 1)
	case "enter":
		return f.handIn()
	default:
		f.problem, f.confirmed = "", false
		f.fields.Take(msg)
	}
	return false, nil
}

// Paste adds to the field that has the keys.
func (f *seenForm) Paste(msg tea.PasteMsg) effect.Effect {
	f.problem, f.confirmed = "", false
	return f.fields.Take(msg)
}

func (f *seenForm) handIn() (bool, effect.Effect) {
	seen := f.seen
	seen.URL = strings.TrimSpace(f.fields.Value(seenAddress))
	subject, problem := f.subject()
	if problem == "" {
		seen.Subject = subject
	}
	err := seen.Check()
	switch {
	case err != nil:
		f.problem = tab.Sentence(err)
		f.fields.Focus(seenAddress)
	case problem != "":
		f.problem = problem
		f.fields.Focus(seenSerials)
	case seen.URL == f.offered && !f.confirmed:
		f.problem, f.confirmed = "tonne proposes this page. Did you look at it yourself? ↵ again says so.", true
	default:
		return true, f.read(seen)
	}
	return false, nil
}

// subject is what was seen: the request, or a serial number of it or a part of
// one. The problem is that the request does not hold it, or in several blocks
// where none is marked: numbers begin anew in each.
func (f *seenForm) subject() (subject, problem string) {
	typed := strings.TrimSpace(f.fields.Value(seenSerials))
	if typed == "" {
		return f.answer.ID, ""
	}
	if slices.Contains(f.answer.SerialNumbers, typed) {
		return typed, ""
	}
	block, start, end, ok := model.ParseCredits(typed)
	for _, text := range append([]string{f.marked}, f.answer.SerialNumbers...) {
		whole, _ := model.ParseSerial(text)
		part, holds := model.PartOfSerial(text, start, end)
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

func (f *seenForm) read(seen model.RegistryObservation) effect.Effect {
	typed := f.fields.Value(seenPage)
	if strings.TrimSpace(typed) == "" {
		return f.record(seen)
	}
	return effect.Work(func(context.Context) any {
		path, err := localfile.Expand(typed)
		if err == nil {
			seen.Page = filepath.Base(path)
			seen.PageSHA256, err = localfile.SHA256(path)
		}
		return effect.Then(func() effect.Effect {
			if err == nil {
				return f.record(seen)
			}
			f.problem = "The saved page cannot be read: " + localfile.Plain(err).Error() + "."
			f.fields.Focus(seenPage)
			return effect.Show{Panel: f}
		})
	})
}

func (t *Tab) see(seen model.RegistryObservation) effect.Effect {
	seen.At = t.view.Now()
	if t.annotations != nil && slices.ContainsFunc(t.annotations.Observations, seen.Repeats) {
		return effect.Say("It is recorded already: " + seen.Who + " saw it today at " + tab.Typed(seen.URL) + ".")
	}
	t.session.See(seen)
	return effect.Say("Recorded: " + seen.Who + " saw it at " + tab.Typed(seen.URL) + ".")
}
