package details

import (
	"cmp"
	"strings"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/retirement"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func (p *Pane) addRegistry(s *Subject, summary *summary) {
	if s.Answer.Status != retirement.Complete && len(summary.observations) == 0 {
		return
	}
	p.heading("REGISTRY", "")
	if page := summary.page; page != "" {
		p.thing(page, "the address of the registry", func(l *style.Line) {
			l.Put(style.Muted, "public page  ")
			l.Link(style.Link, p.linkable(page), style.ClipMiddle(page, l.Room()))
		})
	}
	for _, seen := range summary.observations {
		p.thing(seen.String(), "the sighting", func(l *style.Line) {
			l.Put(style.Accent, "✓ ")
			l.Put(style.Text, "seen by "+seen.Who+", "+p.view.Moment(model.At(seen.At))+", "+partSeen(seen, s.ID))
			l.Link(style.Link, p.linkable(seen.URL), style.ClipMiddle(seen.URL, l.Room()))
		})
	}
	if len(summary.observations) == 0 {
		p.text(style.Muted, "· no sighting on the registry is recorded; V records one")
	}
}

func partSeen(seen retirement.Observation, id string) string {
	serial, ok := retirement.ParseSerial(seen.Subject)
	switch {
	case seen.Subject == id:
		return ""
	case !ok:
		return seen.Subject + ", "
	}
	return tab.Number(serial.Start) + " to " + tab.Number(serial.End) + ", "
}

// Page returns the address of the public registry page of the selected serial number, or of the
// request, or "".
func (p *Pane) Page() string {
	if p.subject == nil || p.subject.Answer == nil {
		return ""
	}
	summary := p.summarise(p.subject)
	line, _ := p.Marked()
	if serial, ok := retirement.ParseSerial(line.Serial); ok {
		return cmp.Or(summary.pageOf(serial), summary.page)
	}
	return summary.page
}

var attributeNames = map[attribute.Attribute]string{
	attribute.Methodology: "methodology", attribute.Removal: "removal", attribute.CCP: "CCP label",
	attribute.CORSIA: "CORSIA", attribute.Article6: "Article 6", attribute.Verifier: "verifier",
}

type attributed struct {
	name attribute.Attribute
	// value is what the user entered, or ""; source is its source if there is only one.
	value, source string
}

func attributesOf(r *retirement.Request, serials []retirement.Serial, facts *attribute.Facts) []attributed {
	var all []attributed
	key := r.Vintage()
	for _, name := range attribute.Attributes() {
		a := attributed{name: name}
		var parts []attribute.FactPart
		for _, s := range serials {
			parts = append(parts, facts.Serial(name, key, s)...)
		}
		if len(serials) == 0 {
			parts = facts.Serial(name, key, retirement.Serial{})
		}
		a.value, a.source = valueOf(parts)
		all = append(all, a)
	}
	return all
}

func valueOf(parts []attribute.FactPart) (value, source string) {
	if value = attribute.FactValue(parts); value == attribute.NotSupplied {
		return "", ""
	}
	for _, part := range parts {
		switch {
		case part.Fact.Source == "" || part.Fact.Source == source:
		case source != "":
			return value, ""
		default:
			source = part.Fact.Source
		}
	}
	return value, source
}

func (p *Pane) addAttributes(summary *summary) {
	p.heading("ATTRIBUTES", "entered by you; the service does not provide them")
	for _, a := range summary.attributes {
		shown := style.Span{Text: a.value}
		switch {
		case a.value != "" && a.source != "":
			shown.Text += " · " + a.source
		case a.value != "":
		default:
			shown = style.Span{Role: style.Faint, Text: attribute.NotSupplied}
		}
		p.value(0, attributeNames[a.name], shown, cmp.Or(a.value, attribute.NotSupplied))
	}
}

func (p *Pane) addJournal(s *Subject) {
	var j retirement.Journaled
	if s.Annotations != nil {
		j = s.Annotations.Journal[s.ID]
	}
	if reference := j.Reference(); reference != "" {
		p.field("reference", j.Brief(), reference)
	}
	p.addMovedFractions(j, s.Answer.TotalQuantity)
	if s.Answer.Status != retirement.Complete && j.Quantity == 0 {
		return
	}
	cents, why := j.CostOf(*s.Answer)
	if why != "" {
		p.field("paid for it", why, "")
		return
	}
	p.field("paid for it", cents.FormatDollars()+", exact: the journal has the whole request", cents.String())
}

func (p *Pane) addMovedFractions(j retirement.Journaled, total model.Grams) {
	if j.Unclear || j.Moved == 0 && j.Came == 0 || j.Quantity > total {
		return
	}
	p.field("by this machine", j.Quantity.FormatTonnes()+" in this request", j.Quantity.String())
	if j.Came > 0 {
		p.field("moved in", j.Came.FormatTonnes()+" from "+j.CameFrom, j.CameFrom)
	}
	if j.Moved > 0 {
		to := strings.TrimSpace("the next month's request " + j.MovedTo)
		p.field("moved out", j.Moved.FormatTonnes()+" to "+to, j.MovedTo)
	}
}

func (p *Pane) addFound(f *ledger.Found) {
	if f == nil {
		return
	}
	before, part, after := f.Parts()
	p.thing(f.Value(), "the match", func(l *style.Line) {
		l.Put(style.Key, "/ ")
		l.Put(style.Muted, "found in "+f.Name()+" ")
		if f.Serial != nil {
			l.Put(style.Strong, style.ClipMiddle(part, l.Room()))
			return
		}
		l.Put(style.Text, before)
		l.Put(style.Strong, part)
		l.Put(style.Text, after)
	})
}
