package serve

import (
	"iter"
	"slices"
	"strconv"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

// The columns of each noun in the operator's commands. The columns
// that settle, complete, reprice and withdraw need stay on a narrow terminal.

var tenantColumns = field.Columns[exchange.Tenant]{
	{Name: "name", Is: "string", Title: "NAME", Value: func(t exchange.Tenant) field.Value { return field.Text(t.Name) }},
	{Name: "tax_id", Title: "TAX ID", Value: func(t exchange.Tenant) field.Value { return field.Optional(t.TaxID) }},
	{Name: "country", Title: "COUNTRY", Value: func(t exchange.Tenant) field.Value { return field.Optional(t.Country) }},
	{Name: "role", Is: "string", Title: "ROLE", Value: func(t exchange.Tenant) field.Value { return field.Text(t.Role) }},
}

var listedTenantColumns = tenantColumns.With(field.Column[exchange.Tenant]{
	Name: "active_keys", Is: "number", Title: "ACTIVE KEYS", Right: true,
	Value: func(t exchange.Tenant) field.Value { return field.Number(t.ActiveKeys) },
})

var createdKeyColumns = field.Columns[exchange.NewKey]{
	{Name: "id", Is: "string", Value: func(k exchange.NewKey) field.Value { return field.Text(k.ID) }},
	{Name: "api_key", Is: "string", Value: func(k exchange.NewKey) field.Value { return field.Text(k.Secret) }},
}

var keyColumns = field.Columns[exchange.Key]{
	{Name: "id", Is: "string", Title: "ID", Value: func(k exchange.Key) field.Value { return field.Text(k.ID) }},
	{Name: "tenant", Is: "string", Title: "TENANT",
		Value: func(k exchange.Key) field.Value { return field.Text(k.Tenant) }},
	{Name: "role", Is: "string", Title: "ROLE", Value: func(k exchange.Key) field.Value { return field.Text(k.Role) }},
	{Name: "name", Is: "string", Title: "NAME", Value: func(k exchange.Key) field.Value { return field.Text(k.Name) }},
	{Name: "created_at", Title: "CREATED",
		Value: func(k exchange.Key) field.Value { return field.Time(model.At(k.CreatedAt)) }},
	{
		Name: "is_active", Is: "boolean", Value: func(k exchange.Key) field.Value { return field.Flag(k.Active) },
		Title: "ACTIVE", Cell: func(k exchange.Key) field.Value { return field.Words(command.YesNo(k.Active)) },
	},
}

var orderColumns = field.Columns[exchange.OfferedOrder]{
	{Name: "sell_order_id", Is: "string", Title: "ID",
		Value: func(o exchange.OfferedOrder) field.Value { return field.Text(o.ID) }},
	{Name: "seller", Is: "string", Title: "SELLER", Shrink: 8, Drop: 2,
		Value: func(o exchange.OfferedOrder) field.Value { return field.Text(o.Seller) }},
	{Title: "PROJECT", Shrink: 8, Drop: 1,
		Value: func(o exchange.OfferedOrder) field.Value { return field.Words(o.Project) }},
	{Title: "YEAR", Right: true, Drop: 3,
		Value: func(o exchange.OfferedOrder) field.Value { return field.Number(o.Year) }},
	{Title: "VINTAGE", Drop: 5, Value: func(o exchange.OfferedOrder) field.Value { return field.Words(o.VintageID) }},
	{Name: "state", Is: "string", Value: func(o exchange.OfferedOrder) field.Value { return field.Text(o.State) }},
	{Name: "quantity_grams", Title: "LEFT", Right: true,
		Value: func(o exchange.OfferedOrder) field.Value { return field.Grams(o.Quantity) }},
	{Name: "sold_grams", Title: "SOLD", Right: true, Drop: 4,
		Value: func(o exchange.OfferedOrder) field.Value { return field.Grams(o.Sold) }},
	{Name: "price_cents", Title: "PRICE", Right: true,
		Value: func(o exchange.OfferedOrder) field.Value { return field.Price(o.Price) }},
	{Title: "STATE", Value: func(o exchange.OfferedOrder) field.Value { return field.Words(o.State) }},
	{Name: "project_id", Is: "string",
		Value: func(o exchange.OfferedOrder) field.Value { return field.Text(o.ProjectID) }},
	{Name: "project_name", Is: "string",
		Value: func(o exchange.OfferedOrder) field.Value { return field.Text(o.Project) }},
	{Name: "vintage_id", Is: "string",
		Value: func(o exchange.OfferedOrder) field.Value { return field.Text(o.VintageID) }},
	{Name: "vintage_year", Is: "number", Value: func(o exchange.OfferedOrder) field.Value { return field.Number(o.Year) }},
}

var withdrawnColumns = orderColumns.Pick("sell_order_id").With(field.Column[exchange.OfferedOrder]{
	Name: "returned_grams", Value: func(o exchange.OfferedOrder) field.Value { return field.Grams(o.Quantity) },
})

var importedOrderColumns = field.Columns[exchange.ImportedOrder]{
	{Name: "line", Is: "number", Title: "LINE", Right: true,
		Value: func(o exchange.ImportedOrder) field.Value { return field.Number(o.Line) }},
	{Name: "sell_order_id", Is: "string", Title: "ID",
		Value: func(o exchange.ImportedOrder) field.Value { return field.Text(o.ID) }},
	{Name: "vintage_id", Is: "string", Title: "VINTAGE",
		Value: func(o exchange.ImportedOrder) field.Value { return field.Text(o.VintageID) }},
	{Name: "outcome", Is: "string", Title: "OUTCOME",
		Value: func(o exchange.ImportedOrder) field.Value { return field.Text(o.Outcome) }},
}

var countColumns = field.Columns[exchange.Counts]{
	{Name: "added", Is: "number", Value: func(n exchange.Counts) field.Value { return field.Number(n.Added) }},
	{Name: "changed", Is: "number", Value: func(n exchange.Counts) field.Value { return field.Number(n.Changed) }},
	{Name: "unchanged", Is: "number", Value: func(n exchange.Counts) field.Value { return field.Number(n.Unchanged) }},
}

var importedCatalogueColumns = field.Columns[exchange.CatalogueCounts]{
	countsColumn("projects", func(n exchange.CatalogueCounts) exchange.Counts { return n.Projects }),
	countsColumn("vintages", func(n exchange.CatalogueCounts) exchange.Counts { return n.Vintages }),
}

func countsColumn(name string,
	of func(exchange.CatalogueCounts) exchange.Counts) field.Column[exchange.CatalogueCounts] {
	c := field.Nested(name, func(n exchange.CatalogueCounts) (exchange.Counts, bool) { return of(n), true }, countColumns)
	c.Is = "object"
	return c
}

var requestColumns = field.Columns[exchange.Work]{
	{Name: "id", Is: "string", Title: "ID", Value: func(w exchange.Work) field.Value { return field.Text(w.ID) }},
	{Name: "tenant", Is: "string", Title: "TENANT", Shrink: 8, Drop: 2,
		Value: func(w exchange.Work) field.Value { return field.Text(w.Tenant) }},
	{Name: "status", Is: "string", Title: "STATE",
		Value: func(w exchange.Work) field.Value { return field.Text(string(w.Status)) }},
	{Name: "type", Is: "string", Value: func(w exchange.Work) field.Value { return field.Text(string(w.Type)) }},
	{Name: "total_quantity", Title: "TONNES", Right: true,
		Value: func(w exchange.Work) field.Value { return field.Grams(w.TotalQuantity) }},
	{Name: "project_id", Is: "string", Value: func(w exchange.Work) field.Value { return field.Text(w.ProjectID) }},
	{Name: "project_name", Is: "string", Title: "PROJECT", Shrink: 8, Drop: 1,
		Value: func(w exchange.Work) field.Value { return field.Text(w.Project) }},
	{Name: "registry_name", Is: "string", Value: func(w exchange.Work) field.Value { return field.Text(w.Registry) }},
	{Name: "vintage_id", Is: "string", Value: func(w exchange.Work) field.Value { return field.Text(w.VintageID) }},
	{Name: "vintage_year", Is: "number", Title: "YEAR", Right: true, Drop: 3,
		Value: func(w exchange.Work) field.Value { return field.Number(w.Year) }},
	{Name: "created_at", Title: "CREATED", Drop: 4,
		Value: func(w exchange.Work) field.Value { return field.Time(w.CreatedAt) }},
	{Name: "closed_at", Value: func(w exchange.Work) field.Value { return field.Time(w.ClosedAt) }},
	{Name: "retired_at", Value: func(w exchange.Work) field.Value { return field.Time(w.RetiredAt) }},
	field.Items("retirees", func(w exchange.Work) iter.Seq[exchange.Retiree] { return slices.Values(w.Retirees) },
		field.Columns[exchange.Retiree]{
			{Name: "name", Value: func(r exchange.Retiree) field.Value { return field.Optional(r.Name) }},
			{Name: "tax_id", Value: func(r exchange.Retiree) field.Value { return field.Optional(r.TaxID) }},
			{Name: "country", Value: func(r exchange.Retiree) field.Value { return field.Optional(r.Country) }},
		}),
	{
		Name: "unsettled_invoices", Is: "array", Value: func(w exchange.Work) field.Value { return field.Texts(w.Unsettled) },
		Title: "WAITS FOR", Cell: waitsFor,
	},
}

func waitsFor(w exchange.Work) field.Value {
	switch w.Status {
	case retirement.Open:
		return field.Words("the end of the month")
	case retirement.InProgress:
		return field.Words("the registry")
	}
	if more := len(w.Unsettled) - 1; more > 0 {
		return field.Words(w.Unsettled[0] + " +" + strconv.Itoa(more))
	}
	return field.Texts(w.Unsettled)
}

var invoiceColumns = field.Columns[exchange.Bill]{
	{Name: "id", Is: "string", Title: "ID", Value: func(i exchange.Bill) field.Value { return field.Text(i.ID) }},
	{Name: "tenant", Is: "string", Title: "TENANT",
		Value: func(i exchange.Bill) field.Value { return field.Text(i.Tenant) }},
	{Name: "month", Is: "string", Title: "MONTH", Value: func(i exchange.Bill) field.Value { return field.Text(i.Month) }},
	{Title: "TOTAL", Right: true, Value: func(i exchange.Bill) field.Value { return field.Cost(i.Total) }},
	{Name: "state", Is: "string", Title: "STATE", Value: func(i exchange.Bill) field.Value { return field.Text(i.State) }},
	{Name: "total_cents", Is: "string", Value: func(i exchange.Bill) field.Value { return field.Cost(i.Total) }},
	{Name: "settled_at", Value: func(i exchange.Bill) field.Value { return field.Time(i.SettledAt) }},
}

var backupColumns = field.Columns[string]{{Name: "file", Is: "string", Value: field.Text}}

var monthColumns = field.Columns[closedMonth]{
	{Name: "month", Value: func(e closedMonth) field.Value { return field.Optional(e.Month) }},
	{Name: "closed", Is: "number", Value: func(e closedMonth) field.Value { return field.Number(e.Closed) }},
	{Name: "nothing_to_process", Is: "number",
		Value: func(e closedMonth) field.Value { return field.Number(e.NothingToProcess) }},
	{Name: "invoices", Is: "number", Value: func(e closedMonth) field.Value { return field.Number(e.Invoices) }},
	{Name: "total_cents", Is: "string", Value: func(e closedMonth) field.Value { return field.Cost(e.plan.Total) }},
	field.Items("closed_requests",
		func(e closedMonth) iter.Seq[exchange.Closing] { return slices.Values(e.plan.Requests) }, closingColumns),
	field.Items("issued_invoices", func(e closedMonth) iter.Seq[exchange.Bill] { return slices.Values(e.plan.Invoices) },
		issuedColumns),
}

// closingColumns are the open requests that the end of a month closes.
var closingColumns = field.Columns[exchange.Closing]{
	{Name: "id", Is: "string", Title: "REQUEST", Value: func(c exchange.Closing) field.Value { return field.Text(c.ID) }},
	{Name: "tenant", Is: "string", Title: "TENANT", Shrink: 8,
		Value: func(c exchange.Closing) field.Value { return field.Text(c.Tenant) }},
	{Title: "PROJECT", Shrink: 8, Drop: 1, Value: func(c exchange.Closing) field.Value { return field.Words(c.Project) }},
	{Name: "vintage_id", Is: "string", Title: "VINTAGE", Drop: 2,
		Value: func(c exchange.Closing) field.Value { return field.Text(c.VintageID) }},
	{Name: "whole_grams", Is: "string", Title: "RETIRED", Right: true,
		Value: func(c exchange.Closing) field.Value { return field.Grams(c.Whole) }},
	{Name: "moved_grams", Is: "string", Title: "NEXT MONTH", Right: true,
		Value: func(c exchange.Closing) field.Value { return field.Grams(c.Moved) }},
}

var issuedColumns = invoiceColumns.Pick("id", "tenant", "month", "TOTAL", "total_cents")

var movedColumns = field.Columns[exchange.Moved]{
	{Name: "table", Is: "string", Title: "TABLE",
		Value: func(t exchange.Moved) field.Value { return field.Text(t.Table) }},
	{Name: "rows", Is: "number", Title: "ROWS", Right: true,
		Value: func(t exchange.Moved) field.Value { return field.Number(int(t.Rows)) }},
	{Name: "sum", Is: "string", Title: "SUM", Right: true,
		Value: func(t exchange.Moved) field.Value { return field.Text(strconv.FormatUint(t.Sum, 10)) }},
	{
		Name: "hash", Is: "string", Value: func(t exchange.Moved) field.Value { return field.Text(t.Hash()) },
		Title: "HASH", Cell: func(t exchange.Moved) field.Value { return field.Text(t.Hash()[:16]) },
	},
}
