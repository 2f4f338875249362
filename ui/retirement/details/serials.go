package details

import (
	"fmt"
	"strings"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// fewSerials is how many serial numbers are listed at once where there are
// many: what stands below them must stay within reach.
const fewSerials = 10

// allSerials names what is unfolded to list all.
const allSerials = "serials"

func (d *document) addSerials(p *Pane, subject *Subject, reading *reading) {
	r := subject.Answer
	if len(r.SerialNumbers) == 0 {
		if r.Status == model.Complete {
			d.heading("SERIAL NUMBERS", "")
			d.text(style.Warning, "The service sent no serial numbers for this complete request.")
		}
		return
	}
	wanted := strings.TrimSpace(p.Search.Value())
	shown := matching(r.SerialNumbers, reading.serials, wanted)
	d.heading("SERIAL NUMBERS", p.serialsNote(r, reading, shown))
	all := wanted != "" || p.unfolded[allSerials] || len(shown) <= fewSerials+2
	for n, i := range shown {
		if n == fewSerials && !all {
			break
		}
		d.addSerial(p, subject, r.SerialNumbers[i], reading.serials[i])
	}
	if wanted == "" && len(shown) > fewSerials+2 {
		text := tab.Number(int64(len(shown)-fewSerials)) + " more"
		if p.unfolded[allSerials] {
			text = "only the first " + tab.Number(fewSerials)
		}
		d.thing(strings.Join(r.SerialNumbers, "\n"), "all serial numbers", func(l *style.Line) {
			l.Put(style.Key, "↵ ")
			l.Put(style.Muted, text)
		})
		d.fold(allSerials)
	}
}

// serialsNote counts the serial numbers that are shown, at their places, and
// says what they hold: of all, where some are left out.
func (p *Pane) serialsNote(r *model.Retirement, reading *reading, shown []int) string {
	sum, unread := reading.tonnes, reading.unread
	note := model.Count(len(r.SerialNumbers), "range", "ranges")
	if len(shown) != len(r.SerialNumbers) {
		note = tab.Number(int64(len(shown))) + " of " + note
		some := make([]model.Serial, len(shown))
		for n, i := range shown {
			some[n] = reading.serials[i]
		}
		sum, unread = total(some)
	}
	switch {
	case unread == len(shown):
	case len(shown) != len(r.SerialNumbers):
		note += " · " + p.partOf(sum, reading.tonnes)
	default:
		note += " · " + p.view.Quantity(sum)
	}
	if unread > 0 {
		note += fmt.Sprintf(" · %s in an unknown format", tab.Number(int64(unread)))
	}
	return note
}

func (p *Pane) partOf(part, whole model.Grams) string {
	amount, _, _ := strings.Cut(p.view.Quantity(part), " ")
	return amount + " of " + p.view.Quantity(whole)
}

func (d *document) addSerial(p *Pane, subject *Subject, text string, s model.Serial) {
	tonnes := "unknown format"
	if s != (model.Serial{}) {
		tonnes = p.view.Tonnes(s.Tonnes)
	}
	role, page := style.Text, p.reading.page(s)
	if f := subject.Found(); f != nil && f.Serial != nil && *f.Serial == s {
		role = style.Strong
	}
	d.thing(text, "the serial number", func(l *style.Line) {
		l.Link(role, p.linkable(page), style.ClipMiddle(text, l.Room()-style.Width(tonnes)-2))
		l.Gap(2)
		l.Put(style.Muted, tonnes)
	})
	d.last().page, d.last().serial = page, text
	name := "serial " + text
	d.fold(name)
	if !p.unfolded[name] {
		return
	}
	part := func(name, value string) { d.value(2, name, span{role: style.Text, text: value}, value) }
	d.paragraph(style.Muted, 2, text)
	if s == (model.Serial{}) {
		return
	}
	part("registry", s.Registry)
	part("range", fmt.Sprintf("%s to %s", tab.Number(s.Start), tab.Number(s.End)))
	part("tonnes", p.view.Tonnes(s.Tonnes))
	part("project", s.Project)
	part("country", s.Country)
	part("earned in", years(s))
	part("block", s.Block)
}

func years(s model.Serial) string {
	if s.FirstYear == s.LastYear {
		return tab.Year(s.FirstYear)
	}
	return tab.Year(s.FirstYear) + " to " + tab.Year(s.LastYear)
}

func matching(texts []string, serials []model.Serial, wanted string) []int {
	block, start, end, credits := model.ParseCredits(wanted)
	wanted = strings.ToLower(wanted)
	var places []int
	for i, text := range texts {
		s := serials[i]
		holds := credits && s != (model.Serial{}) && (block == "" || block == s.Block) && s.Start <= end && start <= s.End
		if holds || strings.Contains(strings.ToLower(text), wanted) {
			places = append(places, i)
		}
	}
	return places
}
