package market

import (
	"cmp"
	"errors"
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
		"e.g. 5,000 or all", "e.g. $25,000 or $25k", "e.g. $7.00", "max share per project, e.g. 40%",
		"max share per type, e.g. 50%", "max share per country, e.g. 50%",
		"e.g. Biochar=10%, Wind=20%, or label:ccp=50%",
	}
)

// request reads the texts. all is the quantity for sale.
func (b basketTexts) request(all model.Grams) (r basket.Request, field int, err error) {
	capOf := func(what string) func(text string) error {
		return func(text string) error { return r.Limits.AddCap(what + "=" + percent(text)) }
	}
	read := [basketFields]func(text string) error{
		fieldTonnes: func(text string) (err error) { r.Tonnes, err = basket.ParseTonnes(text, all); return err },
		fieldBudget: func(text string) (err error) { r.Budget, err = amount(text, "$25,000 or $25k"); return err },
		fieldPrice: func(text string) error {
			price, err := amount(text, "$7.00")
			r.Limits.SetMaxPrice(model.PriceCents(price))
			return err
		},
		fieldProject: capOf("project"), fieldType: capOf("type"), fieldCountry: capOf("country"),
		fieldFloors: func(text string) (err error) {
			for _, floor := range b.floors() {
				err = cmp.Or(err, r.Limits.AddFloor(floor))
			}
			return err
		},
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
		return r, fieldTonnes, errors.New("enter the tonnes or a budget")
	case r.Tonnes > 0 && r.Budget > 0:
		return r, fieldBudget, errors.New("enter either the tonnes or a budget, not both")
	}
	return r, 0, nil
}

// floors returns the floors as flags have them.
func (b basketTexts) floors() (floors []string) {
	if strings.TrimSpace(b[fieldFloors]) == "" {
		return nil
	}
	for part := range strings.SplitSeq(b[fieldFloors], ",") {
		if part = percent(strings.TrimSpace(part)); !strings.Contains(part, ":") {
			part = "type:" + part
		}
		floors = append(floors, part)
	}
	return floors
}

func amount(text, like string) (model.Cents, error) {
	cents, err := model.ParseMoney(text)
	switch {
	case errors.Is(err, model.ErrOutOfRange):
		return 0, errors.New("the amount is too large")
	case err != nil || cents == 0:
		return 0, errors.New("enter an amount in dollars, e.g. " + like)
	}
	return cents, nil
}

func percent(text string) string {
	return strings.TrimSpace(strings.TrimSuffix(text, "%")) + "%"
}

// newBasketForm returns a form with the texts typed last. all is for sale in the shown rows. A limit other than 0
// is the max price of the filter.
func newBasketForm(typed basketTexts, limit model.PriceCents, all model.Grams) *tab.Form {
	hints := basketHints
	if limit > 0 {
		hints[fieldPrice] = limit.FormatDollars() + " (from the filter)"
	}
	f := tab.NewForm(tab.Form{
		Heading: "Cheapest basket over the shown rows", Note: "Leave blank for no limit.",
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
		r, field, err := typed.request(all)
		if err != nil {
			f.Fail(field, tab.Sentence(err))
			return false, nil
		}
		if r.Tonnes > 0 {
			// A basket of all keeps its tonnes when the market moves.
			typed[fieldTonnes] = model.FormatNumber(r.Tonnes)
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
