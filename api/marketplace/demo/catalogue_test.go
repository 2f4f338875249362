package demo

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// types and goals are the words that services of the family use.
var (
	types = strings.Split("Afforestation, Reforestation & Restoration|Agricultural Methane Recovery|Avoided Deforestation|Biochar|"+
		"Bioenergy Carbon Capture & Storage|Biogas|Biomass|Boreholes|Brick Manufacturing|Carbonated Building Materials|Cement & Concrete|"+
		"Cookstoves|Direct Air Capture|Domestic Energy Efficiency|Domestic Fuel Efficiency - Biodigesters|Domestic Fuel Efficiency - Lighting|"+
		"Energy Efficiency|Enhanced Oil Recovery|Enhanced Weathering|Feed Additives|Fuel Switch|Fugitive Emissions|Geologically Stored|"+
		"Geothermal|Grasslands|Hydro|Improved Forest Management|Industrial Energy Efficiency|Irrigation|Landfill Gas|Mangroves|"+
		"Metal production|Methane Capture|N2O from Adipic Acid|N2O from Nitric Acid|Non-Oil Recycling|Oil Recycling|Other transport|"+
		"Ozone Depleting Substances|Peatlands|REDD+|Regenerative Agriculture|Renewables|Seagrass & Seaweeds|"+
		"Soil Amendment based on Carbon Storage Methodology|Solar|Sulphur Emissions|Synthetic Fuels|Waste Heat Recovery|Water|Water Filters|"+
		"Wetland Restoration|Wind|Wooden Building Materials|Woody Biomass Burial", "|")
	goals = strings.Split("No Poverty|Zero Hunger|Health and Well Being|Quality Education|Gender Equality|Water Benefit|Clean Energy|"+
		"Economic Growth|Infrastructure|Reduced Inequalities|Sustainable Cities|Responsible Consumption and Production|Climate Action|"+
		"Life Below Water|Life On Land|Peace and Justice|Partnerships for the Goals", "|")
)

func TestDemoUsesPublicVocabulary(t *testing.T) {
	m, _ := sharedDemo()
	projects := must.Get(exchange.Read(t.Context(), m, exchange.AllProjects))
	for _, p := range projects {
		must.Hold(t, slices.Contains(types, p.Type), p.Name, p.Type)
		for _, goal := range p.SDGs {
			must.Hold(t, slices.Contains(goals, goal), p.Name, goal)
		}
		for _, v := range p.Vintages {
			page, err := url.Parse(v.RegistryURL)
			must.Hold(t, err == nil && page.Scheme == "https" && page.Host != "", p.Name, v.Year, v.RegistryURL)
		}
	}
}

func TestSerialNumbersDoNotOverlap(t *testing.T) {
	m, _ := sharedDemo()
	type block struct {
		registry   string
		start, end int64
	}
	var blocks []block
	must.Succeed(t, m.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query("SELECT serial FROM serial_numbers", func(row exchange.Row) {
			s, ok := retirement.ParseSerial(row.Text(0))
			must.Hold(t, ok, row.Text(0))
			blocks = append(blocks, block{s.Registry, s.Start, s.End})
		})
		return nil
	}))
	must.Need(t, len(blocks) >= 100, len(blocks))
	for i, a := range blocks {
		for _, b := range blocks[:i] {
			must.Hold(t, a.registry != b.registry || a.start > b.end || b.start > a.end, a, b)
		}
	}
}

func TestProjectsAreComplete(t *testing.T) {
	names, numbers := make(map[string]bool), make(map[string]bool)
	public := 0
	for _, p := range catalogue() {
		must.Hold(t, !names[p.Name] && !numbers[p.Registry+p.Number], p.Name)
		names[p.Name], numbers[p.Registry+p.Number] = true, true
		low, high := p.band()
		must.Hold(t, low > 0 && high > low, p.Name, low, high)
		must.Hold(t, p.About != "" && len(p.Country) == 2 && p.Type != "" && len(kinds[p.Type].sdgs) != 0, p.Name, p)
		must.Hold(t, strings.Contains(strings.ToLower(p.description()), "synthetic"), p.Name)
		must.Hold(t, !p.Invented || p.url() == "", p.Name)
		if !p.Invented {
			public++
		}
	}
	must.Hold(t, public >= 24, public)
}

func TestRegistryPages(t *testing.T) {
	for _, test := range []struct{ number, url string }{
		{"1340", "https://registry.verra.org/app/projectDetail/VCS/1340"},
		{"11603", "https://registry.goldstandard.org/projects?q=gs11603"},
		{"1129", ""},
	} {
		for _, p := range catalogue() {
			must.Hold(t, p.Number != test.number || p.url() == test.url, p.Name, p.url(), test.url)
		}
	}
}
