package retire

import (
	"errors"
	"strings"

	"tonne/model/country"
	"tonne/model/fold"
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

// fields is the form. first is the index of its first field: the form of a basket has no quantity.
type fields struct {
	*tab.Form
	first int
}

// At returns the field with the focus.
func (f fields) At() int { return f.Form.At() + f.first }

// Value returns the text of a field.
func (f fields) Value(field int) string { return f.Form.Value(field - f.first) }

// SetValue replaces the text of a field.
func (f fields) SetValue(field int, text string) { f.Form.SetValue(field-f.first, text) }

// Focus gives the focus to a field, or to the first if the form does not have it.
func (f fields) Focus(field int) { f.Form.Focus(max(field-f.first, 0)) }

// Fail shows the problem with a field.
func (f fields) Fail(field int, problem string) { f.Form.Fail(max(field-f.first, 0), problem) }

func (d *dialog) newForm() fields {
	const onCertificate = "as on the certificate"
	form := tab.Form{
		Width: widest, LabelWidth: labels - 2,
		Labels: []string{"quantity", "customer's name", "tax id", "country", "customer id", "reference"},
		Hints: []string{
			"2.5 (tonnes), 500 kg, 20 g, or all", onCertificate + "; blank: our own behalf", onCertificate,
			"country code or part of the name", "the customer's id in your own records; optional",
			"your own reference, to find it again; optional",
		},
		Edited: func(bool) {}, Enter: d.enter,
	}
	return d.kind.fields(form)
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
	case f.At() == quantityField:
		f.Note = d.kind.preview()
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

func (d *dialog) reference() string { return fold.Trim(d.form.Value(referenceField)) }

// fieldOf returns the field with the text that an error is about, or the field with the focus.
func (d *dialog) fieldOf(err error) int {
	text, ok := errors.AsType[*retirement.TextError](err)
	if !ok {
		return d.form.At()
	}
	field, known := map[string]int{
		"reference": referenceField, "external_retiree_id": customerField, "external_retiree_name": nameField,
		"external_retiree_tax_id": taxField, "external_retiree_location": countryField,
	}[text.Member]
	if !known {
		return d.form.At()
	}
	return field
}

func (d *dialog) retiree() (r retirement.Retiree, problem string, field int) {
	value, codes := d.form.Value, d.countries()
	r = retirement.Retiree{ID: fold.Trim(value(customerField)), Name: value(nameField), TaxID: value(taxField),
		Country: value(countryField)}
	switch {
	case r == retirement.Retiree{}:
	case r.Name == "":
		return r, "Enter the customer's name.", nameField
	case r.TaxID == "":
		return r, "Enter the customer's tax id.", taxField
	case len(codes) != 1:
		return r, "Enter the code or the full name of the customer's country.", countryField
	default:
		r.Country = codes[0]
	}
	return r, "", 0
}
