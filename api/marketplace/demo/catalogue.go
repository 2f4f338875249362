package demo

import (
	"strconv"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// project is one project of the catalogue.
type project struct {
	Name string
	// Type is the kind of project, such as REDD+.
	Type string
	// Country is an ISO 3166-1 alpha-2 code.
	Country  string
	Registry string
	// Number is the project's number in the registry.
	Number string
	// About is one sentence on what the project does.
	About string
	// Premium says that its credits trade in the upper band of their type.
	Premium bool
	// Invented says that no such project exists.
	Invented bool
}

func (p project) description() string {
	if p.Invented {
		return "Synthetic project of a demonstration. " + p.About
	}
	return p.About + " Prices, sell orders and counterparties shown here are synthetic."
}

func (p project) url() string {
	switch {
	case p.Invented:
		return ""
	case p.Registry == exchange.Verra:
		return "https://registry.verra.org/app/projectDetail/VCS/" + p.Number
	case p.Registry == exchange.GoldStandard:
		return "https://registry.goldstandard.org/projects?q=gs" + p.Number
	}
	return ""
}

// vintageURL is the page of a vintage: the project's, or one that says by its
// name that there is none.
func (p project) vintageURL(year int) string {
	if page := p.url(); page != "" {
		return page + "#vintage-" + strconv.Itoa(year)
	}
	registry := strings.ReplaceAll(strings.ToLower(p.Registry), " ", "-")
	return "https://registry.example/" + registry + "/" + p.Number + "/" + strconv.Itoa(year)
}

const climate = "Climate Action"

var (
	power    = []string{"Clean Energy", "Economic Growth", climate}
	gas      = []string{"Clean Energy", "Sustainable Cities", climate}
	soil     = []string{"Zero Hunger", climate, "Life On Land"}
	forestry = []string{"No Poverty", "Water Benefit", climate, "Life On Land"}
)

// kinds are the types of projects: between which prices their credits trade, and
// the goals that they serve.
var kinds = map[string]struct {
	low, high model.PriceCents
	sdgs      []string
}{
	"Wind": {80, 300, power}, "Solar": {80, 300, power}, "Hydro": {80, 300, power}, "Geothermal": {80, 300, power},
	"Landfill Gas": {200, 600, gas}, "Biogas": {200, 600, gas},
	"Cookstoves":                 {300, 700, []string{"No Poverty", "Health and Well Being", "Gender Equality", "Clean Energy", climate}},
	"REDD+":                      {280, 900, forestry},
	"Improved Forest Management": {800, 1800, forestry},
	reforestation:                {1900, 2400, forestry},
	regenerative:                 {1200, 2800, soil},
	"Grasslands":                 {1200, 2800, soil},
	"Ozone Depleting Substances": {1500, 3000, []string{"Responsible Consumption and Production", climate}},
	"Mangroves":                  {1800, 3200, []string{climate, "Life Below Water", "Life On Land"}},
	"Biochar":                    {10_000, 20_000, soil},
}

func (p project) band() (low, high model.PriceCents) {
	if p.Type == "Cookstoves" && p.Premium {
		return 1500, 3900
	}
	return kinds[p.Type].low, kinds[p.Type].high
}
