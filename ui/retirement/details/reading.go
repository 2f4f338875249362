package details

import (
	"tonne/model"
)

// reading is what is worked out of an answer and shown again and again: a
// request may have ten thousand serial numbers.
type reading struct {
	of      *model.Retirement
	project model.Project
	known   bool

	checks  []model.Check
	serials []model.Serial
	// tonnes is what the serial numbers hold together; unread counts those in
	// an unknown format.
	tonnes model.Grams
	unread int
}

// read returns the reading of an answer.
func (p *Pane) read(r *model.Retirement) *reading {
	project, known := p.view.Projects[r.ProjectID]
	if p.reading.of == r && p.reading.known == known {
		return &p.reading
	}
	checks := r.ChecksIn(model.Wording{Sum: p.view.Quantity, Part: p.partOf}, project, known)
	p.reading = reading{of: r, project: project, known: known, checks: checks, serials: r.Serials()}
	p.reading.tonnes, p.reading.unread = total(p.reading.serials)
	return &p.reading
}

// total returns what serial numbers hold together, and how many of them are in
// an unknown format.
func total(serials []model.Serial) (sum model.Grams, unread int) {
	for _, s := range serials {
		tonnes, err := model.WholeTonnes(s.Tonnes)
		if s == (model.Serial{}) || err != nil {
			unread++
			continue
		}
		sum = sum.AddUpTo(tonnes)
	}
	return sum, unread
}
