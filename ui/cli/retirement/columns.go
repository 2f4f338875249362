package retirement

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"

	"tonne/api"
	"tonne/api/audit"
	"tonne/api/wire"
	"tonne/model/field"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
)

// row is a retirement request, in flat formats with one of its items.
type row struct {
	retirement.Request
	// item is an item, or nil for a request without items.
	item    *retirement.Item
	checks  []retirement.Check
	project string
	year    int32
}

func itemRows(r retirement.Request) iter.Seq[*row] {
	rows := []*row{{Request: r}}
	for i := range r.Items {
		if i > 0 {
			rows = append(rows, &row{Request: r})
		}
		rows[i].item = &r.Items[i]
	}
	return slices.Values(rows)
}

var columns = field.Columns[*row]{
	{Name: "id", Is: "string", Title: "ID", Value: func(r *row) field.Value { return field.Text(r.ID) }},
	{Name: "status", Is: "string", Title: "STATUS",
		Value: func(r *row) field.Value { return field.Text(string(r.Status)) }},
	{Name: "type", Is: "string", Value: func(r *row) field.Value { return field.Text(string(r.Type)) }},
	{Name: "total_quantity", Title: "QUANTITY", Right: true,
		Value: func(r *row) field.Value { return field.Grams(r.TotalQuantity) }},
	{
		Name: "project_id", Is: "string", Value: func(r *row) field.Value { return field.Text(r.ProjectID) },
		Title: "PROJECT", Shrink: 12, Drop: 3, Cell: func(r *row) field.Value { return field.Words(r.project) },
	},
	{
		Name: "vintage_id", Is: "string", Value: func(r *row) field.Value { return field.Text(r.VintageID) },
		Title: "YEAR", Right: true, Drop: 4, Cell: func(r *row) field.Value { return field.Year(r.year) },
	},
	{Name: "created_at", Value: func(r *row) field.Value { return field.Time(r.CreatedAt) }},
	{Name: "retired_at", Title: "RETIRED", Drop: 2, Value: func(r *row) field.Value { return field.Time(r.RetiredAt) }},
	{Name: "all_invoices_settled", Is: "boolean|null",
		Value: func(r *row) field.Value { return field.Bool(r.AllInvoicesSettled) }},
	{Title: "CHECKS", Drop: 1, Value: func(r *row) field.Value { return field.Words(filing.Tally(r.checks)) }},
	{Name: "certificate_url", Title: "CERTIFICATE", Shrink: 14, Drop: 5,
		Value: func(r *row) field.Value { return field.Optional(r.CertificateURL) }},
}.With(flatItem()...)

var jsonColumns = columns.Pick("id", "status", "total_quantity", "type", "project_id", "vintage_id", "created_at",
	"retired_at").With(
	field.Column[*row]{Name: "retired_serial_numbers", Is: "array",
		Value: func(r *row) field.Value { return field.Texts(r.SerialNumbers) }},
).With(columns.Pick("certificate_url")...).With(
	field.Column[*row]{Name: "should_retire_external_customer", Is: "boolean|null",
		Value: func(r *row) field.Value { return field.Bool(r.ExternalCustomer) }},
).With(columns.Pick("all_invoices_settled")...).With(
	field.Items("retirement_request_items", func(r *row) iter.Seq[retirement.Item] { return slices.Values(r.Items) },
		itemColumns),
	field.Items("checks", func(r *row) iter.Seq[retirement.Check] { return slices.Values(r.checks) },
		field.Columns[retirement.Check]{
			{Name: "name", Is: "string", Value: func(c retirement.Check) field.Value { return field.Text(c.Name) }},
			{Name: "result", Is: "string", Value: func(c retirement.Check) field.Value { return field.Text(string(c.Result)) }},
			{Name: "detail", Is: "string", Value: func(c retirement.Check) field.Value { return field.Text(c.Detail) }},
		}),
)

var itemColumns = field.Columns[retirement.Item]{
	{Name: "id", Is: "string", Value: func(i retirement.Item) field.Value { return field.Text(i.ID) }},
	{Name: "quantity", Value: func(i retirement.Item) field.Value { return field.Grams(i.Quantity) }},
	{Name: "created_at", Value: func(i retirement.Item) field.Value { return field.Time(i.CreatedAt) }},
	{Name: "retiree_name", Value: func(i retirement.Item) field.Value { return field.Optional(i.RetireeName) }},
	{Name: "retiree_tax_id", Value: func(i retirement.Item) field.Value { return field.Optional(i.RetireeTaxID) }},
	{Name: "retiree_country", Value: func(i retirement.Item) field.Value { return field.Optional(i.RetireeCountry) }},
	{Name: "invoice_id", Value: func(i retirement.Item) field.Value { return field.Optional(i.InvoiceID) }},
	{Name: "trade_id", Value: func(i retirement.Item) field.Value { return field.Optional(i.TradeID) }},
}

func flatItem() field.Columns[*row] {
	columns := field.Over(itemColumns, func(r *row) (i retirement.Item, ok bool) {
		if r.item == nil {
			return i, false
		}
		return *r.item, true
	}).Nullable()
	for i := range columns[:3] {
		columns[i].Name = "item_" + columns[i].Name
	}
	return columns
}

// failedColumns are the columns of an id that failed.
var failedColumns = field.Columns[audit.Answer]{
	{Name: "id", Is: "string", Value: func(a audit.Answer) field.Value { return field.Text(wire.Clean(a.ID)) }},
	field.Nested("error", func(a audit.Answer) (error, bool) { return a.Err, true }, field.Columns[error]{
		{Name: "type", Is: "string", Value: func(err error) field.Value { return field.Text(errorType(err)) }},
		{Name: "status", Is: "number|null", Value: func(err error) field.Value {
			return field.If(callOf(err).Status != 0, field.Number(callOf(err).Status))
		}},
		{Name: "message", Is: "string",
			Value: func(err error) field.Value { return field.Text(cmp.Or(callOf(err).Message, err.Error())) }},
	}).Always(),
}

func callOf(err error) *api.Error {
	if call, ok := errors.AsType[*api.Error](err); ok && !errors.As(err, new(*audit.NotAskedError)) {
		return call
	}
	return new(api.Error)
}

func errorType(err error) string {
	call := callOf(err)
	switch {
	case errors.As(err, new(*audit.NotAskedError)):
		return "NOT_ASKED"
	case (call.Kind == api.Invalid || call.Kind == api.NotFound) && call.Code != "":
		return call.Code
	}
	return cmp.Or(strings.ToUpper(command.CallCodes[call.Kind]), "FAILED")
}
