package model

import (
	"cmp"
	"slices"
	"strings"
)

func (e *evidenceRow) value(a Attribute) string {
	if e.Facts == nil {
		return NotSupplied
	}
	var values []string
	for _, part := range e.parts(a) {
		if value := cmp.Or(part.Fact.Value, NotSupplied); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if len(values) > 1 {
		return "part of them: " + strings.Join(values, ", ")
	}
	return values[0]
}

func (e *evidenceRow) parts(a Attribute) []FactPart {
	return e.Facts.Serial(a, VintageKey{e.Retirement.ProjectID, e.Retirement.VintageID}, e.serial)
}

func (e *evidenceRow) labels() string {
	return "CCP: " + e.value(CCP) + "; CORSIA: " + e.value(CORSIA)
}

func (e *evidenceRow) sources() string {
	if e.Facts == nil {
		return ""
	}
	var sources []string
	for _, a := range Attributes() {
		for _, part := range e.parts(a) {
			if part.Fact.Value == "" {
				continue
			}
			source := string(a) + ": " + part.Fact.Source + " (" + part.Fact.Checked.Format("2006-01-02") + ")"
			if !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
	}
	return strings.Join(sources, "; ")
}

func userColumns() []evidenceColumn {
	of := func(a Attribute) func(*evidenceRow) string {
		return func(e *evidenceRow) string { return e.value(a) }
	}
	return []evidenceColumn{
		{name: "methodology", value: of(Methodology), ofSerial: true},
		{name: "ccp_corsia_labels", value: (*evidenceRow).labels, ofSerial: true},
		{name: "claim_period", value: func(*evidenceRow) string { return "" }},
		{name: "removal", value: of(Removal), ofSerial: true},
		{name: "article6", value: of(Article6), ofSerial: true},
		{name: "verifier", value: of(Verifier), ofSerial: true},
		{name: "attribute_sources", value: (*evidenceRow).sources, ofSerial: true},
	}
}
