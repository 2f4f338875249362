package details

import (
	"strings"

	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/style"
)

func (p *Pane) addAll() {
	switch s := p.subject; {
	case s == nil && len(p.batch) > 0:
		p.text(style.Name, p.batch[0])
		p.blank()
		for _, line := range p.batch[1:] {
			p.text(style.Muted, line)
		}
	case s == nil && p.requests > 0:
		p.text(style.Muted, "No request matches. Esc clears the search.")
	case s == nil:
		p.addInvitation()
	case s.Answer == nil:
		p.addUnanswered(s)
	default:
		p.addRequest(s)
	}
}

func (p *Pane) addInvitation() {
	p.text(style.Name, "No retirement requests yet")
	p.blank()
	p.text(style.Muted, "Press + and type the id of a request, or paste one or many.")
	if !p.view.Shared {
		p.text(style.Muted, "Press I to import ids from a file: one per line, or a CSV column.")
	}
	p.blank()
	p.text(style.Muted, "tonne keeps this list locally, because the service cannot list requests.")
}

func (p *Pane) addUnanswered(s *Subject) {
	p.thing(s.ID, "the id", func(l *style.Line) { l.PutMiddle(style.Name, s.ID) })
	p.addFound(s.Found)
	p.addPlanned(s.Planned())
	p.blank()
	switch {
	case s.Err != nil:
		p.text(style.Warning, "✗ "+s.Err.Error())
		if advice := p.view.Advice(s.Err); advice != "" {
			p.text(style.Muted, advice)
		}
		if s.LookingUp {
			p.text(style.Muted, "Looking it up again …")
			return
		}
		p.text(style.Muted, "↵ looks it up again, x removes it from the ledger.")
	case s.LookingUp:
		p.text(style.Muted, "Looking it up …")
	default:
		p.text(style.Muted, "Not looked up yet. ↵ looks it up.")
	}
}

func (p *Pane) addPlanned(r *retirement.Request) {
	if r == nil {
		return
	}
	p.heading("AS PLANNED", "by the journal of this machine")
	p.field("quantity", p.view.Quantity(r.TotalQuantity), r.TotalQuantity.String())
	p.field("project", p.view.Projects.Name(r.ProjectID), r.ProjectID)
	p.field("vintage", p.id(r.VintageID), r.VintageID)
	p.field("for", strings.Join(r.Beneficiaries(), ", "), "")
}

func (p *Pane) addRequest(s *Subject) {
	r := s.Answer
	summary := p.summarise(s)
	p.addTitle(s)
	p.addFound(s.Found)
	p.addSteps(r)
	if len(r.Faults) > 0 {
		p.heading("NOT READABLE", "")
		for _, f := range r.Faults {
			p.thing(f.Error(), "the unreadable value", func(l *style.Line) { l.Put(style.Warning, "⚠ "+f.Error()) })
		}
	}
	p.addCertificate(s)
	p.addChecks(summary.checks, s)
	p.addSerials(s, summary)
	p.addItems(r.Items)
	p.addFields(s)
	p.addRegistry(s, summary)
	p.addAttributes(summary)
}

func (p *Pane) addTitle(s *Subject) {
	r := s.Answer
	p.thing(r.ID, "the request's id", func(l *style.Line) {
		l.Put(style.Strong, r.Status.Words())
		l.Gap(3)
		l.Put(style.Text, p.view.Quantity(r.TotalQuantity))
		l.Gap(2)
		l.Put(style.Muted, strings.ToLower(string(r.Type)))
		l.Gap(3)
		l.Put(style.Name, p.view.Projects.Name(r.ProjectID))
		l.Put(style.Text, " · "+p.view.VintageName(r.Vintage()))
	})
	if s.Was != "" {
		p.text(style.Strong, "● changed since you last looked: "+s.Was.Words()+" → "+r.Status.Words())
	}
	if s.Err != nil {
		p.text(style.Warning, "⚠ as of "+p.view.Moment(model.At(s.AnsweredAt))+": "+s.Err.Error())
	}
}

func (p *Pane) addSteps(r *retirement.Request) {
	if !r.Status.Known() {
		p.text(style.Warning, "? Unknown state, shown as the service sent it.")
		return
	}
	steps := r.Steps()
	days, widths := make([]string, len(steps)), make([]int, len(steps))
	for i, s := range steps {
		if s.At.Known() {
			days[i] = p.view.Day(s.At)
		}
		widths[i] = max(style.Width(s.Status.Words()), style.Width(days[i])) + 3
	}
	p.add(func(l *style.Line) {
		for i, s := range steps {
			l.Put(reached(s))
			if i+1 < len(steps) {
				role, _ := reached(steps[i+1])
				l.Repeat(role, "━", widths[i]-1)
			}
		}
	})
	p.add(func(l *style.Line) {
		for i, s := range steps {
			role := style.Faint
			switch {
			case s.Current:
				role = style.Strong
			case s.Reached:
				role = style.Muted
			}
			l.PutLeft(role, s.Status.Words(), widths[i])
		}
	})
	p.add(func(l *style.Line) {
		for i, day := range days {
			l.PutLeft(style.Faint, day, widths[i])
		}
	})
	p.text(style.Muted, r.Status.Meaning())
}

func reached(s retirement.Step) (style.Role, string) {
	if s.Reached {
		return style.Accent, "●"
	}
	return style.Faint, "○"
}

func (p *Pane) addFields(s *Subject) {
	r := s.Answer
	p.heading("REQUEST", "")
	p.field("id", p.id(r.ID), r.ID)
	p.field("label", s.Called(), "")
	p.field("type", string(r.Type), "")
	p.field("state", string(r.Status), "")
	p.field("quantity", p.view.Quantity(r.TotalQuantity), r.TotalQuantity.String())
	p.field("project", p.id(r.ProjectID), r.ProjectID)
	p.field("vintage", p.id(r.VintageID), r.VintageID)
	p.field("created", p.view.Moment(r.CreatedAt), r.CreatedAt.Text)
	p.field("retired", p.view.Moment(r.RetiredAt), r.RetiredAt.Text)
	answers := map[model.OptionalBool]string{model.Yes: "yes", model.No: "no"}
	p.field("invoices settled", answers[r.AllInvoicesSettled], "")
	p.field("for a customer", answers[r.ExternalCustomer], "")
	p.field("looked up", p.view.Moment(model.At(s.AnsweredAt)), "")
	p.addCost(s)
	p.addJournal(s)
	for _, f := range r.Extra {
		p.field(f.Name, f.Value, "")
	}
}
