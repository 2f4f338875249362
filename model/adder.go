package model

// Adder adds, and keeps the error of a sum that does not fit: ErrOverflow or ErrUnknown.
// That sum stays as it was.
type Adder struct{ Err error }

// Grams adds grams to a sum of grams.
func (a *Adder) Grams(to *Grams, more Grams) { enter(a, to, more, AddGrams) }

// Cents adds cents to a sum of cents.
func (a *Adder) Cents(to *Cents, more Cents) { enter(a, to, more, AddCents) }

// Cost adds a cost to an exact sum of costs.
func (a *Adder) Cost(to *Cost, more Cost) { enter(a, to, more, Cost.Add) }

func enter[T any](a *Adder, to *T, more T, add func(T, T) (T, error)) {
	whole, err := add(*to, more)
	if err != nil {
		a.Err = err
		return
	}
	*to = whole
}
