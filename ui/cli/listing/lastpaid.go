package listing

import (
	"tonne/model"
	"tonne/ui/cli/output"
)

// VersusText returns the difference of a price and the last paid one in per cent, - if
// one is unknown.
func VersusText(price, paid model.PriceCents) string {
	if d, ok := model.Difference(price, paid); ok {
		return d.String()
	}
	return "-"
}

// LastPaidColumns describe the last purchase of a vintage.
var LastPaidColumns = output.Columns[model.LastPaid]{
	{Name: "price_cents", Value: func(p model.LastPaid) output.Value { return output.Price(p.Price) }},
	{Name: "execution_date", Value: func(p model.LastPaid) output.Value { return output.Time(p.ExecutionDate) }},
	{Name: "quantity_grams", Value: func(p model.LastPaid) output.Value { return output.Grams(p.Quantity) }},
}
