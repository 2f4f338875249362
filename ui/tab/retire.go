package tab

import "tonne/model"

// RetireFrom is where a person begins to retire.
type RetireFrom struct {
	Vintage model.VintageKey
	// SellOrderID is the order that must supply what is bought, empty for any.
	SellOrderID string
	// Quantity is what was asked for already, in grams; 0 for nothing.
	Quantity model.Grams
}

// RetiringIsOff says how retiring is switched on.
const RetiringIsOff = "Retiring is off. Set allow_retire = true, or use --allow-retire."

// WhyNotRetire says why nothing can be retired, and is empty while it can.
func (v *View) WhyNotRetire() string {
	if v.Retire == nil {
		return RetiringIsOff
	}
	return ""
}
