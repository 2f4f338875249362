package reconcile

import (
	"tonne/model"
	"tonne/model/field"
)

// sum is a sum of quantities or amounts, which reversals reduce.
type sum struct {
	n int64
	// unknown is set if a term is unknown, tooLarge if the sum is.
	unknown, tooLarge bool
}

func (s *sum) known() bool { return !s.unknown && !s.tooLarge }

// quantity returns the sum of quantities, or null if it is not known.
func (s *sum) quantity() field.Value { return field.If(s.known(), field.NetGrams(s.n)) }

// cost returns the sum of costs, or null if it is not known.
func (s *sum) cost() field.Value { return field.If(s.known(), field.Cost(model.Cents(s.n))) }

func (s *sum) addNumber(n int64) {
	more, err := model.AddCents(model.Cents(s.n), model.Cents(n))
	if s.n = int64(more); err != nil {
		s.tooLarge = true
	}
}

// add adds the quantity of a record.
func (s *sum) add(r Record) {
	switch {
	case !r.Quantity.Known():
		s.unknown = true
	case r.Reversal:
		s.addNumber(-int64(r.Quantity))
	default:
		s.addNumber(int64(r.Quantity))
	}
}

func (s *sum) addGrams(g model.Grams) {
	if !g.Known() {
		s.unknown = true
		return
	}
	s.addNumber(int64(g))
}

// grams returns the sum, which is unknown below zero.
func (s *sum) grams() model.Grams {
	if !s.known() || s.n < 0 {
		return model.UnknownGrams
	}
	return model.Grams(s.n)
}
