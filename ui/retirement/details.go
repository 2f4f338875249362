package retirement

import (
	"strconv"
	"strings"

	"tonne/model"
	"tonne/ui/paint"
	"tonne/ui/view"
)

// details builds the document of one request.
func (t *Tab) details(e *entry) *document {
	d := &document{}
	switch {
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
	d.text(paint.Name, "No retirement requests yet")
	d.blank()
	d.text(paint.Muted, "Press a and type the id of a request, or paste one or many.")
	d.text(paint.Muted, "tonne keeps the list: the service cannot tell which there are.")
}

func (t *Tab) addUnanswered(d *document, e *entry) {
	d.text(paint.Name, e.id)
	d.blank()
	switch {
	case e.fetching:
		d.text(paint.Muted, "Looking it up …")
	case e.err != nil:
		d.add(func(l *paint.Line) { l.Put(paint.Dearer, "✗ "+e.err.Error()) })
		if advice := view.Advice(e.err); advice != "" {
			d.text(paint.Muted, advice)
		}
		d.text(paint.Muted, "↵ looks it up again, x removes it from the list.")
	default:
		d.text(paint.Muted, "Not looked up yet. ↵ looks it up.")
	}
}

func (t *Tab) addRequest(d *document, e *entry) {
	r := e.answer
	d.thing(r.ID, "the request's id", func(l *paint.Line) {
		l.Put(paint.Strong, strings.ReplaceAll(string(r.Status), "_", " "))
		l.Gap(3)
		l.Put(paint.Text, t.view.Quantity(r.TotalQuantity))
		l.Gap(2)
		l.Put(paint.Muted, strings.ToLower(string(r.Type)))
		l.Gap(2)
		l.Put(paint.Faint, r.ID)
	})
	d.thing(r.ProjectID+" "+r.VintageID, "project and vintage", func(l *paint.Line) {
		l.Put(paint.Name, t.view.Projects.Name(r.ProjectID))
		l.Put(paint.Text, " · "+t.view.VintageName(model.VintageKey{ProjectID: r.ProjectID, VintageID: r.VintageID}))
	})
	if e.err != nil {
		d.add(func(l *paint.Line) {
			l.Put(paint.Dearer, "⚠ as of "+t.view.Clock(e.at)+": "+e.err.Error())
		})
	}
	d.blank()
	t.addSteps(d, r)
	t.addDates(d, r)
	t.addCertificate(d, e)
	t.addChecks(d, r)
	t.addSerials(d, r)
	t.addItems(d, r)
	t.addRest(d, r)
}

func (t *Tab) addDates(d *document, r *model.Retirement) {
	d.heading("DATES", "")
	t.field(d, "created", t.view.Moment(r.CreatedAt), r.CreatedAt.Text)
	if r.RetiredAt.Text != "" || r.Status == model.Complete {
		t.field(d, "retired", t.view.Moment(r.RetiredAt), r.RetiredAt.Text)
	}
	t.field(d, "invoices settled", answer(r.AllInvoicesSettled), answer(r.AllInvoicesSettled))
	t.field(d, "for a customer", answer(r.ExternalCustomer), answer(r.ExternalCustomer))
}

// field adds a named value that can be copied.
func (t *Tab) field(d *document, name, shown, copied string) {
	if copied == "" {
		copied = shown
	}
	d.thing(copied, name, func(l *paint.Line) {
		l.PutLeft(paint.Muted, name, 18)
		l.Put(paint.Text, shown)
	})
}

func answer(a model.Answer) string {
	switch a {
	case model.Yes:
		return "yes"
	case model.No:
		return "no"
	}
	return "—"
}

func (t *Tab) addCertificate(d *document, e *entry) {
	url := e.answer.CertificateURL
	switch {
	case url != "":
		d.heading("CERTIFICATE", "o opens · y copies · d downloads")
		d.thing(url, "the certificate's address", func(l *paint.Line) { l.Link(paint.Link, t.linkable(url), url) })
		t.addSavedCertificate(d, e)
	case e.answer.Status == model.Complete:
		d.heading("CERTIFICATE", "")
		d.text(paint.Dearer, "The service sent no certificate for this complete request.")
	}
}

// linkable returns the address for a terminal link, or "" where it must not
// be one.
func (t *Tab) linkable(url string) string {
	if t.o.Safe == nil {
		return ""
	}
	if _, err := t.o.Safe(url); err != nil {
		return ""
	}
	return url
}

func (t *Tab) addSerials(d *document, r *model.Retirement) {
	if len(r.SerialNumbers) == 0 {
		if r.Status == model.Complete {
			d.heading("SERIAL NUMBERS", "")
			d.text(paint.Dearer, "The service sent no serial numbers for this complete request.")
		}
		return
	}
	shown := t.search.matching(r.SerialNumbers)
	note := view.Count(len(r.SerialNumbers), "range", "ranges")
	if len(shown) != len(r.SerialNumbers) {
		note = strconv.Itoa(len(shown)) + " of " + note
	}
	d.heading("SERIAL NUMBERS", note+" · / searches · Y copies all")
	for _, serial := range shown {
		d.thing(serial, "the serial number", func(l *paint.Line) {
			tonnes := ""
			if parsed, ok := model.ParseSerial(serial); ok {
				tonnes = "  " + t.view.Tonnes(parsed.Tonnes)
			}
			l.PutLeft(paint.Text, serial, min(paint.Width(serial), l.Room()-paint.Width(tonnes)))
			l.Put(paint.Muted, tonnes)
		})
	}
}

func (t *Tab) addRest(d *document, r *model.Retirement) {
	if len(r.Extra) > 0 {
		d.heading("ALSO SENT", "not part of the documented interface")
		for _, f := range r.Extra {
			t.field(d, f.Name, f.Value, f.Value)
		}
	}
	if len(r.Faults) > 0 {
		d.heading("NOT READABLE", "")
		for _, f := range r.Faults {
			d.add(func(l *paint.Line) { l.Put(paint.Dearer, "⚠ "+f.Error()) })
		}
	}
}
