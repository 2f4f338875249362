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
		d.addInvitation(p)
	case s.Answer == nil:
		d.addUnanswered(p, s)
	default:
		d.addRequest(p, s)
	}
	return d
}

func (d *document) addInvitation(p *Pane) {
	d.text(style.Name, "No retirement requests yet")
	d.blank()
	d.text(style.Muted, "Press + and type the id of a request, or paste one or many.")
	if !p.view.Shared {
		d.text(style.Muted, "Press I to read ids from a file: one a line, or a column of a CSV.")
	}
	d.blank()
	d.text(style.Muted, "tonne keeps the list, since the service cannot tell which requests there are.")
}

func (d *document) addUnanswered(p *Pane, s *Subject) {
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

func (d *document) addRequest(p *Pane, s *Subject) {
	r := s.Answer
	reading := p.read(s)
	d.addTitle(p, s)
	d.addFound(p, s)
	d.addSteps(p, r)
	d.addFaults(r)
	d.addCertificate(p, s)
	d.addChecks(checksOf(reading.checks, s))
	d.addSerials(p, s, reading)
	d.addItems(p, r)
	d.addFields(p, s)
	d.addRegistry(p, s, reading)
	d.addAttributes(p, reading)
}

func (d *document) addTitle(p *Pane, s *Subject) {
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

func (d *document) addFaults(r *model.Retirement) {
	if len(r.Faults) == 0 {
		return
	}
	d.heading("NOT READABLE", "")
	for _, f := range r.Faults {
		d.thing(f.Error(), "what is not readable", func(l *style.Line) { l.Put(style.Warning, "⚠ "+f.Error()) })
	}
}

func (d *document) addFields(p *Pane, s *Subject) {
	r := s.Answer
	d.heading("REQUEST", "")
	d.idField("id", r.ID)
	d.field("label", s.Called(), "")
	d.field("type", string(r.Type), "")
	d.field("state", string(r.Status), "")
	d.field("quantity", p.view.Quantity(r.TotalQuantity), r.TotalQuantity.String())
	d.idField("project", r.ProjectID)
	d.idField("vintage", r.VintageID)
	d.field("created", p.view.Moment(r.CreatedAt), r.CreatedAt.Text)
	d.field("retired", p.view.Moment(r.RetiredAt), r.RetiredAt.Text)
	d.field("invoices settled", answer(r.AllInvoicesSettled), "")
	d.field("for a customer", answer(r.ExternalCustomer), "")
	d.field("looked up", p.view.Moment(model.At(s.AnsweredAt)), "")
	d.addBooks(p, s)
	for _, f := range r.Extra {
		d.field(f.Name, f.Value, "")
	}
}

func (d *document) field(name, shown, copied string) {
	d.value(0, name, span{role: style.Text, text: cmp.Or(shown, "—")}, cmp.Or(copied, shown))
}

func (d *document) idField(name, id string) {
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
