// Package details shows one retirement request as lines that can be selected and copied: life
// cycle, certificate, checks, serial numbers, items, fields and local annotations. It reads
// nothing itself; the tab passes in a Subject. Start reading at Pane in pane.go.
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

// Subject is a request with everything that the pane shows.
type Subject struct {
	ledger.Row
	// Download is the progress of a running download of the certificate, or "".
	Download string
	// Findings are the results of checks that need more data than the service's response.
	Findings []retirement.Check
	// Annotations are the local notes on requests, nil before they are loaded.
	Annotations *session.AnnotationsEvent
	// Was is the state when the user last viewed the request, or "" if it is unchanged.
	Was retirement.Status
}

// Pane shows the details of a request. Use New to create one. It implements tab.Mover.
type Pane struct {
	document
	view *tab.View
	safe func(url string) (host string, err error)
	// subject is nil if no request is selected. requests is the size of the ledger.
	subject  *Subject
	requests int
	// batch describes the selected batch, nil if none is selected.
	batch []string
	// Search is the search field for serial numbers. Call Build after changing it.
	Search tab.Entry
	// unfolded has the keys of expanded lines. taxIDs is whether tax ids are shown in full.
	unfolded map[string]bool
	taxIDs   bool
	summary  summary
	drawn    tab.Detail
}

// New returns an empty pane. Safe returns the host of a web address, or an error if the address
// must not be opened. With a nil safe there are no links.
func New(v *tab.View, safe func(url string) (host string, err error)) *Pane {
	return &Pane{view: v, safe: safe, Search: tab.NewEntry(), unfolded: make(map[string]bool)}
}

// ShowBatch shows lines about a batch instead of a request. If there are none, nothing is selected.
func (p *Pane) ShowBatch(lines []string, requests int) {
	p.batch = lines
	p.Show(nil, requests)
}

// Show shows a request. If s is nil, none of the requests in the ledger is selected.
func (p *Pane) Show(s *Subject, requests int) {
	same := s == nil && p.subject == nil || s != nil && p.subject != nil && s.ID == p.subject.ID
	p.subject, p.requests = s, requests
	if !same {
		clear(p.unfolded)
		p.document = document{width: p.width}
	}
	p.Build()
}

// Build rebuilds the lines. It does nothing before the first Draw, which sets the width.
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

// Draw draws the lines around the cursor.
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

// Remeasure rebuilds the lines with the current unit of quantities.
func (p *Pane) Remeasure() {
	p.summary = summary{}
	p.Build()
}

// Unfold expands or collapses the selected line.
func (p *Pane) Unfold() {
	line, _ := p.Marked()
	before := len(p.lines)
	p.unfolded[line.Unfolds] = !p.unfolded[line.Unfolds]
	p.Build()
	p.reveal(len(p.lines) - before)
}

// ToggleTaxIDs shows tax ids in full or masked, and returns a message.
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

// summary caches what is computed from a request, because it can have ten thousand serial
// numbers.
type summary struct {
	of          *retirement.Request
	annotations *session.AnnotationsEvent
	project     model.Project
	known       bool

	checks  []retirement.Check
	serials []retirement.Serial
	// observations are recorded views of the registry, attributes the user's attributes of the
	// credits.
	observations []retirement.Observation
	attributes   []attributed
	// page is the address of the public registry page, or "".
	page string
}

func (p *Pane) summarise(s *Subject) *summary {
	r := s.Answer
	project, known := p.view.Projects[r.ProjectID]
	if p.summary.of == r && p.summary.known == known && p.summary.annotations == s.Annotations {
		return &p.summary
	}
	checks := r.ChecksIn(retirement.Wording{Sum: p.view.Quantity, Part: p.partOf}, project, known)
	now := summary{
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
	p.summary = now
	return &p.summary
}

func (r *summary) pageOf(s retirement.Serial) string {
	return retirement.RegistryLink(r.project, r.of.VintageID, s)
}
