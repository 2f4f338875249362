package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/field"
	"tonne/model/retirement"
)

// column is a column of evidence. Its values are exact text in every format; an empty one means that the service did
// not supply it.
type column struct {
	field.Column[*requestRow]
	origin
}

// origin describes where the values of a column come from, and how the text of a pack is read.
type origin uint8

const (
	// answered values come only from the API response.
	answered origin = 1 << iota
	// perSerial values differ between the rows of a request.
	perSerial
	// perFormat values are empty for serial numbers whose format a version does not know.
	perFormat
	// integral values are numbers, timed values are times.
	integral
	timed
)

func (o origin) has(property origin) bool { return o&property != 0 }

// read returns the value with a text in a pack.
func (o origin) read(text string) field.Value {
	switch {
	case o.has(integral):
		return field.Digits(text)
	case o.has(timed):
		return field.Time(model.ParseTimestamp(text))
	}
	return field.Text(text)
}

func newColumn(name string, from origin, value func(*requestRow) field.Value) column {
	return column{field.Column[*requestRow]{Name: name, Value: value}, from}
}

func textColumn(name string, from origin, value func(*requestRow) string) column {
	return column{field.TextColumn(name, value), from}
}

// originOf returns the origin of a column by its name. Other versions may have other columns.
func originOf(name string) (from origin) {
	if c := slices.IndexFunc(columns, func(c column) bool { return c.Name == name }); c >= 0 {
		from = columns[c].origin
	}
	return from
}

func columnNames() (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

func plainOf(row []field.Value) []string {
	texts := make([]string, len(row))
	for i, v := range row {
		texts[i] = v.Plain()
	}
	return texts
}

const (
	idColumn = "retirement_request_id"
	// totalColumn is the quantity of the whole request. A workbook has it only in the first
	// row of a request, so that the sum of the column is right.
	totalColumn  = "total_quantity_grams"
	tonnesColumn = "serial_tonnes"
	doubtsColumn = "doubts"
	checkPrefix  = "check_"
)

// requestRow is a request with one of its serial numbers.
type requestRow struct {
	Request
	// lacks names the requests that the file leaves out.
	lacks     string
	checks    []retirement.Check
	journaled retirement.Journaled
	// text is the serial number, serial its parsed form.
	text   string
	serial retirement.Serial
}

var columns = slices.Concat(requestColumns, checkColumns(), []column{
	textColumn("methodology", perSerial, attributeCell(attribute.Methodology)),
	textColumn("ccp_corsia_labels", perSerial, func(r *requestRow) string {
		return "CCP: " + attributeCell(attribute.CCP)(r) + "; CORSIA: " + attributeCell(attribute.CORSIA)(r)
	}),
	textColumn("claim_period", 0, func(*requestRow) string { return "" }),
	textColumn("removal", perSerial, attributeCell(attribute.Removal)),
	textColumn("article6", perSerial, attributeCell(attribute.Article6)),
	textColumn("verifier", perSerial, attributeCell(attribute.Verifier)),
	textColumn("attribute_sources", perSerial, (*requestRow).sources),
	textColumn(doubtsColumn, 0, func(r *requestRow) string { return joined(r.failedOf(r.checks)) }),
	textColumn("left_out", 0, func(r *requestRow) string { return r.lacks }),
	textColumn("registry_page", perSerial, func(r *requestRow) string {
		return retirement.RegistryLink(r.Project, r.Retirement.VintageID, r.serial)
	}),
	textColumn("seen_on_registry", perSerial, (*requestRow).seen),
	textColumn("call_external_ids", 0, ofCalls(func(_ string, c call) string { return c.ExternalID })),
	textColumn("call_references", 0, ofCalls(func(_ string, c call) string { return c.Reference })),
	textColumn("call_quantities_grams", 0, ofCalls(func(_ string, c call) string { return c.Call.Quantity.String() })),
	textColumn("call_grams_in_request", 0, ofCalls(gramsIn)),
	textColumn("call_costs_cents", 0, ofCalls(func(_ string, c call) string { return c.Call.Cost.String() })),
	textColumn("call_made_by", 0, ofCalls(func(_ string, c call) string { return c.MadeBy })),
	textColumn("call_made_at", 0, ofCalls(func(_ string, c call) string { return model.At(c.MadeAt).UTC() })),
	textColumn("reference", 0, func(r *requestRow) string { return r.journaled.Reference() }),
	textColumn("cost_cents", 0, (*requestRow).cost),
	textColumn("cost_basis", 0, (*requestRow).costBasis),
	newColumn("retired_cost_cents", integral, func(r *requestRow) field.Value {
		return field.If(r.Cost.Known, field.Cost(r.Cost.Cents))
	}),
	textColumn("retired_cost_lots", 0, func(r *requestRow) string { return r.Cost.String() }),
})

var requestColumns = []column{
	textColumn(idColumn, answered, func(r *requestRow) string { return r.Retirement.ID }),
	textColumn("status", answered, func(r *requestRow) string { return string(r.Retirement.Status) }),
	textColumn("type", answered, func(r *requestRow) string { return string(r.Retirement.Type) }),
	textColumn("project_id", answered, func(r *requestRow) string { return r.Retirement.ProjectID }),
	textColumn("project_name", 0, func(r *requestRow) string { return r.Project.Name }),
	textColumn("project_type", 0, func(r *requestRow) string { return r.Project.Type }),
	textColumn("country", 0, func(r *requestRow) string { return r.Project.Country }),
	textColumn("registry", perSerial, (*requestRow).registry),
	textColumn("registry_project_id", perSerial, (*requestRow).registryProject),
	textColumn("registry_project_url", 0, func(r *requestRow) string { return r.Project.RegistryURL }),
	textColumn("vintage_id", answered, func(r *requestRow) string { return r.Retirement.VintageID }),
	newColumn("vintage_year", integral, func(r *requestRow) field.Value {
		return field.Year(int32(r.Project.Year(r.Retirement.VintageID)))
	}),
	newColumn(
		totalColumn,
		answered|integral,
		func(r *requestRow) field.Value { return field.Grams(r.Retirement.TotalQuantity) },
	),
	newColumn("created_at", answered|timed, func(r *requestRow) field.Value { return field.UTC(r.Retirement.CreatedAt) }),
	newColumn("retired_at", answered|timed, func(r *requestRow) field.Value { return field.UTC(r.Retirement.RetiredAt) }),
	textColumn("serial_number", answered|perSerial, func(r *requestRow) string { return r.text }),
	newColumn(
		"serial_start",
		answered|perSerial|perFormat,
		ofSerial(func(s retirement.Serial) field.Value { return number(s.Start) }),
	),
	newColumn(
		"serial_end",
		answered|perSerial|perFormat,
		ofSerial(func(s retirement.Serial) field.Value { return number(s.End) }),
	),
	newColumn(
		tonnesColumn,
		answered|perSerial|perFormat|integral,
		ofSerial(func(s retirement.Serial) field.Value { return field.Tonnes(s.Tonnes) }),
	),
	textColumn("item_ids", answered, ofItems(func(i retirement.Item) string { return i.ID })),
	textColumn("beneficiary_name", answered, ofItems(func(i retirement.Item) string { return i.RetireeName })),
	textColumn("beneficiary_tax_id", answered, ofItems(func(i retirement.Item) string { return i.RetireeTaxID })),
	textColumn("beneficiary_country", answered, ofItems(func(i retirement.Item) string { return i.RetireeCountry })),
	textColumn("invoice_ids", answered, ofItems(func(i retirement.Item) string { return i.InvoiceID })),
	textColumn("trade_ids", answered, ofItems(func(i retirement.Item) string { return i.TradeID })),
	textColumn("certificate_url", answered, func(r *requestRow) string { return r.Retirement.CertificateURL }),
	textColumn("certificate_file", 0, func(r *requestRow) string { return r.certificateFile() }),
	textColumn("certificate_sha256", 0, func(r *requestRow) string { return r.Certificate.SHA256 }),
	newColumn(
		"certificate_fetched_at",
		timed,
		func(r *requestRow) field.Value { return field.UTC(model.At(r.Certificate.FetchedAt)) },
	),
}

func checkColumns() (columns []column) {
	for i, check := range (Request{}).AllChecks() {
		columns = append(
			columns,
			textColumn(checkPrefix+check.Name, 0, func(r *requestRow) string { return string(r.checks[i].Result) }),
		)
	}
	return columns
}

// rowsOf returns one row per serial number, or one row for a request without any.
func rowsOf(r Request, lacks string, showTaxIDs bool) [][]field.Value {
	if r.LeftOut != "" {
		return nil
	}
	row := &requestRow{
		Request:   r,
		lacks:     lacks,
		checks:    r.AllChecks(),
		journaled: retirement.NewJournaled(r.Retirement.ID, r.Calls),
	}
	row.Observations = slices.DeleteFunc(
		slices.Clone(r.Observations),
		func(o retirement.Observation) bool { return !o.Shows(r.Retirement) },
	)
	if !showTaxIDs {
		row.Retirement.Items = slices.Clone(r.Retirement.Items)
		for i := range row.Retirement.Items {
			item := &row.Retirement.Items[i]
			item.RetireeTaxID = retirement.MaskTaxID(item.RetireeTaxID)
		}
	}
	shared := make([]field.Value, len(columns))
	for c, column := range columns {
		shared[c] = column.Value(row)
	}
	rows := [][]field.Value{shared}
	for i, text := range r.Retirement.SerialNumbers {
		if i > 0 {
			rows = append(rows, slices.Clone(shared))
		}
		row.text = text
		row.serial, _ = retirement.ParseSerial(text)
		for c, column := range columns {
			if column.has(perSerial) {
				rows[i][c] = column.Value(row)
			}
		}
	}
	return rows
}

func ofItems(value func(retirement.Item) string) func(*requestRow) string {
	return func(r *requestRow) string {
		values := make([]string, len(r.Retirement.Items))
		for i, item := range r.Retirement.Items {
			values[i] = value(item)
		}
		if same := slices.Compact(slices.Clone(values)); len(same) == 1 {
			return same[0]
		}
		return strings.Join(values, "; ")
	}
}

func ofSerial(value func(retirement.Serial) field.Value) func(*requestRow) field.Value {
	return func(r *requestRow) field.Value { return field.If(r.serial != (retirement.Serial{}), value(r.serial)) }
}

// number is a number that sheets have as text, because it is no quantity.
func number(n int64) field.Value { return field.Text(strconv.FormatInt(n, 10)) }

// namedCalls limits the calls that a row names. The manifest has all.
const namedCalls = 50

func ofCalls(value func(id string, c call) string) func(*requestRow) string {
	return func(r *requestRow) string {
		var values []string
		for _, c := range r.Calls[:min(len(r.Calls), namedCalls)] {
			values = append(values, value(r.Retirement.ID, c))
		}
		if more := len(r.Calls) - namedCalls; more > 0 {
			values = append(values, fmt.Sprintf("and %d more", more))
		}
		return strings.Join(values, "; ")
	}
}

func gramsIn(id string, c call) string {
	if c.Unclear {
		return "not known"
	}
	here, _ := c.In(id)
	return here.String()
}

func attributeCell(a attribute.Attribute) func(*requestRow) string {
	return func(r *requestRow) string { return attribute.FactValue(r.factsOf(a)) }
}

func (r *requestRow) factsOf(a attribute.Attribute) []attribute.FactPart {
	return r.Facts.Serial(
		a,
		r.Retirement.Vintage(),
		r.serial,
	)
}

func (r *requestRow) sources() string {
	var sources []string
	for _, a := range attribute.Attributes() {
		for _, part := range r.factsOf(a) {
			source := string(a) + ": " + part.Fact.Source + " (" + part.Fact.Checked.Format("2006-01-02") + ")"
			if part.Fact.Value != "" && !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
	}
	return strings.Join(sources, "; ")
}

// seen lists only observations that cover credits of this row.
func (r *requestRow) seen() string {
	var words []string
	for _, o := range r.Observations {
		seen, ok := retirement.ParseSerial(o.Subject)
		switch {
		case o.Subject == r.Retirement.ID || o.Subject == r.text:
			words = append(words, o.String())
		case !ok || !r.serial.Overlaps(seen):
		case seen.Start <= r.serial.Start && r.serial.End <= seen.End:
			words = append(words, o.String())
		default:
			from, to := max(seen.Start, r.serial.Start), min(seen.End, r.serial.End)
			words = append(words, fmt.Sprintf("%s (%s to %s of it)", o, model.FormatNumber(from), model.FormatNumber(to)))
		}
	}
	return strings.Join(words, "; ")
}

func (r *requestRow) registry() string {
	registry, _ := retirement.RegistryNumber(r.Project)
	return cmp.Or(registry, r.Project.RegistryName, r.serial.Registry)
}

func (r *requestRow) registryProject() string {
	_, number := retirement.RegistryNumber(r.Project)
	return cmp.Or(number, r.serial.Project)
}

func (r *requestRow) cost() string {
	if cents, why := r.journaled.CostOf(r.Retirement); why == "" {
		return cents.String()
	}
	return ""
}

func (r *requestRow) costBasis() string {
	const journaled = "the journal has every call with its price"
	_, why := r.journaled.CostOf(r.Retirement)
	exact, err := r.journaled.Cost.ExactCents()
	switch {
	case why != "" && r.Retirement.Status != retirement.Complete && r.journaled.Quantity == 0:
		// Credits that are not retired have no cost yet.
		return ""
	case why != "":
		return why
	case err == nil && strings.Contains(exact, "."):
		return "rounded from " + exact + " cents: " + journaled
	}
	return "exact: " + journaled
}
