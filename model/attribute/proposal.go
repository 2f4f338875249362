package attribute

import (
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/retirement"
)

// Not every attribute can be told from what kind of project it is, and none for
// sure: a proposal is for a person to confirm, with the page that says so.
var (
	// removers are words in types that take carbon out of the air. Types that do some of
	// both are in neither list.
	removers = []string{"biochar", "afforestation", "reforestation", "direct air", "enhanced weathering", "biomass burial", "carbonated"}
	// reducers are words in types that keep carbon out of it.
	reducers = []string{
		"redd", "avoided", "wind", "solar", "hydro", "geothermal", "biogas", "landfill", "cookstove", "ozone", "refrigerant",
		"methane", "energy efficiency", "fuel switch", "water purification", "safe water",
	}
)

// Proposed returns the likely value of an attribute of a project, "" for none. It is no
// fact.
func Proposed(p model.Project, a Attribute) string {
	kind := strings.ToLower(p.Type)
	switch a {
	case Removal:
		names := func(word string) bool { return strings.Contains(kind, word) }
		removes, reduces := slices.ContainsFunc(removers, names), slices.ContainsFunc(reducers, names)
		switch {
		case removes && !reduces:
			return RemovesCarbon
		case reduces && !removes:
			return ReducesEmissions
		}
	case Methodology:
		switch registry, _ := retirement.RegistryNumber(p); {
		case registry == retirement.ART:
			return "TREES"
		case strings.Contains(strings.ToLower(p.RegistryName), "puro") && strings.Contains(kind, "biochar"):
			return "Puro Standard Biochar Methodology"
		}
	}
	return ""
}
