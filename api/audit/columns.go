package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/retirement"
	"tonne/model/spreadsheet"
)

// column is a column of an evidence table. Values are exact text; an empty value means
// that the service did not supply it.
type column[T any] struct {
	name  string
	value func(T) string
	// ofSerial is set if the rows of a request have different values, ofAnswer if the value
	// comes only from the API response.
	ofSerial, ofAnswer bool
	// ofFormat is set if the value is empty for serial numbers whose format a version does not know.
	ofFormat bool
	// cell converts the value to a cell of a workbook; nil means text.
	cell func(string) spreadsheet.Cell
}

func namesOf[T any](columns []column[T]) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return names
}

func valuesOf[T any](columns []column[T], row T) []string {
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = c.value(row)
	}
	return values
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

var columns = slices.Concat(requestColumns, checkColumns(), []column[*requestRow]{
	{name: "methodology", value: attributeCell(attribute.Methodology), ofSerial: true},
	{name: "ccp_corsia_labels", value: func(r *requestRow) string {
		return "CCP: " + attributeCell(attribute.CCP)(r) + "; CORSIA: " + attributeCell(attribute.CORSIA)(r)
	}, ofSerial: true},
	{name: "claim_period", value: func(*requestRow) string { return "" }},
	{name: "removal", value: attributeCell(attribute.Removal), ofSerial: true},
	{name: "article6", value: attributeCell(attribute.Article6), ofSerial: true},
	{name: "verifier", value: attributeCell(attribute.Verifier), ofSerial: true},
	{name: "attribute_sources", value: (*requestRow).sources, ofSerial: true},
	{name: doubtsColumn, value: func(r *requestRow) string { return joined(r.failedOf(r.checks)) }},
	{name: "left_out", value: func(r *requestRow) string { return r.lacks }},
	{name: "registry_page", value: func(r *requestRow) string {
		return retirement.RegistryLink(r.Project, r.Retirement.VintageID, r.serial)
	}, ofSerial: true},
	{name: "seen_on_registry", value: (*requestRow).seen, ofSerial: true},
	{name: "call_external_ids", value: ofCalls(func(_ string, c retirement.JournalEntry) string { return c.ExternalID })},
	{name: "call_references", value: ofCalls(func(_ string, c retirement.JournalEntry) string { return c.Reference })},
	{name: "call_quantities_grams", value: ofCalls(func(_ string, c retirement.JournalEntry) string { return c.Call.Quantity.String() })},
	{name: "call_grams_in_request", value: ofCalls(gramsIn)},
	{name: "call_costs_cents", value: ofCalls(func(_ string, c retirement.JournalEntry) string { return c.Call.Cost.String() })},
	{name: "call_made_by", value: ofCalls(func(_ string, c retirement.JournalEntry) string { return c.MadeBy })},
	{name: "call_made_at", value: ofCalls(func(_ string, c retirement.JournalEntry) string { return model.At(c.MadeAt).UTC() })},
	{name: "reference", value: func(r *requestRow) string { return r.journaled.Reference() }},
	{name: "cost_cents", value: (*requestRow).cost},
	{name: "cost_basis", value: (*requestRow).costBasis},
})

var requestColumns = []column[*requestRow]{
	{name: idColumn, ofAnswer: true, value: func(r *requestRow) string { return r.Retirement.ID }},
	{name: "status", ofAnswer: true, value: func(r *requestRow) string { return string(r.Retirement.Status) }},
	{name: "type", ofAnswer: true, value: func(r *requestRow) string { return string(r.Retirement.Type) }},
	{name: "project_id", ofAnswer: true, value: func(r *requestRow) string { return r.Retirement.ProjectID }},
	{name: "project_name", value: func(r *requestRow) string { return r.Project.Name }},
	{name: "project_type", value: func(r *requestRow) string { return r.Project.Type }},
	{name: "country", value: func(r *requestRow) string { return r.Project.Country }},
	{name: "registry", value: (*requestRow).registry, ofSerial: true},
	{name: "registry_project_id", value: (*requestRow).registryProject, ofSerial: true},
	{name: "registry_project_url", value: func(r *requestRow) string { return r.Project.RegistryURL }},
	{name: "vintage_id", ofAnswer: true, value: func(r *requestRow) string { return r.Retirement.VintageID }},
	{name: "vintage_year", value: (*requestRow).year, cell: spreadsheet.Whole},
	{name: totalColumn, ofAnswer: true, value: func(r *requestRow) string { return string(Quantity(r.Retirement.TotalQuantity).text()) }, cell: spreadsheet.Whole},
	{name: "created_at", ofAnswer: true, value: func(r *requestRow) string { return r.Retirement.CreatedAt.UTC() }, cell: spreadsheet.Time},
	{name: "retired_at", ofAnswer: true, value: func(r *requestRow) string { return r.Retirement.RetiredAt.UTC() }, cell: spreadsheet.Time},
	{name: "serial_number", ofAnswer: true, value: func(r *requestRow) string { return r.text }, ofSerial: true},
	{name: "serial_start", ofAnswer: true, ofFormat: true, value: ofSerial(func(s retirement.Serial) int64 { return s.Start }), ofSerial: true},
	{name: "serial_end", ofAnswer: true, ofFormat: true, value: ofSerial(func(s retirement.Serial) int64 { return s.End }), ofSerial: true},
	{name: tonnesColumn, ofAnswer: true, ofFormat: true, value: ofSerial(func(s retirement.Serial) int64 { return s.Tonnes }), ofSerial: true, cell: spreadsheet.Whole},
	{name: "item_ids", ofAnswer: true, value: ofItems(func(i retirement.Item) string { return i.ID })},
	{name: "beneficiary_name", ofAnswer: true, value: ofItems(func(i retirement.Item) string { return i.RetireeName })},
	{name: "beneficiary_tax_id", ofAnswer: true, value: ofItems(func(i retirement.Item) string { return i.RetireeTaxID })},
	{name: "beneficiary_country", ofAnswer: true, value: ofItems(func(i retirement.Item) string { return i.RetireeCountry })},
	{name: "invoice_ids", ofAnswer: true, value: ofItems(func(i retirement.Item) string { return i.InvoiceID })},
	{name: "trade_ids", ofAnswer: true, value: ofItems(func(i retirement.Item) string { return i.TradeID })},
	{name: "certificate_url", ofAnswer: true, value: func(r *requestRow) string { return r.Retirement.CertificateURL }},
	{name: "certificate_file", value: func(r *requestRow) string { return r.certificateFile() }},
	{name: "certificate_sha256", value: func(r *requestRow) string { return r.Certificate.SHA256 }},
	{name: "certificate_fetched_at", value: func(r *requestRow) string { return model.At(r.Certificate.FetchedAt).UTC() }, cell: spreadsheet.Time},
}

func checkColumns() (columns []column[*requestRow]) {
	for i, check := range (Request{}).AllChecks() {
		columns = append(columns, column[*requestRow]{name: checkPrefix + check.Name, value: func(r *requestRow) string { return string(r.checks[i].Result) }})
	}
	return columns
}

// rowsOf returns one row per serial number, or one row for a request without any.
func rowsOf(r Request, lacks string, showTaxIDs bool) [][]string {
	if r.LeftOut != "" {
		return nil
	}
	row := &requestRow{Request: r, lacks: lacks, checks: r.AllChecks(), journaled: retirement.NewJournaled(r.Retirement.ID, r.Calls)}
	row.Observations = slices.DeleteFunc(slices.Clone(r.Observations), func(o retirement.Observation) bool { return !o.Shows(r.Retirement) })
	if !showTaxIDs {
		row.Retirement.Items = slices.Clone(r.Retirement.Items)
		for i := range row.Retirement.Items {
			item := &row.Retirement.Items[i]
			item.RetireeTaxID = retirement.MaskTaxID(item.RetireeTaxID)
		}
	}
	shared := valuesOf(columns, row)
	rows := [][]string{shared}
	for i, text := range r.Retirement.SerialNumbers {
		if i > 0 {
			rows = append(rows, slices.Clone(shared))
		}
		row.text = text
		row.serial, _ = retirement.ParseSerial(text)
		for c, column := range columns {
			if column.ofSerial {
				rows[i][c] = column.value(row)
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

func ofSerial(value func(retirement.Serial) int64) func(*requestRow) string {
	return func(r *requestRow) string {
		if r.serial == (retirement.Serial{}) {
			return ""
		}
		return strconv.FormatInt(value(r.serial), 10)
	}
}

// namedCalls limits the calls that a row names. The manifest has all.
const namedCalls = 50

func ofCalls(value func(id string, c retirement.JournalEntry) string) func(*requestRow) string {
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

func gramsIn(id string, c retirement.JournalEntry) string {
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
	return r.Facts.Serial(a, model.VintageKey{ProjectID: r.Retirement.ProjectID, VintageID: r.Retirement.VintageID}, r.serial)
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

func (r *requestRow) year() string {
	if year := r.Project.Year(r.Retirement.VintageID); year != 0 {
		return strconv.Itoa(year)
	}
	return ""
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

var callColumns = []column[retirement.JournalEntry]{
	{name: "external_id", value: func(c retirement.JournalEntry) string { return c.ExternalID }},
	{name: "batch", value: func(c retirement.JournalEntry) string { return c.Batch }},
	{name: "reference", value: func(c retirement.JournalEntry) string { return c.Reference }},
	{name: "state", value: func(c retirement.JournalEntry) string { return c.State }},
	{name: "retirement_request_id", value: func(c retirement.JournalEntry) string { return c.RequestID }},
	{name: "grams_by_request", value: gramsByRequest},
	{name: "vintage_id", value: func(c retirement.JournalEntry) string { return c.Call.VintageID }},
	{name: "quantity_grams", value: func(c retirement.JournalEntry) string { return c.Call.Quantity.String() }},
	{name: "from_inventory_grams", value: func(c retirement.JournalEntry) string { return c.Call.FromInventory.String() }},
	{name: "bought_tonnes", value: func(c retirement.JournalEntry) string { return strconv.FormatInt(c.Call.BuyTonnes, 10) }},
	{name: "sell_order_id", value: func(c retirement.JournalEntry) string { return c.Call.SellOrderID }},
	{name: "price_cents", value: func(c retirement.JournalEntry) string {
		if !c.Call.Price.Known() {
			return ""
		}
		return c.Call.Price.String()
	}},
	{name: "cost_cents", value: func(c retirement.JournalEntry) string { return c.Call.Cost.String() }},
	{name: "retiree_name", value: func(c retirement.JournalEntry) string { return c.Call.Retiree.Name }},
	{name: "retiree_tax_id", value: func(c retirement.JournalEntry) string { return c.Call.Retiree.TaxID }},
	{name: "retiree_country", value: func(c retirement.JournalEntry) string { return c.Call.Retiree.Country }},
	{name: "retiree_id", value: func(c retirement.JournalEntry) string { return c.Call.Retiree.ID }},
	{name: "made_by", value: func(c retirement.JournalEntry) string { return c.MadeBy }},
	{name: "made_at", value: func(c retirement.JournalEntry) string { return model.At(c.MadeAt).UTC() }},
	{name: "tries", value: func(c retirement.JournalEntry) string { return strconv.Itoa(c.Tries) }},
	{name: "remark", value: func(c retirement.JournalEntry) string { return c.Remark }},
	{name: "body_sha256", value: func(c retirement.JournalEntry) string {
		sum := sha256.Sum256(c.Body)
		return hex.EncodeToString(sum[:])
	}},
}

func gramsByRequest(c retirement.JournalEntry) string {
	if c.Unclear {
		return "not known"
	}
	var parts []string
	for _, p := range c.Parts {
		parts = append(parts, cmp.Or(p.RequestID, "the next month's request")+": "+p.Quantity.String())
	}
	return strings.Join(parts, "; ")
}
