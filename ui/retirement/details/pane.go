// Package details shows one retirement request: its life cycle, certificate,
// checks, serial numbers, items and fields, as lines that can be walked and
// copied.
package details

import (
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// Subject is a request as the pane shows it.
type Subject struct {
	ledger.Row
	// Download says how far a download of the certificate is; empty if none is
	// under way.
	Download string
	// Findings are the checks of more than the answer that are known.
	Findings []model.Check
	// Annotations are what people and this machine know beside the answers; nil while
	// nothing is.
	Annotations *session.AnnotationsEvent
	// Was is the state in which a person looked at it last, if that is another
	// one than now; empty if not.
	Was model.RetirementStatus
}

// Pane is the details. New makes one; it is walked as a tab.Mover.
type Pane struct {
	view *tab.View
	safe func(url string) (host string, err error)
	// subject is nil if no request is selected, of requests that there are.
	subject  *Subject
	requests int
	// Search narrows the serial numbers. Narrow is to be called after it was
	// changed.
	Search tab.Entry
	// unfolded names the lines whose rest is shown, taxIDs says that tax ids
	// are shown in full.
	unfolded map[string]bool
	taxIDs   bool

	doc     *document
	width   int
	reading reading
	drawn   tab.Detail
}

// New returns a pane that shows nothing yet. Safe returns the host that an
// address from data leads to, or why it is not opened; nil links to nothing.
func New(v *tab.View, safe func(url string) (host string, err error)) *Pane {
	return &Pane{view: v, safe: safe, Search: tab.NewEntry(), unfolded: make(map[string]bool), doc: &document{}}
}

// Show shows a request as it is now, or that none is selected of so many. The
// cursor stays in its place if it was shown before.
func (p *Pane) Show(s *Subject, requests int) {
	same := s == nil && p.subject == nil || s != nil && p.subject != nil && s.ID == p.subject.ID
	p.subject, p.requests = s, requests
	if !same {
		clear(p.unfolded)
		p.doc = &document{}
	}
	p.build()
}

// build makes the lines anew, once the pane has a width: text would be wrapped
// after each character of it.
func (p *Pane) build() {
	if p.width <= 0 {
		return
	}
	next := p.document()
	next.keepPlace(p.doc)
	p.doc = next
}

// Draw draws the lines around the cursor, made for the width.
func (p *Pane) Draw(width, height int, focused bool) string {
	if width != p.width {
		p.width = width
		p.build()
	}
	p.drawn.Layout(p.view, focused, width, height, func(width, height int) string {
		return p.doc.render(p.view.Theme, width, height, focused, p.stale())
	})
	return p.drawn.Text()
}

func (p *Pane) stale() bool {
	return p.subject != nil && p.subject.Answer != nil && p.subject.Err != nil
}

// Remeasure writes quantities in the unit that is shown at present.
func (p *Pane) Remeasure() {
	p.reading = reading{}
	p.build()
}

// Narrow shows the serial numbers that match the search.
func (p *Pane) Narrow() { p.build() }

// HasThings reports whether there is anything to walk.
func (p *Pane) HasThings() bool {
	_, any := p.doc.current()
	return any
}

// Unfolds reports whether there is more to show of the marked line.
func (p *Pane) Unfolds() bool {
	line, ok := p.doc.current()
	return ok && line.unfolds != ""
}

// Unfold shows or hides the rest of the marked line.
func (p *Pane) Unfold() {
	line, _ := p.doc.current()
	before := len(p.doc.lines)
	p.unfolded[line.unfolds] = !p.unfolded[line.unfolds]
	p.build()
	p.doc.reveal(len(p.doc.lines) - before)
}

// Copy copies the marked line. It is nil if none is marked.
func (p *Pane) Copy() effect.Effect {
	if line, ok := p.doc.current(); ok {
		return effect.Copy{Text: line.copy, What: line.what}
	}
	return nil
}

// ToggleTaxIDs shows tax ids in full, or masked.
func (p *Pane) ToggleTaxIDs() effect.Effect {
	p.taxIDs = !p.taxIDs
	p.build()
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

// Move walks by a number of things.
func (p *Pane) Move(n int) { p.doc.move(n) }

// Leap is Move: the lines scroll as they have to.
func (p *Pane) Leap(n int) { p.doc.move(n) }

// Screenful is what is on the screen, but for a line.
func (p *Pane) Screenful() (whole, half int) { return p.doc.page(), max(p.doc.page()/2, 1) }

// Jump walks to the next section, or for -1 to the one before.
func (p *Pane) Jump(step int) { p.doc.jump(step) }

// Click walks to the thing in a line of the last Draw, if there is one.
func (p *Pane) Click(y int) { p.doc.moveTo(p.doc.scroll + y) }

// CursorLine returns on which line of the last Draw the cursor is.
func (p *Pane) CursorLine() int { return max(p.doc.cursor-p.doc.scroll, 0) }

// Scroll scrolls the lines under the cursor.
func (p *Pane) Scroll(lines int) { p.doc.scrollBy(lines) }

type span struct {
	role style.Role
	text string
	// id says that the middle is cut where there is no room.
	id bool
}
