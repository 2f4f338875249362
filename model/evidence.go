package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EvidenceSource is what a retirement's evidence is made of.
type EvidenceSource struct {
	Retirement Retirement
	// Project is the project it retires credits of, if it is known.
	Project      Project
	ProjectKnown bool
	Certificate  EvidenceCertificate
	// Findings are checks of more than the service's answer, by whoever made
	// them: CertificateOnFile, CertificateAgrees, SerialsRetiredOnce. What is
	// not among them could not be checked.
	Findings []Check
	// Facts are what the buyer knows of the credits; nil for none.
	Facts *BuyerFacts
	// Observations are what people saw in the registry: of the request, or of any.
	Observations []RegistryObservation
	// Calls are the calls of the journal that went into the request, in the
	// order in which they were prepared.
	Calls []JournalEntry
	// LeftOut says why the request, of which only the id is known, has no row
	// in the evidence; empty for one that has.
	LeftOut string
	// Lacks says what the file lacks that the rows stand in, as Lacks returns
	// it.
	Lacks string
}

// EvidenceCertificate is the certificate that was saved for a retirement. The
// zero value says that there is none.
type EvidenceCertificate struct {
	// File is the name of the file, SHA256 the hash of its content in
	// hexadecimal.
	File, SHA256 string
	FetchedAt    time.Time
}

// EvidenceRow is one row of audit evidence, a value for each column. Values
// are text that is exact and read by people: empty means that the service
// does not supply it.
type EvidenceRow []string

type evidenceColumn struct {
	name  string
	value func(*evidenceRow) string
	// ofSerial says that the value differs between the rows of a retirement.
	ofSerial bool
}

type evidenceRow struct {
	EvidenceSource
	showTaxIDs bool
	// checks are those of the columns, in their order.
	checks []Check
	// journaled is what the calls of the journal come to.
	journaled Journaled
	// text is the serial number; serial is what could be read of it.
	text   string
	serial Serial
}

func evidenceColumns() []evidenceColumn {
	return slices.Concat(requestColumns(), serialColumns(), itemColumns(), certificateColumns(), checkColumns(), userColumns(), doubtColumns(), sightingColumns(), callColumns(), costColumns())
}

func requestColumns() []evidenceColumn {
	return []evidenceColumn{
		{name: "retirement_request_id", value: func(e *evidenceRow) string { return e.Retirement.ID }},
		{name: "status", value: func(e *evidenceRow) string { return string(e.Retirement.Status) }},
		{name: "type", value: func(e *evidenceRow) string { return string(e.Retirement.Type) }},
		{name: "project_id", value: func(e *evidenceRow) string { return e.Retirement.ProjectID }},
		{name: "project_name", value: func(e *evidenceRow) string { return e.Project.Name }},
		{name: "project_type", value: func(e *evidenceRow) string { return e.Project.Type }},
		{name: "country", value: func(e *evidenceRow) string { return e.Project.Country }},
		{name: "registry", value: (*evidenceRow).registry, ofSerial: true},
		{name: "registry_project_id", value: (*evidenceRow).registryProject, ofSerial: true},
		{name: "registry_project_url", value: func(e *evidenceRow) string { return e.Project.RegistryURL }},
		{name: "vintage_id", value: func(e *evidenceRow) string { return e.Retirement.VintageID }},
		{name: "vintage_year", value: (*evidenceRow).year},
		{name: "total_quantity_grams", value: (*evidenceRow).total},
		{name: "created_at", value: func(e *evidenceRow) string { return e.Retirement.CreatedAt.UTC() }},
		{name: "retired_at", value: func(e *evidenceRow) string { return e.Retirement.RetiredAt.UTC() }},
	}
}

func serialColumns() []evidenceColumn {
	return []evidenceColumn{
		{name: "serial_number", value: func(e *evidenceRow) string { return e.text }, ofSerial: true},
		{name: "serial_start", value: func(e *evidenceRow) string { return e.ofSerial(e.serial.Start) }, ofSerial: true},
		{name: "serial_end", value: func(e *evidenceRow) string { return e.ofSerial(e.serial.End) }, ofSerial: true},
		{name: "serial_tonnes", value: func(e *evidenceRow) string { return e.ofSerial(e.serial.Tonnes) }, ofSerial: true},
	}
}

func itemColumns() []evidenceColumn {
	return []evidenceColumn{
		{name: "item_ids", value: ofItems(func(i RetirementItem) string { return i.ID })},
		{name: "beneficiary_name", value: ofItems(func(i RetirementItem) string { return i.RetireeName })},
		{name: "beneficiary_tax_id", value: (*evidenceRow).taxIDs},
		{name: "beneficiary_country", value: ofItems(func(i RetirementItem) string { return i.RetireeCountry })},
		{name: "invoice_ids", value: ofItems(func(i RetirementItem) string { return i.InvoiceID })},
		{name: "trade_ids", value: ofItems(func(i RetirementItem) string { return i.TradeID })},
	}
}

func certificateColumns() []evidenceColumn {
	return []evidenceColumn{
		{name: "certificate_url", value: func(e *evidenceRow) string { return e.Retirement.CertificateURL }},
		{name: "certificate_file", value: func(e *evidenceRow) string { return e.Certificate.File }},
		{name: "certificate_sha256", value: func(e *evidenceRow) string { return e.Certificate.SHA256 }},
		{name: "certificate_fetched_at", value: func(e *evidenceRow) string { return At(e.Certificate.FetchedAt).UTC() }},
	}
}

func checkColumns() []evidenceColumn {
	var columns []evidenceColumn
	for i, name := range slices.Concat(checkNames[:], findingNames[:]) {
		columns = append(columns, evidenceColumn{name: "check_" + name, value: func(e *evidenceRow) string { return string(e.checks[i].Result) }})
	}
	return columns
}

// EvidenceColumns returns the names of the columns of an EvidenceRow.
func EvidenceColumns() []string {
	var names []string
	for _, c := range evidenceColumns() {
		names = append(names, c.name)
	}
	return names
}

// Evidence returns the rows of a retirement: one for each serial number, or
// one without if there are none, and no row of one that was left out. What belongs to the whole request is
// repeated in each row. What differs between items is listed in the order of
// the items, separated by "; ". Tax ids are masked unless they are to be
// shown.
func Evidence(source EvidenceSource, showTaxIDs bool) []EvidenceRow {
	if source.LeftOut != "" {
		return nil
	}
	e := evidenceRow{EvidenceSource: source, showTaxIDs: showTaxIDs}
	e.checks, e.journaled = source.AllChecks(), NewJournaled(source.Retirement.ID, source.Calls)
	e.Observations = slices.DeleteFunc(slices.Clone(e.Observations), func(s RegistryObservation) bool { return !s.Shows(e.Retirement) })
	columns := evidenceColumns()
	shared := make(EvidenceRow, len(columns))
	for c, column := range columns {
		shared[c] = column.value(&e)
	}
	rows := []EvidenceRow{shared}
	for i, text := range e.Retirement.SerialNumbers {
		if i > 0 {
			rows = append(rows, slices.Clone(shared))
		}
		e.text = text
		e.serial, _ = ParseSerial(text)
		for c, column := range columns {
			if column.ofSerial {
				rows[i][c] = column.value(&e)
			}
		}
	}
	return rows
}

// MaskTaxID hides all but the last four characters of a tax id. One that has
// so few that four would give it away is hidden whole.
func MaskTaxID(id string) string {
	const hidden, shown = "•••••", 4
	characters := []rune(id)
	switch {
	case len(characters) == 0:
		return ""
	case len(characters) < 2*shown:
		return hidden
	}
	return hidden + string(characters[len(characters)-shown:])
}

func (e *evidenceRow) registry() string {
	registry, _ := e.Project.RegistryNumber()
	return cmp.Or(registry, e.Project.RegistryName, e.serial.Registry)
}

func (e *evidenceRow) registryProject() string {
	_, number := e.Project.RegistryNumber()
	return cmp.Or(number, e.serial.Project)
}

func (e *evidenceRow) ofSerial(n int64) string {
	if e.serial == (Serial{}) {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func (e *evidenceRow) taxIDs() string {
	return ofItems(func(i RetirementItem) string {
		if e.showTaxIDs {
			return i.RetireeTaxID
		}
		return MaskTaxID(i.RetireeTaxID)
	})(e)
}

func ofItems(value func(RetirementItem) string) func(*evidenceRow) string {
	return func(e *evidenceRow) string {
		values := make([]string, len(e.Retirement.Items))
		for i, item := range e.Retirement.Items {
			values[i] = value(item)
		}
		if same := slices.Compact(slices.Clone(values)); len(same) == 1 {
			return same[0]
		}
		return strings.Join(values, "; ")
	}
}

func (e *evidenceRow) year() string {
	if year := e.Project.Year(e.Retirement.VintageID); year != 0 {
		return strconv.Itoa(year)
	}
	return ""
}

func (e *evidenceRow) total() string {
	if !e.Retirement.TotalQuantity.Known() {
		return ""
	}
	return e.Retirement.TotalQuantity.String()
}
