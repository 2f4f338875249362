package statement

import "tonne/model/field"

// Columns are the columns of the rows.
var Columns = field.Columns[Row]{
	{Name: "key", Is: "string", Value: func(r Row) field.Value { return field.Text(r.Key) }},
	{Name: "bought_grams", Title: "BOUGHT", Right: true, Value: func(r Row) field.Value { return field.Grams(r.Bought) }},
	{
		Name: "bought_cents", Title: "COST", Right: true,
		Value: func(r Row) field.Value {
			cost, err := r.Cost.Cents()
			return field.If(err == nil && r.Bought.Known(), field.Cost(cost))
		},
		Cell: Row.cost,
	},
	{
		Name:  "retired_grams",
		Title: "RETIRED",
		Right: true,
		Value: func(r Row) field.Value { return field.Grams(r.Retired) },
	},
	{
		Name: "retired_cost_cents", Title: "RETIRED COST", Right: true,
		Value: func(r Row) field.Value {
			cost, known := r.RetiredCost()
			return field.If(known, field.Cost(cost))
		},
	},
}

// cost returns the cost in tables.
func (r Row) cost() field.Value {
	cost, err := r.Cost.Cents()
	switch {
	case !r.Bought.Known():
		return field.Value{}
	case err != nil:
		return field.Words("too large")
	}
	return field.Cost(cost)
}

// AccountColumns are the columns of the owner.
var AccountColumns = field.Columns[Account]{
	{Name: "tenant", Value: func(a Account) field.Value { return field.Optional(a.Tenant) }},
	{Name: "profile", Value: func(a Account) field.Value { return field.Optional(a.Profile) }},
	{Name: "marketplace", Value: func(a Account) field.Value { return field.Optional(a.Marketplace) }},
}
