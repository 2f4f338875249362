package demo

import (
	"strconv"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

type project struct {
	Name     string
	Type     string
	Country  string
	Registry string
	Number   string
	About    string
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

// Types that are named in more than one place.
const (
	reforestation = "Afforestation, Reforestation & Restoration"
	regenerative  = "Regenerative Agriculture"
)

// catalogue is all projects of the catalogue: first the public ones, then the
// invented ones.
var catalogue = [...]project{
	{Name: "Bale Mountains", Type: "REDD+", Country: "ET", Registry: exchange.Verra, Number: "1340", About: "Keeps the moist forest of the Bale eco-region standing together with the cooperatives that live in it."},
	{Name: "Selva de Urundel", Type: reforestation, Country: "AR", Registry: exchange.Verra, Number: "3739", About: "Restores native forest on worn-out land in the north of Argentina."},
	{Name: "Jutaituba", Type: "REDD+", Country: "BR", Registry: exchange.Verra, Number: "3590", About: "Avoids planned clearing of rainforest in the state of Pará."},
	{Name: "Kwamisa Community Forest", Type: reforestation, Country: "GH", Registry: exchange.Verra, Number: "3425", About: "Replants a degraded forest reserve with communities around it."},
	{Name: "Lumin/Eucapine Plantations", Type: reforestation, Country: "UY", Registry: exchange.Verra, Number: "960", About: "Grows long-lived plantations on land that was grazed before."},
	{Name: "Bateke Plateau", Type: reforestation, Country: "CG", Registry: exchange.Verra, Number: "2319", About: "Plants trees and savannah agroforestry on the sandy plateau north of Brazzaville."},
	{Name: "INFAPRO Sabah", Type: "Improved Forest Management", Country: "MY", Registry: exchange.Verra, Number: "672", About: "Rehabilitates rainforest that was logged, by planting and by cutting climbers."},
	{Name: "Boomitra Grassland", Type: "Grasslands", Country: "MX", Registry: exchange.Verra, Number: "2887", About: "Pays ranchers for grazing that builds carbon in the soil of northern Mexico."},
	{Name: "DelAgua Clean Cooking", Type: "Cookstoves", Country: "RW", Registry: exchange.Verra, Number: "4150", Premium: true, About: "Hands out efficient stoves to rural households in Rwanda."},
	{Name: "Cambodia Improved Cookstove", Type: "Cookstoves", Country: "KH", Registry: exchange.Verra, Number: "2925", About: "Supports local potters who build stoves that need less charcoal."},
	{Name: "Genneia Wind", Type: "Wind", Country: "AR", Registry: exchange.Verra, Number: "1987", About: "Feeds wind power from Patagonia into the national grid."},
	{Name: "Hong Phong 4", Type: "Solar", Country: "VN", Registry: exchange.Verra, Number: "1975", About: "Runs a solar plant on dry land in Binh Thuan province."},
	{Name: "Salto Pilão", Type: "Hydro", Country: "BR", Registry: exchange.Verra, Number: "513", About: "Generates power from the run of the river Itajaí-Açu."},
	{Name: "Ordu Landfill Gas", Type: "Landfill Gas", Country: "TR", Registry: exchange.Verra, Number: "4249", About: "Captures the gas of a landfill by the Black Sea and makes power of it."},
	{Name: "Tongxu Biogas", Type: "Biogas", Country: "CN", Registry: exchange.Verra, Number: "3005", About: "Digests manure of large farms and uses the gas."},
	{Name: "Efficient Clean Cooking VPA8", Type: "Cookstoves", Country: "KE", Registry: exchange.GoldStandard, Number: "11603", Premium: true, About: "Brings efficient stoves to households in Kenya."},
	{Name: "Cabo Leones", Type: "Wind", Country: "CL", Registry: exchange.GoldStandard, Number: "12065", About: "Feeds wind power from the coast of Atacama into the grid."},
	{Name: "BaumInvest", Type: reforestation, Country: "CR", Registry: exchange.GoldStandard, Number: "2913", About: "Turns pasture in the north of Costa Rica into mixed forest."},
	{Name: "National Biodigester Programme IV", Type: "Biogas", Country: "KH", Registry: exchange.GoldStandard, Number: "11138", About: "Helps small farms to build digesters and to cook with their gas."},
	{Name: "Muaralaboh", Type: "Geothermal", Country: "ID", Registry: exchange.GoldStandard, Number: "12112", About: "Makes power from the heat under West Sumatra."},
	{Name: "Tradewater Middle East 1", Type: "Ozone Depleting Substances", Country: "FR", Registry: exchange.ACR, Number: "1129", About: "Collects old refrigerants and destroys them before they leak."},
	{Name: "Anew Sylvania", Type: "Improved Forest Management", Country: "US", Registry: exchange.ACR, Number: "681", About: "Lets a managed forest grow older than it would have."},
	{Name: "Indigo US Project No. 1", Type: regenerative, Country: "US", Registry: exchange.CAR, Number: "1459", About: "Rewards farmers for cover crops and for ploughing less."},
	{Name: "Guyana", Type: "REDD+", Country: "GY", Registry: exchange.ART, Number: "102", About: "Rewards a whole country for keeping its forest."},
	{Name: "Biochar facility 577166", Type: "Biochar", Country: "FI", Registry: exchange.Puro, Number: "577166", About: "Turns wood residues into char that stays in the soil for centuries."},

	{Name: "Alder Bank Wind", Type: "Wind", Country: "IN", Registry: exchange.Verra, Number: "90001", Invented: true, About: "Wind power for a regional grid."},
	{Name: "Amber Coast Mangroves", Type: "Mangroves", Country: "SN", Registry: exchange.Verra, Number: "90002", Invented: true, About: "Mangroves replanted along a tidal river."},
	{Name: "Ashfield Landfill", Type: "Landfill Gas", Country: "BR", Registry: exchange.Verra, Number: "90003", Invented: true, About: "Gas of a city's landfill, burnt for power."},
	{Name: "Basalt Ridge Geothermal", Type: "Geothermal", Country: "KE", Registry: exchange.GoldStandard, Number: "90004", Invented: true, About: "Power from the heat of a rift valley."},
	{Name: "Blue Heron Biogas", Type: "Biogas", Country: "VN", Registry: exchange.GoldStandard, Number: "90005", Invented: true, About: "Household digesters on small pig farms."},
	{Name: "Bright Kitchen", Type: "Cookstoves", Country: "UG", Registry: exchange.GoldStandard, Number: "90006", Premium: true, Invented: true, About: "Stoves that halve the need for charcoal."},
	{Name: "Cedar Hollow Forest", Type: "Improved Forest Management", Country: "US", Registry: exchange.ACR, Number: "90007", Invented: true, About: "Longer rotations in a mixed hardwood forest."},
	{Name: "Clearwater Hydro", Type: "Hydro", Country: "PE", Registry: exchange.Verra, Number: "90008", Invented: true, About: "A run-of-river plant in the Andes."},
	{Name: "Copper Plain Solar", Type: "Solar", Country: "CL", Registry: exchange.GoldStandard, Number: "90009", Invented: true, About: "Solar power in a desert."},
	{Name: "Dry Creek Soils", Type: regenerative, Country: "US", Registry: exchange.CAR, Number: "90010", Invented: true, About: "Cover crops on dry farmland."},
	{Name: "Eastern Highlands Cookstoves", Type: "Cookstoves", Country: "ZW", Registry: exchange.Verra, Number: "90011", Invented: true, About: "Stoves for villages in the highlands."},
	{Name: "Elm Valley Wind", Type: "Wind", Country: "TR", Registry: exchange.GoldStandard, Number: "90012", Invented: true, About: "Wind power on an upland pasture."},
	{Name: "Fern Gully Reforestation", Type: reforestation, Country: "KE", Registry: exchange.GoldStandard, Number: "90013", Invented: true, About: "Native trees on smallholders' land."},
	{Name: "Green Lagoon Mangroves", Type: "Mangroves", Country: "ID", Registry: exchange.Verra, Number: "90014", Invented: true, About: "Mangroves on abandoned shrimp ponds."},
	{Name: "Grey Kestrel Wind", Type: "Wind", Country: "ZA", Registry: exchange.Verra, Number: "90015", Invented: true, About: "Wind power on a southern cape."},
	{Name: "Harbour City Landfill", Type: "Landfill Gas", Country: "CO", Registry: exchange.CAR, Number: "90016", Invented: true, About: "Gas of a coastal landfill, flared and used."},
	{Name: "Hazel Grove Biochar", Type: "Biochar", Country: "DE", Registry: exchange.Puro, Number: "900017", Invented: true, About: "Char from hazelnut shells."},
	{Name: "High Plateau Solar", Type: "Solar", Country: "BO", Registry: exchange.Verra, Number: "90018", Invented: true, About: "Solar power at four thousand metres."},
	{Name: "Iron Gate Hydro", Type: "Hydro", Country: "LA", Registry: exchange.Verra, Number: "90019", Invented: true, About: "A small dam with fish passages."},
	{Name: "Juniper Hills", Type: "REDD+", Country: "PE", Registry: exchange.Verra, Number: "90020", Invented: true, About: "A cloud forest kept by its communities."},
	{Name: "Kingfisher Wetlands", Type: "Mangroves", Country: "PK", Registry: exchange.Verra, Number: "90021", Invented: true, About: "Wetlands restored in a river delta."},
	{Name: "Lakeside Digesters", Type: "Biogas", Country: "RW", Registry: exchange.GoldStandard, Number: "90022", Invented: true, About: "Digesters for schools and farms by a lake."},
	{Name: "Lone Pine Forest", Type: "Improved Forest Management", Country: "CA", Registry: exchange.ACR, Number: "90023", Invented: true, About: "A pine forest that is cut later."},
	{Name: "Maple Run Refrigerants", Type: "Ozone Depleting Substances", Country: "US", Registry: exchange.ACR, Number: "90024", Invented: true, About: "Refrigerants taken back and destroyed."},
	{Name: "Mist Valley", Type: "REDD+", Country: "CO", Registry: exchange.Verra, Number: "90025", Invented: true, About: "A rainforest on the Pacific side of the Andes."},
	{Name: "Moonstone Biochar", Type: "Biochar", Country: "BO", Registry: exchange.Puro, Number: "900026", Invented: true, About: "Char from sawmill residues."},
	{Name: "North Fork Soils", Type: regenerative, Country: "AU", Registry: exchange.Verra, Number: "90027", Invented: true, About: "Rotational grazing on a large station."},
	{Name: "Oak Savannah", Type: reforestation, Country: "TZ", Registry: exchange.Verra, Number: "90028", Invented: true, About: "Trees on savannah farmland."},
	{Name: "Ochre Bay Solar", Type: "Solar", Country: "NA", Registry: exchange.GoldStandard, Number: "90029", Invented: true, About: "Solar power by an arid coast."},
	{Name: "Palm Shade Cookstoves", Type: "Cookstoves", Country: "MZ", Registry: exchange.Verra, Number: "90030", Invented: true, About: "Stoves for coastal villages."},
	{Name: "Quiet River Hydro", Type: "Hydro", Country: "GE", Registry: exchange.GoldStandard, Number: "90031", Invented: true, About: "Two small plants on one river."},
	{Name: "Red Soil Agroforestry", Type: reforestation, Country: "MG", Registry: exchange.GoldStandard, Number: "90032", Invented: true, About: "Fruit trees and vanilla under native shade."},
	{Name: "Silver Birch Forest", Type: "Improved Forest Management", Country: "US", Registry: exchange.CAR, Number: "90033", Invented: true, About: "A birch forest with a conservation easement."},
	{Name: "Stone Bridge Landfill", Type: "Landfill Gas", Country: "TH", Registry: exchange.Verra, Number: "90034", Invented: true, About: "Gas of a provincial landfill."},
	{Name: "Tall Grass Prairie", Type: "Grasslands", Country: "US", Registry: exchange.CAR, Number: "90035", Invented: true, About: "Prairie kept from the plough."},
	{Name: "Three Rivers", Type: "REDD+", Country: "CD", Registry: exchange.Verra, Number: "90036", Invented: true, About: "Swamp forest between three rivers."},
	{Name: "Upper Terraces Solar", Type: "Solar", Country: "IN", Registry: exchange.Verra, Number: "90037", Invented: true, About: "Solar pumps and a plant on terraces."},
	{Name: "Willow Creek Wind", Type: "Wind", Country: "MX", Registry: exchange.Verra, Number: "90038", Invented: true, About: "Wind power on an isthmus."},
	{Name: "Yellow Finch Wind", Type: "Wind", Country: "UY", Registry: exchange.GoldStandard, Number: "90039", Invented: true, About: "Wind power on grazing land."},
}
