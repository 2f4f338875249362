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

// RetiringIsElsewhere says why a shared desk retires nothing.
const RetiringIsElsewhere = "This desk is shared and retires nothing: run tonne retire on its machine."

// WhyNotRetire says why nothing can be retired, and is empty while it can.
func (v *View) WhyNotRetire() string {
	switch {
	case v.Retire != nil:
		return ""
	case v.Shared:
		return RetiringIsElsewhere
	}
	return RetiringIsOff
}
