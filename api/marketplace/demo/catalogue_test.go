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
		if !slices.Contains(types, p.Type) {
			t.Errorf("%s is of the type %q", p.Name, p.Type)
		}
		for _, goal := range p.SDGs {
			if !slices.Contains(goals, goal) {
				t.Errorf("%s serves %q", p.Name, goal)
			}
		}
		for _, v := range p.Vintages {
			if page, err := url.Parse(v.RegistryURL); err != nil || page.Scheme != "https" || page.Host == "" {
				t.Errorf("%s %d has the page %q", p.Name, v.Year, v.RegistryURL)
			}
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
			if !ok {
				t.Errorf("%s cannot be read", row.Text(0))
			}
			blocks = append(blocks, block{s.Registry, s.Start, s.End})
		})
		return nil
	}))
	if len(blocks) < 100 {
		t.Fatalf("%d serial numbers", len(blocks))
	}
	for i, a := range blocks {
		for _, b := range blocks[:i] {
			if a.registry == b.registry && a.start <= b.end && b.start <= a.end {
				t.Errorf("%+v and %+v overlap", a, b)
			}
		}
	}
}

func TestProjectsAreComplete(t *testing.T) {
	names, numbers := make(map[string]bool), make(map[string]bool)
	public := 0
	for _, p := range catalogue() {
		if names[p.Name] || numbers[p.Registry+p.Number] {
			t.Errorf("%s is listed twice", p.Name)
		}
		names[p.Name], numbers[p.Registry+p.Number] = true, true
		if low, high := p.band(); low <= 0 || high <= low {
			t.Errorf("%s trades from %v to %v", p.Name, low, high)
		}
		if p.About == "" || len(p.Country) != 2 || p.Type == "" || len(kinds[p.Type].sdgs) == 0 {
			t.Errorf("%s is not described: %+v", p.Name, p)
		}
		if !strings.Contains(strings.ToLower(p.description()), "synthetic") {
			t.Errorf("%s does not say what is synthetic", p.Name)
		}
		if p.Invented && p.url() != "" {
			t.Errorf("%s is invented and has a page in a registry", p.Name)
		}
		if !p.Invented {
			public++
		}
	}
	if public < 24 {
		t.Errorf("%d public projects", public)
	}
}

func TestRegistryPages(t *testing.T) {
	for _, test := range []struct{ number, url string }{
		{"1340", "https://registry.verra.org/app/projectDetail/VCS/1340"},
		{"11603", "https://registry.goldstandard.org/projects?q=gs11603"},
		{"1129", ""},
	} {
		for _, p := range catalogue() {
			if p.Number == test.number && p.url() != test.url {
				t.Errorf("%s: %q, want %q", p.Name, p.url(), test.url)
			}
		}
	}
}
