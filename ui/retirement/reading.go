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
	t.reading = reading{of: r, project: project, known: known, checks: r.Checks(project, known), serials: r.Serials()}
	all := make([]int, len(t.reading.serials))
	for i := range all {
		all[i] = i
	}
	t.reading.tonnes, t.reading.unread = total(t.reading.serials, all)
	return &t.reading
}

// total returns what the serial numbers at some places hold together, and how
// many of them are in an unknown format.
func total(serials []model.Serial, places []int) (sum model.Grams, unread int) {
	for _, i := range places {
		tonnes, err := model.WholeTonnes(serials[i].Tonnes)
		if serials[i] == (model.Serial{}) || err != nil {
			unread++
			continue
		}
		sum = sum.AddUpTo(tonnes)
	}
	return sum, unread
}
