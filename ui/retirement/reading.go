package retirement

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
func (t *Tab) read(r *model.Retirement) *reading {
	project, known := t.view.Projects[r.ProjectID]
	if t.reading.of == r && t.reading.known == known {
		return &t.reading
	}
	checks := r.ChecksIn(model.Wording{Sum: t.view.Quantity, Part: t.partOf}, project, known)
	t.reading = reading{of: r, project: project, known: known, checks: checks, serials: r.Serials()}
	t.reading.tonnes, t.reading.unread = total(t.reading.serials)
	return &t.reading
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
