package details

import (
	"tonne/api/session"
	"tonne/model"
)

// reading is what is worked out of an answer and shown again and again: a
// request may have ten thousand serial numbers.
type reading struct {
	of          *model.Retirement
	annotations *session.AnnotationsEvent
	project     model.Project
	known       bool

	checks  []model.Check
	serials []model.Serial
	// tonnes is what the serial numbers hold together; unread counts those in
	// an unknown format.
	tonnes model.Grams
	unread int
	// observations are what people saw of it in the registry, attributes what the
	// buyer says of its credits.
	observations []model.RegistryObservation
	attributes   []attributed
	// pages are the public pages of serial numbers, by their registries and
	// projects.
	pages map[[2]string]string
}

func (p *Pane) read(s *Subject) *reading {
	r := s.Answer
	project, known := p.view.Projects[r.ProjectID]
	if p.reading.of == r && p.reading.known == known && p.reading.annotations == s.Annotations {
		return &p.reading
	}
	checks := r.ChecksIn(model.Wording{Sum: p.view.Quantity, Part: p.partOf}, project, known)
	p.reading = reading{of: r, annotations: s.Annotations, project: project, known: known, checks: checks, serials: r.Serials(), pages: make(map[[2]string]string)}
	p.reading.tonnes, p.reading.unread = total(p.reading.serials)
	var facts *model.BuyerFacts
	if s.Annotations != nil {
		facts = s.Annotations.Facts
		for _, seen := range s.Annotations.Observations {
			if seen.Shows(*r) {
				p.reading.observations = append(p.reading.observations, seen)
			}
		}
	}
	p.reading.attributes = attributesOf(r, project, p.reading.serials, facts)
	return &p.reading
}

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
