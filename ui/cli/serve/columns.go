package serve

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// The columns of each noun in the operator's commands. The columns
// that settle, complete, reprice and withdraw need stay on a narrow terminal.

var tenantColumns = output.Columns[exchange.Tenant]{
	{Name: "name", Is: "string", Title: "NAME", Value: func(t exchange.Tenant) output.Value { return output.Text(t.Name) }},
	{Name: "tax_id", Title: "TAX ID", Value: func(t exchange.Tenant) output.Value { return output.Optional(t.TaxID) }},
	{Name: "country", Title: "COUNTRY", Value: func(t exchange.Tenant) output.Value { return output.Optional(t.Country) }},
	{Name: "role", Is: "string", Title: "ROLE", Value: func(t exchange.Tenant) output.Value { return output.Text(t.Role) }},
}

var listedTenantColumns = tenantColumns.With(output.Column[exchange.Tenant]{
	Name: "active_keys", Is: "number", Title: "ACTIVE KEYS", Right: true, Value: func(t exchange.Tenant) output.Value { return output.Number(t.ActiveKeys) },
})

var createdKeyColumns = output.Columns[exchange.NewKey]{
	{Name: "id", Is: "string", Value: func(k exchange.NewKey) output.Value { return output.Text(k.ID) }},
	{Name: "api_key", Is: "string", Value: func(k exchange.NewKey) output.Value { return output.Text(k.Secret) }},
}

var keyColumns = output.Columns[exchange.Key]{
	{Name: "id", Is: "string", Title: "ID", Value: func(k exchange.Key) output.Value { return output.Text(k.ID) }},
	{Name: "tenant", Is: "string", Title: "TENANT", Value: func(k exchange.Key) output.Value { return output.Text(k.Tenant) }},
	{Name: "role", Is: "string", Title: "ROLE", Value: func(k exchange.Key) output.Value { return output.Text(k.Role) }},
	{Name: "name", Is: "string", Title: "NAME", Value: func(k exchange.Key) output.Value { return output.Text(k.Name) }},
	{Name: "created_at", Title: "CREATED", Value: func(k exchange.Key) output.Value { return output.Time(model.At(k.CreatedAt)) }},
	{
		Name: "is_active", Is: "boolean", Value: func(k exchange.Key) output.Value { return output.Flag(k.Active) },
		Title: "ACTIVE", Cell: func(k exchange.Key) string { return command.YesNo(k.Active) },
	},
}

var orderColumns = output.Columns[exchange.OfferedOrder]{
	{Name: "sell_order_id", Is: "string", Title: "ID", Value: func(o exchange.OfferedOrder) output.Value { return output.Text(o.ID) }},
	{Name: "seller", Is: "string", Title: "SELLER", Shrink: 8, Drop: 2, Value: func(o exchange.OfferedOrder) output.Value { return output.Text(o.Seller) }},
	{Title: "PROJECT", Shrink: 8, Drop: 1, Cell: func(o exchange.OfferedOrder) string { return o.Project }},
	{Title: "YEAR", Right: true, Drop: 3, Cell: func(o exchange.OfferedOrder) string { return strconv.Itoa(o.Year) }},
	{Title: "VINTAGE", Drop: 5, Cell: func(o exchange.OfferedOrder) string { return o.VintageID }},
	{Name: "state", Is: "string", Value: func(o exchange.OfferedOrder) output.Value { return output.Text(o.State) }},
	{Name: "quantity_grams", Title: "LEFT", Right: true, Value: func(o exchange.OfferedOrder) output.Value { return output.Grams(o.Quantity) }},
	{Name: "sold_grams", Title: "SOLD", Right: true, Drop: 4, Value: func(o exchange.OfferedOrder) output.Value { return output.Grams(o.Sold) }},
	{Name: "price_cents", Title: "PRICE", Right: true, Value: func(o exchange.OfferedOrder) output.Value { return output.Price(o.Price) }},
	{Title: "STATE", Cell: func(o exchange.OfferedOrder) string { return o.State }},
	{Name: "project_id", Is: "string", Value: func(o exchange.OfferedOrder) output.Value { return output.Text(o.ProjectID) }},
	{Name: "project_name", Is: "string", Value: func(o exchange.OfferedOrder) output.Value { return output.Text(o.Project) }},
	{Name: "vintage_id", Is: "string", Value: func(o exchange.OfferedOrder) output.Value { return output.Text(o.VintageID) }},
	{Name: "vintage_year", Is: "number", Value: func(o exchange.OfferedOrder) output.Value { return output.Number(o.Year) }},
}

var withdrawnColumns = orderColumns.Pick("sell_order_id").With(output.Column[exchange.OfferedOrder]{
	Name: "returned_grams", Value: func(o exchange.OfferedOrder) output.Value { return output.Grams(o.Quantity) },
})

var importedOrderColumns = output.Columns[exchange.ImportedOrder]{
	{Name: "line", Is: "number", Title: "LINE", Right: true, Value: func(o exchange.ImportedOrder) output.Value { return output.Number(o.Line) }},
	{Name: "sell_order_id", Is: "string", Title: "ID", Value: func(o exchange.ImportedOrder) output.Value { return output.Text(o.ID) }},
	{Name: "vintage_id", Is: "string", Title: "VINTAGE", Value: func(o exchange.ImportedOrder) output.Value { return output.Text(o.VintageID) }},
	{Name: "outcome", Is: "string", Title: "OUTCOME", Value: func(o exchange.ImportedOrder) output.Value { return output.Text(o.Outcome) }},
}

var countColumns = output.Columns[exchange.Counts]{
	{Name: "added", Is: "number", Value: func(n exchange.Counts) output.Value { return output.Number(n.Added) }},
	{Name: "changed", Is: "number", Value: func(n exchange.Counts) output.Value { return output.Number(n.Changed) }},
	{Name: "unchanged", Is: "number", Value: func(n exchange.Counts) output.Value { return output.Number(n.Unchanged) }},
}

var importedCatalogueColumns = output.Columns[exchange.CatalogueCounts]{
	countsColumn("projects", func(n exchange.CatalogueCounts) exchange.Counts { return n.Projects }),
	countsColumn("vintages", func(n exchange.CatalogueCounts) exchange.Counts { return n.Vintages }),
}

func countsColumn(name string, of func(exchange.CatalogueCounts) exchange.Counts) output.Column[exchange.CatalogueCounts] {
	c := output.Nested(name, func(n exchange.CatalogueCounts) (exchange.Counts, bool) { return of(n), true }, countColumns)
	c.Is = "object"
	return c
}

var requestColumns = output.Columns[exchange.Work]{
	{Name: "id", Is: "string", Title: "ID", Value: func(w exchange.Work) output.Value { return output.Text(w.ID) }},
	{Name: "tenant", Is: "string", Title: "TENANT", Shrink: 8, Drop: 2, Value: func(w exchange.Work) output.Value { return output.Text(w.Tenant) }},
	{Name: "status", Is: "string", Title: "STATE", Value: func(w exchange.Work) output.Value { return output.Text(string(w.Status)) }},
	{Name: "type", Is: "string", Value: func(w exchange.Work) output.Value { return output.Text(string(w.Type)) }},
	{Name: "total_quantity", Title: "TONNES", Right: true, Value: func(w exchange.Work) output.Value { return output.Grams(w.TotalQuantity) }},
	{Name: "project_id", Is: "string", Value: func(w exchange.Work) output.Value { return output.Text(w.ProjectID) }},
	{Name: "project_name", Is: "string", Title: "PROJECT", Shrink: 8, Drop: 1, Value: func(w exchange.Work) output.Value { return output.Text(w.Project) }},
	{Name: "registry_name", Is: "string", Value: func(w exchange.Work) output.Value { return output.Text(w.Registry) }},
	{Name: "vintage_id", Is: "string", Value: func(w exchange.Work) output.Value { return output.Text(w.VintageID) }},
	{Name: "vintage_year", Is: "number", Title: "YEAR", Right: true, Drop: 3, Value: func(w exchange.Work) output.Value { return output.Number(w.Year) }},
	{Name: "created_at", Title: "CREATED", Drop: 4, Value: func(w exchange.Work) output.Value { return output.Time(w.CreatedAt) }},
	{Name: "closed_at", Value: func(w exchange.Work) output.Value { return output.Time(w.ClosedAt) }},
	{Name: "retired_at", Value: func(w exchange.Work) output.Value { return output.Time(w.RetiredAt) }},
	output.Array("retirees", func(w exchange.Work) iter.Seq[exchange.Retiree] { return slices.Values(w.Retirees) }, output.Columns[exchange.Retiree]{
		{Name: "name", Value: func(r exchange.Retiree) output.Value { return output.Optional(r.Name) }},
		{Name: "tax_id", Value: func(r exchange.Retiree) output.Value { return output.Optional(r.TaxID) }},
		{Name: "country", Value: func(r exchange.Retiree) output.Value { return output.Optional(r.Country) }},
	}),
	{
		Name: "unsettled_invoices", Is: "array", Value: func(w exchange.Work) output.Value { return output.Texts(w.Unsettled) },
		Title: "WAITS FOR", Cell: waitsFor,
	},
}

func waitsFor(w exchange.Work) string {
	switch w.Status {
	case retirement.Open:
		return "the end of the month"
	case retirement.InProgress:
		return "the registry"
	}
	if more := len(w.Unsettled) - 1; more > 0 {
		return w.Unsettled[0] + " +" + strconv.Itoa(more)
	}
	return command.Dash(strings.Join(w.Unsettled, ""))
}

var invoiceColumns = output.Columns[exchange.Bill]{
	{Name: "id", Is: "string", Title: "ID", Value: func(i exchange.Bill) output.Value { return output.Text(i.ID) }},
	{Name: "tenant", Is: "string", Title: "TENANT", Value: func(i exchange.Bill) output.Value { return output.Text(i.Tenant) }},
	{Name: "month", Is: "string", Title: "MONTH", Value: func(i exchange.Bill) output.Value { return output.Text(i.Month) }},
	{Title: "TOTAL", Right: true, Cell: func(i exchange.Bill) string { return i.Total.FormatDollars() }},
	{Name: "state", Is: "string", Title: "STATE", Value: func(i exchange.Bill) output.Value { return output.Text(i.State) }},
	{Name: "total_cents", Is: "string", Value: func(i exchange.Bill) output.Value { return output.Cost(i.Total) }},
	{Name: "settled_at", Value: func(i exchange.Bill) output.Value { return output.Time(i.SettledAt) }},
}

var backupColumns = output.Columns[string]{{Name: "file", Is: "string", Value: output.Text}}

var monthColumns = output.Columns[closedMonth]{
	{Name: "month", Value: func(e closedMonth) output.Value { return output.Optional(e.Month) }},
	{Name: "closed", Is: "number", Value: func(e closedMonth) output.Value { return output.Number(e.Closed) }},
	{Name: "nothing_to_process", Is: "number", Value: func(e closedMonth) output.Value { return output.Number(e.NothingToProcess) }},
	{Name: "invoices", Is: "number", Value: func(e closedMonth) output.Value { return output.Number(e.Invoices) }},
	{Name: "total_cents", Is: "string", Value: func(e closedMonth) output.Value { return output.Cost(e.plan.Total) }},
	output.Array("closed_requests", func(e closedMonth) iter.Seq[exchange.Closing] { return slices.Values(e.plan.Requests) }, closingColumns),
	output.Array("issued_invoices", func(e closedMonth) iter.Seq[exchange.Bill] { return slices.Values(e.plan.Invoices) }, issuedColumns),
}

// closingColumns are the open requests that the end of a month closes.
var closingColumns = output.Columns[exchange.Closing]{
	{Name: "id", Is: "string", Title: "REQUEST", Value: func(c exchange.Closing) output.Value { return output.Text(c.ID) }},
	{Name: "tenant", Is: "string", Title: "TENANT", Shrink: 8, Value: func(c exchange.Closing) output.Value { return output.Text(c.Tenant) }},
	{Title: "PROJECT", Shrink: 8, Drop: 1, Cell: func(c exchange.Closing) string { return c.Project }},
	{Name: "vintage_id", Is: "string", Title: "VINTAGE", Drop: 2, Value: func(c exchange.Closing) output.Value { return output.Text(c.VintageID) }},
	{Name: "whole_grams", Is: "string", Title: "RETIRED", Right: true, Value: func(c exchange.Closing) output.Value { return output.Grams(c.Whole) }},
	{Name: "moved_grams", Is: "string", Title: "NEXT MONTH", Right: true, Value: func(c exchange.Closing) output.Value { return output.Grams(c.Moved) }},
}

var issuedColumns = invoiceColumns.Pick("id", "tenant", "month", "TOTAL", "total_cents")

var movedColumns = output.Columns[exchange.Moved]{
	{Name: "table", Is: "string", Title: "TABLE", Value: func(t exchange.Moved) output.Value { return output.Text(t.Table) }},
	{Name: "rows", Is: "number", Title: "ROWS", Right: true, Value: func(t exchange.Moved) output.Value { return output.Number(int(t.Rows)) }},
	{Name: "sum", Is: "string", Title: "SUM", Right: true, Value: func(t exchange.Moved) output.Value { return output.Text(strconv.FormatUint(t.Sum, 10)) }},
	{
		Name: "hash", Is: "string", Value: func(t exchange.Moved) output.Value { return output.Text(t.Hash()) },
		Title: "HASH", Cell: func(t exchange.Moved) string { return t.Hash()[:16] },
	},
}
