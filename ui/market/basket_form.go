package market

import (
	"errors"
	"fmt"
	"strings"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/effect"
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

// request also returns the field of the error, which is a sentence.
func (b basketTexts) request() (r basket.Request, field int, err error) {
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
				return r, field, err
			}
		}
	}
	switch {
	case r.Tonnes == 0 && r.Budget == 0:
		return r, fieldTonnes, errors.New("type how many tonnes, or how much money")
	case r.Tonnes > 0 && r.Budget > 0:
		return r, fieldBudget, errors.New("tonnes or a budget: one of the two")
	}
	return r, 0, nil
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

// newBasketForm returns a form with what was typed the last time. Limit is the
// price limit of the filter, which holds while no other is typed; 0 for none. Who types
// tonnes asks for no budget, and the other way round.
func newBasketForm(typed basketTexts, limit model.PriceCents) *tab.Form {
	hints := basketHints
	if limit > 0 {
		hints[fieldPrice] = limit.FormatDollars() + " by the filter"
	}
	f := tab.NewForm(tab.Form{
		Heading: "The cheapest basket over the rows that are shown", Note: "An empty field limits nothing.",
		Keys: "↵ done · Tab next field · Esc cancels", Width: 60, LabelWidth: 13,
		Labels: basketLabels[:], Hints: hints[:], Replace: true,
	})
	f.Edited = func(text bool) {
		if at := f.At(); text && at <= fieldBudget {
			f.SetValue(fieldTonnes+fieldBudget-at, "")
		}
	}
	f.Enter = func() (done bool, e effect.Effect) {
		var typed basketTexts
		for i := range typed {
			typed[i] = f.Value(i)
		}
		if _, field, err := typed.request(); err != nil {
			f.Fail(field, tab.Sentence(err))
			return false, nil
		}
		return true, effect.Answer{Value: typed}
	}
	for i := range basketFields {
		f.SetValue(i, typed[i])
	}
	f.Go(fieldTonnes)
	if typed[fieldBudget] != "" {
		f.Go(fieldBudget)
	}
	return f
}
