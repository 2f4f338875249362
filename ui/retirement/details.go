package retirement

import (
	"strings"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// details builds the document of one request.
func (t *Tab) details(e *entry) *document {
	d := &document{width: t.split.details}
	switch {
	case e == nil && t.ledger.len() > 0:
		d.text(style.Muted, "Nothing in the ledger matches. Esc clears the search.")
	case e == nil:
		t.addInvitation(d)
	case e.answer == nil:
		t.addUnanswered(d, e)
	default:
		t.addRequest(d, e)
	}
	return d
}

func (t *Tab) addInvitation(d *document) {
	d.text(style.Name, "No retirement requests yet")
	d.blank()
	d.text(style.Muted, "Press a and type the id of a request, or paste one or many.")
	d.text(style.Muted, "Press I to read ids from a file: one a line, or a column of a CSV.")
	d.blank()
	d.text(style.Muted, "tonne keeps the list, since the service cannot tell which requests there are.")
}

func (t *Tab) addUnanswered(d *document, e *entry) {
	d.thing(e.id, "the id", func(l *style.Line) { l.Put(style.Name, e.id) })
	d.blank()
	switch {
	case e.err != nil:
		d.text(style.Warning, "✗ "+e.err.Error())
		if advice := tab.Advice(e.err); advice != "" {
			d.text(style.Muted, advice)
		}
		if e.fetching {
			d.text(style.Muted, "Looking it up again …")
			return
		}
		d.text(style.Muted, "↵ looks it up again, x removes it from the ledger.")
	case e.fetching:
		d.text(style.Muted, "Looking it up …")
	default:
		d.text(style.Muted, "Not looked up yet. ↵ looks it up.")
	}
}

func (t *Tab) addRequest(d *document, e *entry) {
	r := e.answer
	reading := t.read(r)
	t.addTitle(d, e)
	t.addSteps(d, r)
	t.addFaults(d, r)
	t.addCertificate(d, e)
	t.addChecks(d, reading.checks)
	t.addSerials(d, r, reading)
	t.addItems(d, r)
	t.addFields(d, e)
}

// addTitle says in one line what was retired, and what is wrong with the
// answer itself.
func (t *Tab) addTitle(d *document, e *entry) {
	r := e.answer
	d.thing(r.ID, "the request's id", func(l *style.Line) {
		l.Put(style.Strong, stateName(r.Status))
		l.Gap(3)
		l.Put(style.Text, t.view.Quantity(r.TotalQuantity))
		l.Gap(2)
		l.Put(style.Muted, strings.ToLower(string(r.Type)))
		l.Gap(3)
		l.Put(style.Name, t.view.Projects.Name(r.ProjectID))
		l.Put(style.Text, " · "+t.view.VintageName(model.VintageKey{ProjectID: r.ProjectID, VintageID: r.VintageID}))
	})
	if e.err != nil {
		d.text(style.Warning, "⚠ as of "+t.view.Moment(model.At(e.at))+": "+e.err.Error())
	}
}

func (t *Tab) addFaults(d *document, r *model.Retirement) {
	if len(r.Faults) == 0 {
		return
	}
	d.heading("NOT READABLE", "")
	for _, f := range r.Faults {
		d.thing(f.Error(), "what is not readable", func(l *style.Line) { l.Put(style.Warning, "⚠ "+f.Error()) })
	}
}

// addFields lists whatever is not shown above in full.
func (t *Tab) addFields(d *document, e *entry) {
	r := e.answer
	d.heading("REQUEST", "")
	t.field(d, "id", r.ID, "")
	t.field(d, "label", e.label, "")
	t.field(d, "type", string(r.Type), "")
	t.field(d, "state", string(r.Status), "")
	t.field(d, "quantity", t.view.Quantity(r.TotalQuantity), r.TotalQuantity.String())
	t.field(d, "project", r.ProjectID, "")
	t.field(d, "vintage", r.VintageID, "")
	t.field(d, "created", t.view.Moment(r.CreatedAt), r.CreatedAt.Text)
	t.field(d, "retired", t.view.Moment(r.RetiredAt), r.RetiredAt.Text)
	t.field(d, "invoices settled", answer(r.AllInvoicesSettled), "")
	t.field(d, "for a customer", answer(r.ExternalCustomer), "")
	t.field(d, "looked up", t.view.Moment(model.At(e.at)), "")
	for _, f := range r.Extra {
		t.field(d, f.Name, f.Value, "")
	}
}

// field adds a named value that can be copied. A value that is too long for
// its line is cut there and copied whole.
func (t *Tab) field(d *document, name, shown, copied string) {
	if copied == "" {
		copied = shown
	}
	if shown == "" {
		shown = "—"
	}
	d.value(0, name, span{style.Text, shown}, copied)
}

// nameWidth is the least width of a name before its value.
const nameWidth = 17

// value adds a named value, further in where it belongs to the line above.
func (d *document) value(indent int, name string, shown span, copied string) {
	d.thing(copied, name, func(l *style.Line) {
		l.Gap(indent)
		l.PutLeft(style.Muted, name, max(nameWidth-indent, min(style.Width(name), l.Room()/2)))
		l.Gap(1)
		l.Put(shown.role, shown.text)
	})
}

func answer(a model.OptionalBool) string {
	switch a {
	case model.Yes:
		return "yes"
	case model.No:
		return "no"
	}
	return ""
}
