package details

import (
	"fmt"
	"strings"

	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
)

const (
	// fewSerials is the number of serial numbers shown before expanding, so that the sections
	// below stay within reach.
	fewSerials = 10
	allSerials = "serials"
)

func (p *Pane) addSerials(s *Subject, summary *summary) {
	texts := s.Answer.SerialNumbers
	if len(texts) == 0 {
		if s.Answer.Status == retirement.Complete {
			p.heading("SERIAL NUMBERS", "")
			p.text(style.Warning, "The service sent no serial numbers for this complete request.")
		}
		return
	}
	wanted := strings.TrimSpace(p.Search.Value())
	shown := matching(texts, summary.serials, wanted)
	p.heading("SERIAL NUMBERS", p.serialsNote(summary, shown))
	folds := wanted == "" && len(shown) > fewSerials+2
	listed := shown
	if folds && !p.unfolded[allSerials] {
		listed = shown[:fewSerials]
	}
	for _, i := range listed {
		p.addSerial(s, texts[i], summary.serials[i])
	}
	if !folds {
		return
	}
	text := tab.Number(int64(len(shown)-fewSerials)) + " more"
	if p.unfolded[allSerials] {
		text = "only the first " + tab.Number(fewSerials)
	}
	p.thing(strings.Join(texts, "\n"), "all serial numbers", func(l *style.Line) {
		l.Put(style.Key, "↵ ")
		l.Put(style.Muted, text)
	}).Unfolds = allSerials
}

func (p *Pane) serialsNote(summary *summary, shown []int) string {
	all := len(summary.serials)
	note := model.Count(all, "range", "ranges")
	whole, unread := total(summary.serials)
	amount := p.view.Quantity(whole)
	if len(shown) != all {
		note = tab.Number(int64(len(shown))) + " of " + note
		some := make([]retirement.Serial, len(shown))
		for n, i := range shown {
			some[n] = summary.serials[i]
		}
		var sum model.Grams
		sum, unread = total(some)
		amount = p.partOf(sum, whole)
	}
	if unread < len(shown) {
		note += " · " + amount
	}
	if unread > 0 {
		note += fmt.Sprintf(" · %s in an unknown format", tab.Number(int64(unread)))
	}
	return note
}

func total(serials []retirement.Serial) (sum model.Grams, unread int) {
	for _, s := range serials {
		tonnes, err := model.WholeTonnes(s.Tonnes)
		if s == (retirement.Serial{}) || err != nil {
			unread++
			continue
		}
		sum = sum.Plus(tonnes)
	}
	return sum, unread
}

func (p *Pane) partOf(part, whole model.Grams) string {
	amount, _, _ := strings.Cut(p.view.Quantity(part), " ")
	return amount + " of " + p.view.Quantity(whole)
}

func (p *Pane) addSerial(subject *Subject, text string, s retirement.Serial) {
	tonnes := "unknown format"
	if s != (retirement.Serial{}) {
		tonnes = p.view.Tonnes(s.Tonnes)
	}
	role := style.Text
	if f := subject.Found; f != nil && f.Serial != nil && *f.Serial == s {
		role = style.Strong
	}
	name := "serial " + text
	line := p.thing(text, "the serial number", func(l *style.Line) {
		l.Link(role, p.linkable(p.summary.pageOf(s)), style.ClipMiddle(text, l.Room()-style.Width(tonnes)-2))
		l.Gap(2)
		l.Put(style.Muted, tonnes)
	})
	line.Serial, line.Unfolds = text, name
	if !p.unfolded[name] {
		return
	}
	p.paragraph(style.Muted, 2, text)
	if s == (retirement.Serial{}) {
		return
	}
	years := tab.Year(s.FirstYear)
	if s.FirstYear != s.LastYear {
		years += " to " + tab.Year(s.LastYear)
	}
	for _, part := range [...][2]string{
		{"registry", s.Registry},
		{"range", fmt.Sprintf("%s to %s", tab.Number(s.Start), tab.Number(s.End))},
		{"tonnes", tonnes},
		{"project", s.Project},
		{"country", s.Country},
		{"vintage", years},
		{"block", s.Block},
	} {
		p.value(2, part[0], style.Span{Text: part[1]}, part[1])
	}
}

func matching(texts []string, serials []retirement.Serial, wanted string) (places []int) {
	block, start, end, credits := retirement.ParseCredits(wanted)
	wanted = strings.ToLower(wanted)
	for i, text := range texts {
		s := serials[i]
		holds := credits && s != (retirement.Serial{}) && (block == "" || block == s.Block) && s.Start <= end &&
			start <= s.End
		if holds || strings.Contains(strings.ToLower(text), wanted) {
			places = append(places, i)
		}
	}
	return places
}
