package details

import (
	"cmp"
	"strings"

	"tonne/model"
	"tonne/ui/style"
)

func (p *Pane) document() *document {
	d, s := &document{width: p.width}, p.subject
	switch {
	case s == nil && p.requests > 0:
		d.text(style.Muted, "Nothing in the ledger matches. Esc clears the search.")
	case s == nil:
		p.addInvitation(d)
	case s.Answer == nil:
		p.addUnanswered(d, s)
	default:
		p.addRequest(d, s)
	}
	return d
}

func (p *Pane) addInvitation(d *document) {
	d.text(style.Name, "No retirement requests yet")
	d.blank()
	d.text(style.Muted, "Press + and type the id of a request, or paste one or many.")
	if !p.view.Shared {
		d.text(style.Muted, "Press I to read ids from a file: one a line, or a column of a CSV.")
	}
	d.blank()
	d.text(style.Muted, "tonne keeps the list, since the service cannot tell which requests there are.")
}

func (p *Pane) addUnanswered(d *document, s *Subject) {
	d.thing(s.ID, "the id", func(l *style.Line) { l.PutMiddle(style.Name, s.ID) })
	d.blank()
	switch {
	case s.Err != nil:
		d.text(style.Warning, "✗ "+s.Err.Error())
		if advice := p.view.Advice(s.Err); advice != "" {
			d.text(style.Muted, advice)
		}
		if s.LookingUp() {
			d.text(style.Muted, "Looking it up again …")
			return
		}
		d.text(style.Muted, "↵ looks it up again, x removes it from the ledger.")
	case s.LookingUp():
		d.text(style.Muted, "Looking it up …")
	default:
		d.text(style.Muted, "Not looked up yet. ↵ looks it up.")
	}
}

func (p *Pane) addRequest(d *document, s *Subject) {
	r := s.Answer
	reading := p.read(s)
	p.addTitle(d, s)
	p.addFound(d, s)
	p.addSteps(d, r)
	p.addFaults(d, r)
	p.addCertificate(d, s)
	p.addChecks(d, checksOf(reading.checks, s))
	p.addSerials(d, s, reading)
	p.addItems(d, r)
	p.addFields(d, s)
	p.addRegistry(d, s, reading)
	p.addAttributes(d, reading)
}

func (p *Pane) addTitle(d *document, s *Subject) {
	r := s.Answer
	d.thing(r.ID, "the request's id", func(l *style.Line) {
		l.Put(style.Strong, r.Status.Words())
		l.Gap(3)
		l.Put(style.Text, p.view.Quantity(r.TotalQuantity))
		l.Gap(2)
		l.Put(style.Muted, strings.ToLower(string(r.Type)))
		l.Gap(3)
		l.Put(style.Name, p.view.Projects.Name(r.ProjectID))
		l.Put(style.Text, " · "+p.view.VintageName(model.VintageKey{ProjectID: r.ProjectID, VintageID: r.VintageID}))
	})
	if s.Was != "" {
		d.text(style.Strong, "● "+r.Status.Words()+" since you looked last: it was "+s.Was.Words())
	}
	if s.Err != nil {
		d.text(style.Warning, "⚠ as of "+p.view.Moment(model.At(s.AnsweredAt))+": "+s.Err.Error())
	}
}

func (p *Pane) addFaults(d *document, r *model.Retirement) {
	if len(r.Faults) == 0 {
		return
	}
	d.heading("NOT READABLE", "")
	for _, f := range r.Faults {
		d.thing(f.Error(), "what is not readable", func(l *style.Line) { l.Put(style.Warning, "⚠ "+f.Error()) })
	}
}

func (p *Pane) addFields(d *document, s *Subject) {
	r := s.Answer
	d.heading("REQUEST", "")
	p.idField(d, "id", r.ID)
	p.field(d, "label", s.Called(), "")
	p.field(d, "type", string(r.Type), "")
	p.field(d, "state", string(r.Status), "")
	p.field(d, "quantity", p.view.Quantity(r.TotalQuantity), r.TotalQuantity.String())
	p.idField(d, "project", r.ProjectID)
	p.idField(d, "vintage", r.VintageID)
	p.field(d, "created", p.view.Moment(r.CreatedAt), r.CreatedAt.Text)
	p.field(d, "retired", p.view.Moment(r.RetiredAt), r.RetiredAt.Text)
	p.field(d, "invoices settled", answer(r.AllInvoicesSettled), "")
	p.field(d, "for a customer", answer(r.ExternalCustomer), "")
	p.field(d, "looked up", p.view.Moment(model.At(s.AnsweredAt)), "")
	p.addBooks(d, s)
	for _, f := range r.Extra {
		p.field(d, f.Name, f.Value, "")
	}
}

func (p *Pane) field(d *document, name, shown, copied string) {
	d.value(0, name, span{role: style.Text, text: cmp.Or(shown, "—")}, cmp.Or(copied, shown))
}

func (p *Pane) idField(d *document, name, id string) {
	d.value(0, name, span{role: style.Text, text: cmp.Or(id, "—"), id: true}, id)
}

// nameWidth is the least width of a name before its value.
const nameWidth = 17

func (d *document) value(indent int, name string, shown span, copied string) {
	d.thing(copied, name, func(l *style.Line) {
		l.Gap(indent)
		l.PutLeft(style.Muted, name, max(nameWidth-indent, min(style.Width(name), l.Room()/2)))
		l.Gap(1)
		if shown.id {
			l.PutMiddle(shown.role, shown.text)
			return
		}
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
