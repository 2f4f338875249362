package reconcile

import (
	"slices"
	"strings"
	"time"

	"tonne/model/field"
)

// compare sets the results of the records of a group.
func (r *reconciler) compare(g *group, result *Reconciliation) {
	quantity, unit := r.compareQuantities(g, result)
	costs := r.compareCosts(g, result)
	for _, i := range g.records {
		line := &result.Lines[i]
		if first := g.parts[0].of; line.ID == "" && !anyOf(g.parts, func(s *subject) bool { return s != first }) {
			identified := *line.Record
			identified.ID = first.ID
			line.Record = &identified
		}
		if line.Reversal {
			continue
		}
		line.Differences = append(line.Differences, quantity...)
		if unit != "" {
			line.hint(unit)
		}
		if line.Currency != "" {
			line.hint(OtherCurrency)
		}
		if line.HasCost {
			line.Differences = append(line.Differences, costs...)
		}
		line.Differences = append(line.Differences, differences(r.records[i], g.parts)...)
		if line.Result = Matched; len(line.Differences) > 0 {
			line.Result = Different
		}
	}
}

// compareQuantities compares the sum of the records, and returns a hint if units may differ.
func (r *reconciler) compareQuantities(g *group, result *Reconciliation) (found []Difference, unit HintKind) {
	var file, here sum
	for _, i := range g.records {
		file.add(r.records[i])
	}
	for _, p := range g.parts {
		here.addGrams(p.quantity)
	}
	if file.tooLarge || here.tooLarge {
		r.hintOverflow(g, result)
	}
	if file.known() && here.known() && file.n == here.n {
		return nil, ""
	}
	if file.known() && here.known() {
		unit = unitHint(file.n, here.n)
	}
	return []Difference{{Quantity, file.quantity(), here.quantity()}}, unit
}

func (r *reconciler) hintOverflow(g *group, result *Reconciliation) {
	for _, i := range g.records {
		result.TooLarge++
		result.Lines[i].hint(Overflow)
	}
}

// compareCosts compares the sum of the costs that the records state. Records without a cost add
// nothing to it.
func (r *reconciler) compareCosts(g *group, result *Reconciliation) []Difference {
	var file, here sum
	var stated []int
	for _, i := range g.records {
		if record := r.records[i]; record.HasCost {
			stated = append(stated, i)
			file.addNumber(int64(record.Cost))
		}
	}
	for _, p := range g.parts {
		here.unknown = here.unknown || !p.costKnown
		here.addNumber(int64(p.cost))
	}
	switch {
	case len(stated) == 0:
		return nil
	case here.unknown:
		for _, i := range stated {
			result.CostUnknown++
			result.Lines[i].hint(CostUnknown)
		}
		return nil
	case file.tooLarge || here.tooLarge:
		r.hintOverflow(g, result)
	case file.n == here.n:
		return nil
	}
	return []Difference{{Cost, file.cost(), here.cost()}}
}

// differences compares what each record states for itself. This machine does not know the
// references and beneficiaries of all requests; a missing one is no difference.
func differences(record Record, parts []*part) (found []Difference) {
	first := parts[0].of
	check := func(of Field, text string, here []string, separator string, equals func(*subject) bool) {
		if !anyOf(parts, equals) {
			found = append(found, Difference{of, field.Optional(text), field.Optional(strings.Join(here, separator))})
		}
	}
	if day := record.Date.Format(time.DateOnly); !record.Date.IsZero() {
		check(Date, day, first.days[:min(len(first.days), 1)], "",
			func(s *subject) bool { return slices.Contains(s.days, day) })
	}
	if name := foldName(record.Beneficiary); name != "" && len(first.names) > 0 {
		check(Beneficiary, record.Beneficiary, first.names, "; ",
			func(s *subject) bool { return slices.Contains(s.folded, name) })
	}
	if known := first.ownReferences(); record.ID != "" && record.Reference != "" && len(known) > 0 {
		check(Reference, record.Reference, known, ", ", func(s *subject) bool { return s.hasReference(record.Reference) })
	}
	return found
}

func anyOf(parts []*part, has func(*subject) bool) bool {
	var last *subject
	return slices.ContainsFunc(parts, func(p *part) bool {
		again := p.of == last
		last = p.of
		return !again && has(p.of)
	})
}
