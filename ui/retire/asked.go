package retire

import (
	"errors"

	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/model"
)

// asked is what a person asked for in the form, with what the journal has of it.
type asked struct {
	// wish may lose its order, once that is gone; text is the wish as it was asked
	// for, by which the journal knows it.
	wish            model.RetireRequest
	reference, text string
	// anyOrder says that a plan that named its order was carried out: once the order
	// is gone or has too little, any serves. gone is the id of one that did not.
	anyOrder bool
	gone     string
	// done is what was retired for it before, planned are the external ids of calls
	// that were confirmed for it and never sent.
	done    model.Grams
	planned []string
	// known counts all calls that the journal has of it; it is below 0 without a
	// reference, when each wish is one of its own.
	known int
	// newID makes the external ids of its calls.
	newID func(model.RetireCall) string
}

func newAsked(wish model.RetireRequest, reference string) asked {
	return asked{wish: wish, reference: reference, text: retire.WishText(wish), known: -1}
}

var (
	errServed = errors.New("retired already under this reference; another one retires it again")
	errDoubt  = errors.New("not known whether this was done: Esc, then U. Or another reference")
	errUnsent = errors.New("confirmed before and not sent: Esc, then U. Or give a reference")
)

// count counts what the journal has of a wish with a reference, of the calls that
// Desk.Recall returned. The error is errServed, errDoubt or a
// *retire.ElsewhereError.
func (a *asked) count(recalled []journal.Call) error {
	if a.reference == "" {
		return nil
	}
	made, err := retire.Serving(recalled, a.text)
	if err != nil {
		return err
	}
	a.done, a.planned, a.known = 0, nil, len(recalled)
	for _, c := range made {
		switch {
		case c.Planned():
			a.planned = append(a.planned, c.ExternalID)
		case c.State == journal.Done:
			a.done = a.done.AddUpTo(c.Plan.Quantity)
		case c.Open() || c.Doubtful():
			return errDoubt
		}
	}
	if a.done >= a.wish.Quantity {
		return errServed
	}
	return nil
}
