package audit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tonne/model"
	"tonne/model/modeltest"
	"tonne/model/must"
	"tonne/model/retirement"
	"tonne/model/statement"
)

func TestShareIsRoundedToOneDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		part, whole model.Grams
		want        string
	}{
		{4312e6, 132691e6, "3.2 %"}, {128379e6, 132691e6, "96.8 %"}, {100000e6, 132691e6, "75.4 %"},
		{1, 2000, "0.1 %"}, {1, 2001, "< 0.1 %"}, {1999, 2000, "> 99.9 %"}, {2000, 2000, "100.0 %"}, {0, 5, "0.0 %"}, {1, 3, "33.3 %"}, {2, 3, "66.7 %"},
		{1, 0, ""}, {3, 2, ""}, {-1, 2, ""},
	} {
		must.Equal(t, partOf(c.part, c.whole), c.want, c.part, c.whole)
	}
}

func TestStatementPDFHasPagesForEachPart(t *testing.T) {
	t.Parallel()
	many := func(requests, serials int) func(*statement.Source) {
		return func(of *statement.Source) {
			first := of.Requests[0]
			for n := range serials {
				first.SerialNumbers = append(first.SerialNumbers, fmt.Sprintf("ACR-FR-1-2025-2917-%d to %d", n*10, n*10+9))
			}
			of.Requests[0] = first
			for n := range requests {
				first.ID = fmt.Sprintf("more %d", n)
				of.Requests = append(of.Requests, first)
			}
		}
	}
	named := func(name string) func(*statement.Source) {
		return func(of *statement.Source) {
			of.Account = statement.Account{Tenant: name, Profile: name, Marketplace: name}
			of.Requests[0].Items[0].RetireeName, of.Requests[0].SerialNumbers = name, []string{name}
		}
	}
	for name, c := range map[string]struct {
		by          statement.Grouping
		change      func(*statement.Source)
		least, most int
	}{
		"projects":         {statement.PerMonth, named("a"), 3, 3},
		"beneficiaries":    {statement.PerBeneficiary, many(0, 0), 4, 4},
		"one beneficiary":  {statement.PerBeneficiary, func(of *statement.Source) { of.Beneficiary = "ANN" }, 2, 2},
		"many requests":    {statement.PerProject, many(500, 0), 30, 65},
		"many serials":     {statement.PerProject, many(0, 2000), 30, 50},
		"long name":        {statement.PerBeneficiary, named(strings.Repeat("long words ", 40)), 5, 6},
		"unbreakable name": {statement.PerBeneficiary, named(strings.Repeat("W", 255)), 5, 7},
		"other scripts":    {statement.PerBeneficiary, named("Ünïcode Ω Ж 界 \U0001F333 \xff"), 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := modeltest.YearOfTwo()
			of.By, of.Certificates = c.by, map[string]retirement.Certificate{of.Requests[0].ID: {Path: "/c/a.pdf", SHA256: strings.Repeat("a", 64)}}
			c.change(&of)
			s := must.Get(statement.New(of))
			file := must.Get(StatementPDF(of, s))
			again := must.Get(StatementPDF(of, s))
			must.Hold(t, bytes.Equal(again, file), "printing it again makes another file (")
			if n := bytes.Count(file, []byte("/Type /Page\n")); n < c.least || n > c.most {
				t.Errorf("%d pages", n)
			}
		})
	}
}
