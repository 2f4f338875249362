package alert

import (
	"errors"
	"fmt"

	"tonne/model"
	"tonne/model/retirement"
)

// ErrNeverHolds is wrapped by what Check says of a rule that nothing can fulfil.
var ErrNeverHolds = errors.New("never holds")

// Check returns why a rule can never hold, nil if it can. now is the state of its request,
// empty if it is not known. The error wraps ErrNeverHolds.
func (r Rule) Check(now retirement.Status) error {
	why := ""
	switch {
	case r.Measure == BestAsk && r.Compare == Below && r.Price == 0:
		why = "no price is below $0.00"
	case r.Measure == Available && r.Compare == Below && r.Quantity == 0:
		why = "there is never less than 0 t for sale"
	case r.Measure == State && now.Final() && r.Status != now:
		why = "the request stays " + string(now)
	case r.Measure != Drops && r.Measure != UnderLastPaid:
	case r.Share > whole || r.Share == whole && r.Compare == Above:
		why = "no price is more than 100% lower than another"
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("%q %w: %s", r, ErrNeverHolds, why)
}

const whole model.PerMille = 1000
