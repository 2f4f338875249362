package retire

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/country"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// The fields of the form, in the order in which they are walked.
const (
	quantityField = iota
	whomField
	nameField
	taxField
	countryField
	customerField
	referenceField
	fields
)

var fieldLabels = [fields]string{"quantity", "for", "customer's name", "tax id", "country", "your id of it", "reference"}

type form struct {
	entries  [fields]tab.Entry
	customer bool
	at       int
	// choice is the place in the list of countries that match.
	choice  int
	problem string
}

func newForm(quantity model.Grams) *form {
	f := &form{}
	for i := range f.entries {
		f.entries[i] = tab.NewEntry()
	}
	if quantity > 0 {
		f.entries[quantityField].SetValue(typed(quantity))
	}
	f.goTo(quantityField)
	return f
}

func (f *form) walked() []int {
	if f.customer {
		return []int{quantityField, whomField, nameField, taxField, countryField, customerField, referenceField}
	}
	return []int{quantityField, whomField, referenceField}
}

func (f *form) goTo(field int) {
	f.entries[f.at].Blur()
	f.at, f.choice = field, 0
	if field != whomField {
		f.entries[field].Focus()
	}
}

func (f *form) step(n int) {
	walked := f.walked()
	if to := slices.Index(walked, f.at) + n; to >= 0 && to < len(walked) {
		f.leave()
		f.goTo(walked[to])
	}
}

func (f *form) leave() {
	if matches := f.countries(); f.at == countryField && len(matches) > 0 {
		f.entries[countryField].SetValue(matches[min(f.choice, len(matches)-1)])
	}
}

func (f *form) press(key tea.KeyPressMsg) (plan bool) {
	f.problem = ""
	switch stroke := key.Keystroke(); {
	case stroke == "enter" && f.at == referenceField:
		return true
	case stroke == "enter", stroke == "tab":
		f.step(1)
	case stroke == "shift+tab":
		f.step(-1)
	case f.at == countryField && len(f.countries()) > 1 && (stroke == "up" || stroke == "down"):
		f.choose(stroke)
	case stroke == "up":
		f.step(-1)
	case stroke == "down":
		f.step(1)
	case f.at == whomField:
		if stroke == "space" || stroke == "left" || stroke == "right" {
			f.customer = !f.customer
		}
	default:
		f.entries[f.at].Take(key)
		f.choice = 0
	}
	return false
}

func (f *form) choose(stroke string) {
	n := len(f.countries())
	if stroke == "up" {
		f.choice = (f.choice + n - 1) % n
		return
	}
	f.choice = (f.choice + 1) % n
}

func (f *form) paste(msg tea.PasteMsg) effect.Effect {
	if f.at == whomField {
		return nil
	}
	f.problem = ""
	return f.entries[f.at].Take(msg)
}

func (f *form) value(field int) string { return strings.TrimSpace(f.entries[field].Value()) }

func (f *form) countries() []string { return country.Find(f.value(countryField)) }

func (f *form) request(vintage, order string) (r model.RetireRequest, problem string, field int) {
	r = model.RetireRequest{VintageID: vintage, SellOrderID: order}
	var err error
	if r.Quantity, err = retire.ParseQuantity(f.value(quantityField)); err != nil || r.Quantity <= 0 {
		return r, "Type a quantity above zero: tonnes, such as 2.5, or grams, such as 20 g.", quantityField
	}
	if !f.customer {
		return r, "", 0
	}
	r.Retiree = model.Retiree{ID: f.value(customerField), Name: f.value(nameField), TaxID: f.value(taxField)}
	switch codes := f.countries(); {
	case r.Retiree.Name == "":
		return r, "A customer has a name.", nameField
	case r.Retiree.TaxID == "":
		return r, "A customer has a tax id.", taxField
	case len(codes) != 1:
		return r, "Choose the customer's country from the list.", countryField
	case !r.Quantity.IsWhole():
		return r, "A customer's retirement is in whole tonnes.", quantityField
	default:
		r.Retiree.Country = codes[0]
	}
	return r, "", 0
}

func (f *form) draw(b *style.Block, y int) (cursor *tea.Cursor) {
	walked := f.walked()
	rows := max(min(b.Room()-2, len(walked)), 1)
	first := max(min(slices.Index(walked, f.at)-rows/2, len(walked)-rows), 0)
	for i, field := range walked[first : first+rows] {
		if c := f.drawField(b.Line(style.Plain), field, y+i); c != nil {
			cursor = c
		}
	}
	return cursor
}

func (f *form) drawField(l *style.Line, field, y int) *tea.Cursor {
	mark := "  "
	if field == f.at {
		mark = "❯ "
	}
	l.Put(style.Accent, mark)
	l.PutLeft(style.Muted, fieldLabels[field], labels-2)
	if field != whomField {
		return f.entries[field].Draw(l, y)
	}
	putChoice(l, "our own behalf", !f.customer)
	l.Gap(3)
	putChoice(l, "a customer", f.customer)
	if field == f.at {
		return tea.NewCursor(2, y)
	}
	return nil
}

func putChoice(l *style.Line, text string, on bool) {
	if on {
		l.Put(style.Text, "● "+text)
	} else {
		l.Put(style.Faint, "○ "+text)
	}
}

const onCertificate = "as it shall stand on the certificate"

var fieldHints = [fields]string{
	"tonnes, such as 2.5, or grams, such as 20 g", "Space changes; a customer's retirement is in whole tonnes", onCertificate, onCertificate, "",
	"of your own books; may stay empty", "of your own books, by which the ledger finds it; may stay empty",
}

// hint is what may be typed, or what is wrong, and how many countries it lists.
func (f *form) hint(width int) (hint []line, list int) {
	codes := f.countries()
	text := said(style.Muted, fieldHints[f.at])
	switch {
	case f.problem != "":
		text = said(style.Warning, "✗ "+f.problem)
	case f.at != countryField:
	case f.value(countryField) == "":
		text = said(style.Muted, "type a part of its name, or its code")
	case len(codes) == 0:
		text = said(style.Warning, "✗ No country is called that.")
	default:
		return []line{{left: f.listed(codes)}}, len(codes)
	}
	return fold([]line{text}, width), 0
}

func (f *form) listed(codes []string) (list style.Spans) {
	first, role, gap := min(f.choice, len(codes)-1), style.Strong, ""
	for i := range codes {
		code := codes[(first+i)%len(codes)]
		list = list.Put(role, gap+code+" "+country.Name(code))
		role, gap = style.Muted, "   "
	}
	return list
}
