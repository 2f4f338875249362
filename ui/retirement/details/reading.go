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
	now := reading{
		of: r, annotations: s.Annotations, project: project, known: known, checks: checks, serials: r.Serials(),
		pages: make(map[[2]string]string),
	}
	var facts *model.BuyerFacts
	if s.Annotations != nil {
		facts = s.Annotations.Facts
		for _, seen := range s.Annotations.Observations {
			if seen.Shows(*r) {
				now.observations = append(now.observations, seen)
			}
		}
	}
	now.attributes = attributesOf(r, project, now.serials, facts)
	p.reading = now
	return &p.reading
}

func (r *reading) page(s model.Serial) string {
	project := [2]string{s.Registry, s.Project}
	page, known := r.pages[project]
	if !known {
		page = r.project.RegistryLink(r.of.VintageID, s)
		r.pages[project] = page
	}
	return page
}

func (r *reading) firstPage() string {
	page := r.page(model.Serial{})
	for _, s := range r.serials {
		if page != "" {
			break
		}
		page = r.page(s)
	}
	return page
}
