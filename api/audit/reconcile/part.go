package reconcile

import (
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/fold"
	"tonne/model/retirement"
)

// subject is a request with what records are compared with.
type subject struct {
	*Request
	// days are the UTC days of the request, of its items and of its calls, without duplicates.
	// The first own days are those on which the request was created and retired.
	days []string
	own  int
	// names are the beneficiaries, folded the same for comparison.
	names, folded []string
	// references are those of the calls.
	references []string
}

// part is a request, or the part of it that was retired with one reference. The fractions
// of a month share a request, and each has its own reference.
type part struct {
	of         *subject
	references []string
	quantity   model.Grams
	cost       model.Cents
	costKnown  bool
	// group is the group of the records that claim the part, nil if none does.
	group *group
}

func (p *part) claimed() bool { return p.group != nil }

func newSubject(r *Request) *subject {
	s := &subject{Request: r}
	day := func(at time.Time) { s.days = append(s.days, dayOf(at).Format(time.DateOnly)) }
	for _, at := range []model.Timestamp{r.CreatedAt, r.RetiredAt} {
		if at.Known() {
			day(at.Time)
		}
	}
	s.own = len(model.Unique(s.days))
	for _, item := range r.Items {
		if item.CreatedAt.Known() {
			day(item.CreatedAt.Time)
		}
		if item.RetireeName != "" {
			s.names, s.folded = append(s.names, item.RetireeName), append(s.folded, foldName(item.RetireeName))
		}
	}
	for _, call := range r.Calls {
		if !call.MadeAt.IsZero() {
			day(call.MadeAt)
		}
	}
	s.days, s.names, s.folded = model.Unique(s.days), model.Unique(s.names), model.Unique(s.folded)
	return s
}

// partsOf divides a request by the references of its calls. It is one part if the journal does
// not say what each retired.
func partsOf(r *Request) []*part {
	s, journaled := newSubject(r), retirement.NewJournaled(r.ID, r.Calls)
	s.references = journaled.References
	cost, why := journaled.CostOf(r.Request)
	whole := []*part{{of: s, references: s.references, quantity: r.TotalQuantity, cost: cost, costKnown: why == ""}}
	if journaled.Unclear || len(s.references) == 0 || !r.TotalQuantity.Known() {
		return whole
	}
	calls := make(map[string][]retirement.JournalEntry)
	for _, c := range r.Calls {
		calls[c.Reference] = append(calls[c.Reference], c)
	}
	var parts []*part
	rest := r.TotalQuantity
	for _, reference := range s.references {
		j := retirement.NewJournaled(r.ID, calls[reference])
		if !j.Quantity.Known() || j.Quantity > rest {
			return whole
		}
		rest -= j.Quantity
		cost, err := j.Cost.Cents()
		if j.Quantity > 0 {
			p := &part{of: s, references: []string{reference}, quantity: j.Quantity, cost: cost}
			p.costKnown = err == nil && !j.Unread && j.FromInventory == 0
			parts = append(parts, p)
		}
	}
	if rest > 0 {
		parts = append(parts, &part{of: s, quantity: rest})
	}
	if len(parts) < 2 {
		return whole
	}
	return parts
}

// ownReferences returns the references of the calls and the label.
func (s *subject) ownReferences() []string {
	if s.Label == "" {
		return s.references
	}
	return append(slices.Clone(s.references), s.Label)
}

func (s *subject) hasReference(text string) bool {
	same := func(reference string) bool { return fold.Identity(reference) == fold.Identity(text) }
	return same(s.Label) || slices.ContainsFunc(s.references, same) || same(strings.Join(s.references, ", "))
}

// foldName makes names equal that differ only in case and spaces.
func foldName(name string) string { return strings.Join(strings.Fields(strings.ToLower(name)), " ") }
