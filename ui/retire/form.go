package retire

import (
	"strings"

	"tonne/api/retire"
	"tonne/model/country"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// The fields of the form, in tab order.
const (
	quantityField = iota
	nameField
	taxField
	countryField
	customerField
	referenceField
)

func (d *dialog) newForm() *tab.Form {
	const onCertificate = "as on the certificate"
	f := tab.NewForm(tab.Form{
		Width: widest, LabelWidth: labels - 2, Labels: []string{"quantity", "customer's name", "tax id", "country", "customer id", "reference"},
		Hints: []string{
			"tonnes, such as 2.5, or grams, such as 20 g", onCertificate + "; blank: our own behalf", onCertificate,
			"country code or part of the name", "the customer's id in your books; optional", "your own reference, searchable in the ledger; optional",
		},
		Edited: func(bool) {}, Enter: d.enter,
	})
	if d.from.Quantity > 0 {
		f.SetValue(quantityField, typed(d.from.Quantity))
	}
	return f
}

func (d *dialog) countries() []string { return country.Find(d.form.Value(countryField)) }

func (d *dialog) enter() (done bool, e effect.Effect) {
	next := d.form.At() + 1
	switch codes := d.countries(); d.form.At() {
	case referenceField:
		return false, d.planForm()
	case nameField:
		if d.form.Value(nameField) == "" {
			next = referenceField
		}
	case countryField:
		if len(codes) > 0 {
			d.form.SetValue(countryField, codes[0])
		}
	}
	d.form.Focus(next)
	return false, nil
}

func (d *dialog) describe() {
	f, codes := d.form, d.countries()
	f.Note, f.Keys = "", "↵ next · Esc leaves"
	switch {
	case f.At() == referenceField:
		f.Keys = "↵ makes a plan; nothing is sent before you confirm · Esc leaves"
	case f.At() != countryField || f.Value(countryField) == "":
	case len(codes) == 0:
		f.Note = "✗ No country matches."
	default:
		var names []string
		for _, code := range codes {
			names = append(names, code+" "+country.Name(code))
		}
		f.Note, f.Keys = strings.Join(names, " · "), "↵ takes the first · Esc leaves"
	}
}

func (d *dialog) request() (r retirement.RetireRequest, problem string, field int) {
	value := d.form.Value
	r = retirement.RetireRequest{VintageID: d.from.Vintage.VintageID, SellOrderID: d.from.SellOrderID}
	var err error
	if r.Quantity, err = retire.ParseQuantity(value(quantityField)); err != nil || r.Quantity <= 0 {
		return r, "Enter a quantity above zero: tonnes, such as 2.5, or grams, such as 20 g.", quantityField
	}
	codes := d.countries()
	r.Retiree = retirement.Retiree{ID: value(customerField), Name: value(nameField), TaxID: value(taxField), Country: value(countryField)}
	switch {
	case r.Retiree == retirement.Retiree{}:
	case r.Retiree.Name == "":
		return r, "Enter the customer's name.", nameField
	case r.Retiree.TaxID == "":
		return r, "Enter the customer's tax id.", taxField
	case len(codes) != 1:
		return r, "Enter the code or the full name of the customer's country.", countryField
	case !r.Quantity.IsWhole():
		return r, "A retirement for a customer must be in whole tonnes.", quantityField
	default:
		r.Retiree.Country = codes[0]
	}
	if err := retire.Check(value(referenceField), r); err != nil {
		return r, tab.Sentence(err), d.form.At()
	}
	return r, "", 0
}
