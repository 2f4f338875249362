package column

import (
	"cmp"
	"strings"

	"tonne/api/audit"
	"tonne/model/cost"
	"tonne/model/field"
	"tonne/model/retirement"
)

// Request is a retirement request of the ledger.
type Request struct {
	ID string
	// Answer is the last response, or nil if the request was never found. Planned is what the calls
	// of this machine say about it, or nil.
	Answer, Planned *retirement.Request
	// Brief is the reference in tables, which may be long, or "" for Reference.
	Label, Reference, Brief string
	// Project is the name of the project or else its id, and ProjectName only the name.
	Project, ProjectName string
	Failed               []audit.FailedCheck
	// Costs are those of the ledger, or nil if they were not computed.
	Costs *cost.Costs
}

func (r Request) cost() cost.Total {
	if r.Costs == nil || r.Answer == nil {
		return cost.Total{}
	}
	return r.Costs.Request(r.Answer)
}

// known is the answer, or else the plan.
func known(value func(*retirement.Request) field.Value) func(Request) field.Value {
	return func(r Request) field.Value {
		if r.Answer == nil && r.Planned != nil {
			r.Answer = r.Planned
		}
		return answered(value)(r)
	}
}

func answered(value func(*retirement.Request) field.Value) func(Request) field.Value {
	return func(r Request) field.Value {
		if r.Answer == nil {
			return field.Value{}
		}
		return value(r.Answer)
	}
}

func (r Request) project() field.Value { return field.Optional(r.Project) }

// Requests are the columns of the requests of the ledger.
var Requests = field.Columns[Request]{
	{
		Name: "id", Is: "string", Title: "ID", Help: "The id of the retirement request.",
		Value: func(r Request) field.Value { return field.Text(r.ID) },
	},
	{
		Name: "status", Title: "STATUS", Help: "The state at the last look-up.",
		Value: answered(func(a *retirement.Request) field.Value { return field.Text(string(a.Status)) }),
	},
	{
		Name: "label", Title: "LABEL", Shrink: 12, Drop: 1, Help: "Your label, or else your reference.",
		Value: func(r Request) field.Value { return field.Optional(r.Label) },
	},
	{
		Name: "reference", Title: "REFERENCE", Shrink: 12, Drop: 2, Help: "Your reference, as given to tonne retire.",
		Cell:  func(r Request) field.Value { return field.Optional(cmp.Or(r.Brief, r.Reference)) },
		Value: func(r Request) field.Value { return field.Optional(r.Reference) },
	},
	{
		Name: "project_id", Title: "PROJECT", Shrink: 12, Drop: 3, Help: "The id of the project.", Cell: Request.project,
		Value: known(func(a *retirement.Request) field.Value { return field.Optional(a.ProjectID) }),
	},
	{
		Name: "project_name", Extra: true, Title: "PROJECT", Shrink: 12, Help: "The project whose credits are retired.",
		Cell: Request.project, Value: func(r Request) field.Value { return field.Optional(r.ProjectName) },
	},
	{
		Name: "vintage_id", Help: "The id of the vintage.",
		Value: known(func(a *retirement.Request) field.Value { return field.Text(a.VintageID) }),
	},
	{
		Name: "total_quantity", Title: "QUANTITY", Right: true,
		Help:  "The total quantity of the request. Before the first look-up, what this machine retired into it.",
		Value: known(func(a *retirement.Request) field.Value { return field.Grams(a.TotalQuantity) }),
	},
	{
		Name: "created_at", Title: "CREATED", Drop: 3, Help: "When the request was created.",
		Value: answered(func(a *retirement.Request) field.Value { return field.Time(a.CreatedAt) }),
	},
	{
		Name: "retired_at", Title: "RETIRED", Drop: 2, Help: "When the credits were retired on the registry.",
		Value: answered(func(a *retirement.Request) field.Value { return field.Time(a.RetiredAt) }),
	},
	{
		Name: "beneficiary", Extra: true, Title: "BENEFICIARY", Shrink: 12, Drop: 4,
		Value: known(
			func(a *retirement.Request) field.Value { return field.Optional(strings.Join(a.Beneficiaries(), "; ")) },
		),
	},
	{
		Name: "cost_cents", Extra: true, Title: "COST", Right: true,
		Help: "What the request cost: your purchases of the vintage, first in, first out.",
		Value: func(r Request) field.Value {
			total := r.cost()
			return field.If(total.Known, field.Cost(total.Cents))
		},
	},
	{
		Name: "average_price_cents", Extra: true, Title: "AVERAGE", Spoken: "Average cost per tonne", Right: true,
		Help: "What a tonne of the request cost on average.",
		Value: func(r Request) field.Value {
			average, priced := r.cost().Average()
			return field.If(priced, field.Price(average))
		},
	},
	{Name: "serial_numbers", Is: "array", Value: func(r Request) field.Value {
		if r.Answer == nil {
			return field.Texts(nil)
		}
		return field.Texts(r.Answer.SerialNumbers)
	}},
	{
		Name: "doubts", Is: "array", Title: "FAILED CHECKS", Shrink: 12,
		Cell: func(r Request) field.Value { return field.Optional(audit.CheckNames(r.Failed, "; ")) },
		Value: func(r Request) field.Value {
			var words []string
			for _, f := range r.Failed {
				words = append(words, f.String())
			}
			return field.Texts(words)
		},
	},
}
