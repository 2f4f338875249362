package market

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

const (
	fieldTonnes = iota
	fieldBudget
	fieldPrice
	fieldProject
	fieldType
	fieldCountry
	fieldFloors
	basketFields
)

type basketTexts [basketFields]string

var (
	basketLabels = basketTexts{"tonnes", "or budget", "max price", "cap project", "cap type", "cap country", "floors"}
	basketHints  = basketTexts{
		"like 5,000", "like $25,000 or $25k", "like $7.00", "like 40%: of each at most", "like 50%: of each at most", "like 50%: of each at most",
		"like Biochar=10%, Wind=20%, or label:ccp=50%",
	}
)

type fieldError struct {
	field int
	why   string
}

// Error is the sentence.
func (e *fieldError) Error() string { return e.why }

func (b basketTexts) request() (r basket.Request, err error) {
	read := []func(text string) error{
		func(text string) (err error) { r.Tonnes, err = basket.ParseTonnes(text); return err },
		func(text string) (err error) {
			r.Budget, err = model.ParseMoney(text)
			return amount(err, r.Budget, "$25,000 or $25k")
		},
		func(text string) error {
			price, err := model.ParseMoney(text)
			r.MaxPrice = model.PriceCents(price)
			return amount(err, price, "$7.00")
		},
		func(text string) (err error) { r.PerProject, err = basket.ParseShare(percent(text)); return err },
		func(text string) (err error) { r.PerGroup, err = basket.ParseShare(percent(text)); return err },
		func(text string) (err error) {
			if r.PerGroup > 0 {
				return errors.New("cap type or cap country: one of the two")
			}
			r.Group = basket.ByCountry
			r.PerGroup, err = basket.ParseShare(percent(text))
			return err
		},
		func(text string) error { return readFloors(&r.Limits, text) },
	}
	for field, read := range read {
		if text := strings.TrimSpace(b[field]); text != "" {
			if err := read(text); err != nil {
				return r, &fieldError{field, sentence(err)}
			}
		}
	}
	switch {
	case r.Tonnes == 0 && r.Budget == 0:
		return r, &fieldError{fieldTonnes, "Type how many tonnes, or how much money."}
	case r.Tonnes > 0 && r.Budget > 0:
		return r, &fieldError{fieldBudget, "Tonnes or a budget: one of the two."}
	}
	return r, nil
}

func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func amount(err error, cents model.Cents, like string) error {
	switch {
	case errors.Is(err, model.ErrOutOfRange):
		return errors.New("that is beyond any amount")
	case err != nil || cents == 0:
		return errors.New("dollars are written like " + like)
	}
	return nil
}

func percent(text string) string {
	return strings.TrimSpace(strings.TrimSuffix(text, "%")) + "%"
}

func readFloors(l *basket.Limits, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		at := strings.LastIndexByte(part, '=')
		if at < 0 {
			at = strings.LastIndexByte(part, ' ')
		}
		if at <= 0 {
			return fmt.Errorf("%q is no floor: write it like Biochar=10%%", part)
		}
		name := strings.TrimSpace(part[:at])
		if !strings.Contains(name, ":") {
			name = "type:" + name
		}
		if err := l.AddFloor(name + "=" + percent(strings.TrimSpace(part[at+1:]))); err != nil {
			return err
		}
	}
	return nil
}

type basketForm struct {
	fields  tab.Fields
	hints   basketTexts
	problem error
}

// newBasketForm returns a form with what was typed the last time. Limit is the
// price limit of the filter, which holds while no other is typed; 0 for none.
func newBasketForm(typed basketTexts, limit model.PriceCents) *basketForm {
	f := &basketForm{fields: tab.NewFields(basketFields), hints: basketHints}
	if limit > 0 {
		f.hints[fieldPrice] = limit.FormatDollars() + " by the filter"
	}
	for i := range basketFields {
		f.fields.SetValue(i, typed[i])
	}
	f.focus(fieldTonnes)
	if typed[fieldBudget] != "" {
		f.focus(fieldBudget)
	}
	return f
}

func (f *basketForm) focus(field int) {
	f.fields.Focus(field)
	f.fields.Offer()
}

// Title heads the form.
func (*basketForm) Title() string { return "The cheapest basket over the rows that are shown" }

// Size is as many lines as there are fields, and those that tell.
func (f *basketForm) Size(width, _ int) (w, h int) {
	width = min(width, 60)
	return width, basketFields + len(f.below(width)) + 1
}

func (f *basketForm) below(width int) []string {
	if f.problem == nil {
		return []string{"An empty field limits nothing."}
	}
	return tab.WrapProblem(f.problem.Error(), width)
}

// Draw draws the fields, what is wrong with one, and the keys.
func (f *basketForm) Draw(b *style.Block) (cursor *tea.Cursor) {
	// In a low terminal the field that has the keys stays in sight.
	below := f.below(b.Width())
	told := len(below) + 1
	first := max(0, min(f.fields.At(), basketFields-max(b.Room()-told, 1)))
	for i := first; i < basketFields && b.Room() > told || i == first; i++ {
		if c := f.fields.Draw(b.Line(style.Plain), i, i-first, basketLabels[i], 13, f.hints[i]); c != nil {
			cursor = c
		}
	}
	role := style.Muted
	if f.problem != nil {
		role = style.Warning
	}
	for _, line := range below {
		b.Put(role, line)
	}
	b.Put(style.Faint, "↵ done · Tab next field · Esc cancels")
	return cursor
}

// Press edits, goes from field to field, hands over or closes.
func (f *basketForm) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch msg.Keystroke() {
	case "esc":
		return true, nil
	case "tab", "down":
		f.focus(f.fields.At() + 1)
	case "shift+tab", "up":
		f.focus(f.fields.At() - 1)
	case "enter":
		return f.enter()
	default:
		f.take(msg, msg.Text != "")
	}
	return false, nil
}

func (f *basketForm) enter() (done bool, e effect.Effect) {
	var typed basketTexts
	for i := range typed {
		typed[i] = strings.TrimSpace(f.fields.Value(i))
	}
	if _, f.problem = typed.request(); f.problem != nil {
		if wrong := (*fieldError)(nil); errors.As(f.problem, &wrong) {
			f.fields.Focus(wrong.field)
		}
		return false, nil
	}
	return true, effect.Answer{Value: typed}
}

// Paste adds to the field that has the keys.
func (f *basketForm) Paste(msg tea.PasteMsg) effect.Effect {
	return f.take(msg, true)
}

// take edits the field that has the keys. Who types tonnes asks for no budget,
// and the other way round.
func (f *basketForm) take(msg tea.Msg, text bool) effect.Effect {
	f.problem = nil
	told := f.fields.Take(msg)
	if at := f.fields.At(); text && at <= fieldBudget {
		f.fields.SetValue(fieldTonnes+fieldBudget-at, "")
	}
	return told
}
