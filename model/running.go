package model

import "cmp"

// Running adds up exact costs. It rounds each by what the rounded sum grows, so that the rounded costs add up to the
// rounded sum.
type Running struct {
	sum     Cost
	rounded Cents
}

// Add adds a cost and returns it in USD cents. The error is ErrOverflow.
func (r *Running) Add(c Cost) (Cents, error) {
	sum, err := r.sum.Add(c)
	rounded, roundErr := sum.Cents()
	if err := cmp.Or(err, roundErr); err != nil {
		return 0, err
	}
	cents := rounded - r.rounded
	r.sum, r.rounded = sum, rounded
	return cents, nil
}
