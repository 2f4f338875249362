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

func (p project) band() (low, high model.PriceCents) {
	switch p.Type {
	case "Wind", "Solar", "Hydro", "Geothermal":
		return 80, 300
	case "Landfill Gas", "Biogas":
		return 200, 600
	case "Cookstoves":
		if p.Premium {
			return 1500, 3900
		}
		return 300, 700
	case "REDD+":
		return 280, 900
	case "Improved Forest Management":
		return 800, 1800
	case reforestation:
		return 1900, 2400
	case regenerative, "Grasslands":
		return 1200, 2800
	case "Ozone Depleting Substances":
		return 1500, 3000
	case "Mangroves":
		return 1800, 3200
	}
	return 10_000, 20_000
}

func (p project) sdgs() []string {
	const climate = "Climate Action"
	switch p.Type {
	case "Wind", "Solar", "Hydro", "Geothermal":
		return []string{"Clean Energy", "Economic Growth", climate}
	case "Landfill Gas", "Biogas":
		return []string{"Clean Energy", "Sustainable Cities", climate}
	case "Cookstoves":
		return []string{"No Poverty", "Health and Well Being", "Gender Equality", "Clean Energy", climate}
	case "Mangroves":
		return []string{climate, "Life Below Water", "Life On Land"}
	case "Ozone Depleting Substances":
		return []string{"Responsible Consumption and Production", climate}
	case "Biochar", regenerative, "Grasslands":
		return []string{"Zero Hunger", climate, "Life On Land"}
	}
	return []string{"No Poverty", "Water Benefit", climate, "Life On Land"}
}
