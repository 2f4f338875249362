package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/model/file/paper"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/statement"
)

func TestRetirementAndItsHashAreOnOnePage(t *testing.T) {
	t.Parallel()
	p := &statementPDF{report: newReport("statement", "2026", statement.Account{}, time.Unix(0, 0))}
	p.begin("Project")
	p.start(retiredTable)
	moved := 0
	for n := range 200 {
		serials := n % (mostKept - certificateLines)
		r := &retirement.Request{ID: fmt.Sprint(n), TotalQuantity: 1e6}
		for s := range serials {
			r.SerialNumbers = append(r.SerialNumbers, fmt.Sprintf("ACR-FR-1-2025-2917-%d to %d", s*10, s*10+9))
		}
		page, top := p.PDF.PageNo(), p.PDF.GetY()
		p.retirement(statement.Retirement{Request: r, Quantity: 1e6})
		height := p.PDF.GetY() - top
		if p.PDF.PageNo() > page {
			// The header of a page and the titles of the table end here.
			height = p.PDF.GetY() - 28 - paper.Line
			moved++
		}
		want := paper.Line + smallHeight*float64(max(serials, 1)+certificateLines) + 1.5
		must.Hold(t, height > want-0.01 && height < want+0.01, n, height, want)
	}
	must.Hold(t, moved > 50, moved)
}

func TestStatementNamesTheCompany(t *testing.T) {
	t.Parallel()
	rows := AccountRows(statement.Source{Account: statement.Account{
		Tenant: "acme", Company: statement.Company{Name: "Acme Ltd", TaxID: "GB1"}}})
	var names []string
	for _, row := range rows[1:] {
		names = append(names, strings.Join(row[:], ": "))
	}
	want := []string{"Tenant: acme", "Profile: none", "Marketplace: unknown", "Company: Acme Ltd", "Tax id: GB1"}
	must.Equal(t, names, want)
}
