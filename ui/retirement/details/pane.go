// Package details shows one retirement request: its life cycle, certificate,
// checks, serial numbers, items and fields, as lines that can be walked and
// copied.
package details

import (
	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

// Subject is a request as the pane shows it.
type Subject struct {
	ledger.Row
	// Download says how far a download of the certificate is; empty if none is
	// under way.
	Download string
	// Findings are the checks of more than the answer that are known.
	Findings []retirement.Check
	// Annotations are what people and this machine know beside the answers; nil while
	// nothing is.
	Annotations *session.AnnotationsEvent
	// Was is the state in which a person looked at it last, if that is another
	// one than now; empty if not.
	Was retirement.Status
}

// Pane is the details. New makes one; it is walked as a tab.Mover.
type Pane struct {
	document
	view *tab.View
	safe func(url string) (host string, err error)
	// subject is nil if no request is selected, of requests that there are.
	subject  *Subject
	requests int
	// Search narrows the serial numbers. Build is to be called after it was
	// changed.
	Search tab.Entry
	// unfolded names the lines whose rest is shown, taxIDs says that tax ids
	// are shown in full.
	unfolded map[string]bool
	taxIDs   bool
	reading  reading
	drawn    tab.Detail
}

// New returns a pane that shows nothing yet. Safe returns the host that an
// address from data leads to, or why it is not opened; nil links to nothing.
func New(v *tab.View, safe func(url string) (host string, err error)) *Pane {
	return &Pane{view: v, safe: safe, Search: tab.NewEntry(), unfolded: make(map[string]bool)}
}

// Show shows a request, or that none is selected of so many.
func (p *Pane) Show(s *Subject, requests int) {
	same := s == nil && p.subject == nil || s != nil && p.subject != nil && s.ID == p.subject.ID
	p.subject, p.requests = s, requests
	if !same {
		clear(p.unfolded)
		p.document = document{width: p.width}
	}
	p.Build()
}

// Build makes the lines again, once the pane has a width: text would be wrapped
// after each character of it.
func (p *Pane) Build() {
	if p.width <= 0 {
		return
	}
	p.lines = nil
	p.addAll()
	p.cursor = max(min(p.cursor, len(p.lines)-1), 0)
	for _, step := range [...]int{1, -1} {
		if _, ok := p.Marked(); !ok {
			p.Move(step)
		}
	}
}

// Draw draws the lines around the cursor, made for the width.
func (p *Pane) Draw(width, height int, focused bool) string {
	if width != p.width {
		p.width = width
		p.Build()
	}
	p.drawn.Layout(p.view, focused, width, height, func(width, height int) string {
		stale := p.subject != nil && p.subject.Answer != nil && p.subject.Err != nil
		return p.render(p.view.Theme, height, focused, stale)
	})
	return p.drawn.Text()
}

// Remeasure writes quantities in the unit that is shown at present.
func (p *Pane) Remeasure() {
	p.reading = reading{}
	p.Build()
}

// Unfold shows or hides the rest of the marked line.
func (p *Pane) Unfold() {
	line, _ := p.Marked()
	before := len(p.lines)
	p.unfolded[line.Unfolds] = !p.unfolded[line.Unfolds]
	p.Build()
	p.reveal(len(p.lines) - before)
}

// ToggleTaxIDs shows tax ids in full, or masked.
func (p *Pane) ToggleTaxIDs() effect.Effect {
	p.taxIDs = !p.taxIDs
	p.Build()
	if p.taxIDs {
		return effect.Say("Tax ids are shown in full. T masks them.")
	}
	return effect.Say("Tax ids are masked.")
}

func (p *Pane) linkable(url string) string {
	if p.safe == nil {
		return ""
	}
	if _, err := p.safe(url); err != nil {
		return ""
	}
	return url
}

// reading is what is worked out of an answer and shown again and again: a
// request may have ten thousand serial numbers.
type reading struct {
	of          *retirement.Request
	annotations *session.AnnotationsEvent
	project     model.Project
	known       bool

	checks  []retirement.Check
	serials []retirement.Serial
	// observations are what people saw of it in the registry, attributes what the
	// buyer says of its credits.
	observations []retirement.Observation
	attributes   []attributed
	// page is the public page of the request in its registry; empty if none is known.
	page string
}

func (p *Pane) read(s *Subject) *reading {
	r := s.Answer
	project, known := p.view.Projects[r.ProjectID]
	if p.reading.of == r && p.reading.known == known && p.reading.annotations == s.Annotations {
		return &p.reading
	}
	checks := r.ChecksIn(retirement.Wording{Sum: p.view.Quantity, Part: p.partOf}, project, known)
	now := reading{
		of: r, annotations: s.Annotations, project: project, known: known, checks: checks, serials: r.Serials(),
	}
	now.page = now.pageOf(retirement.Serial{})
	for i := 0; now.page == "" && i < len(now.serials); i++ {
		now.page = now.pageOf(now.serials[i])
	}
	var facts *attribute.Facts
	if s.Annotations != nil {
		facts = s.Annotations.Facts
		for _, seen := range s.Annotations.Observations {
			if seen.Shows(*r) {
				now.observations = append(now.observations, seen)
			}
		}
	}
	now.attributes = attributesOf(r, now.serials, facts)
	p.reading = now
	return &p.reading
}

func (r *reading) pageOf(s retirement.Serial) string {
	return retirement.RegistryLink(r.project, r.of.VintageID, s)
}
