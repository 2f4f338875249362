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
	for _, s := range t.reading.serials {
		tonnes, err := model.WholeTonnes(s.Tonnes)
		if s == (model.Serial{}) || err != nil {
			t.reading.unread++
			continue
		}
		t.reading.tonnes = t.reading.tonnes.AddUpTo(tonnes)
	}
	return &t.reading
}
