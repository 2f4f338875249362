package demo

import (
	_ "embed" // the catalogue
	"encoding/csv"
	"strconv"
	"strings"
	"sync"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

type project struct {
	Name, Type, Country, Registry, Number string
	// Premium reports that the credits trade in the upper part of the price range.
	Premium bool
	// Invented reports that no such project exists.
	Invented bool
	About    string
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

// kinds maps the types of projects to the price range of their credits, in cents per tonne,
// and to their SDGs.
var kinds = map[string]struct {
	low, high model.PriceCents
	sdgs      []string
}{
	"Wind": {80, 300, power}, "Solar": {80, 300, power}, "Hydro": {80, 300, power}, "Geothermal": {80, 300, power},
	"Landfill Gas": {200, 600, gas}, "Biogas": {200, 600, gas},
	"Cookstoves": {300, 700,
		[]string{"No Poverty", "Health and Well Being", "Gender Equality", "Clean Energy", climate}},
	"REDD+":                      {280, 900, forestry},
	"Improved Forest Management": {800, 1800, forestry},
	"Afforestation, Reforestation & Restoration": {1900, 2400, forestry},
	"Regenerative Agriculture":                   {1200, 2800, soil},
	"Grasslands":                                 {1200, 2800, soil},
	"Ozone Depleting Substances": {1500, 3000,
		[]string{"Responsible Consumption and Production", climate}},
	"Mangroves": {1800, 3200, []string{climate, "Life Below Water", "Life On Land"}},
	"Biochar":   {10_000, 20_000, soil},
}

func (p project) band() (low, high model.PriceCents) {
	if p.Type == "Cookstoves" && p.Premium {
		return 1500, 3900
	}
	return kinds[p.Type].low, kinds[p.Type].high
}

//go:embed catalogue.csv
var catalogueFile string

// catalogue returns all projects, the public ones first.
var catalogue = sync.OnceValue(func() []project {
	rows, err := csv.NewReader(strings.NewReader(catalogueFile)).ReadAll()
	if err != nil {
		panic(err)
	}
	projects := make([]project, len(rows)-1)
	for i, row := range rows[1:] {
		projects[i] = project{row[0], row[1], row[2], row[3], row[4], row[5] != "", row[6] != "", row[7]}
	}
	return projects
})
