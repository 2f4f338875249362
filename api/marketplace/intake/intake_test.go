package intake

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/country"
	must "tonne/model/musttest"
)

var header = strings.Join(CatalogueColumns, ",") + "\n"

const (
	bale   = `,Bale Mountains,REDD+,ET,VERRA,https://registry.verra.org/app/projectDetail/VCS/1340,No Poverty; Climate Action,"A forest, kept.",`
	genn   = `,Genneia Wind,Wind,AR,VERRA,,,,`
	orders = "vintage_id,quantity_grams,price_cents,sell_order_id\n"
)

// wrongLines are the lines that an error names, each once.
func wrongLines(t *testing.T, err error) (lines []int) {
	t.Helper()
	var file *exchange.FileError
	must.Need(t, err == nil || errors.As(err, &file), err)
	if err != nil {
		for _, fault := range file.Faults {
			if !slices.Contains(lines, fault.Line) {
				lines = append(lines, fault.Line)
			}
			must.Hold(t, fault.Why != "" && wire.IsClean(fault.Why), "line", fault.Line, fault.Why)
		}
	}
	return lines
}

func TestReadCatalogueFromCSV(t *testing.T) {
	text := "\ufeff" + header + bale + ",2020,\r\n" + genn + "004wind,2019,https://registry.example/1\r\n" + bale + "004bale,2021,\r\n"
	got, err := ReadCatalogue(strings.NewReader(text))
	forest := model.Project{
		Name: "Bale Mountains", Type: "REDD+", Country: "ET", RegistryName: "VERRA",
		RegistryURL: "https://registry.verra.org/app/projectDetail/VCS/1340", SDGs: []string{"No Poverty", "Climate Action"}, Description: "A forest, kept.",
	}
	want := []exchange.CatalogueProject{
		{Line: 2, Project: forest, Vintages: []exchange.CatalogueVintage{
			{Line: 2, ProjectVintage: model.ProjectVintage{Year: 2020}}, {Line: 4, ProjectVintage: model.ProjectVintage{ID: "004bale", Year: 2021}},
		}},
		{Line: 3, Project: model.Project{Name: "Genneia Wind", Type: "Wind", Country: "AR", RegistryName: "VERRA"}, Vintages: []exchange.CatalogueVintage{
			{Line: 3, ProjectVintage: model.ProjectVintage{ID: "004wind", Year: 2019, RegistryURL: "https://registry.example/1"}},
		}},
	}
	must.Hold(t, err == nil && reflect.DeepEqual(got, want), "read", got, err, want)
}

func TestReadCatalogueFromJSON(t *testing.T) {
	text := `{"projects":[
	{"project_id":"003a","project_name":"A","type":"Wind","location":"AR","registry_name":"VERRA","registry_id":"005a","sdgs":["Clean Energy"],
	 "description":null,"vintages":[
		{"vintage_id":"004a","vintage_year":2020},
		{"vintage_year":2021,"registry_vintage_url":"https://registry.example/1"}]}
]}`
	got, err := ReadCatalogue(strings.NewReader(text))
	want := []exchange.CatalogueProject{{
		Line: 2, Project: model.Project{ID: "003a", Name: "A", Type: "Wind", Country: "AR", RegistryName: "VERRA", RegistryID: "005a", SDGs: []string{"Clean Energy"}},
		Vintages: []exchange.CatalogueVintage{
			{Line: 4, ProjectVintage: model.ProjectVintage{ID: "004a", Year: 2020}},
			{Line: 5, ProjectVintage: model.ProjectVintage{Year: 2021, RegistryURL: "https://registry.example/1"}},
		},
	}}
	must.Hold(t, err == nil && reflect.DeepEqual(got, want), "read", got, err, want)
}

func TestCatalogueErrorsNameEveryLine(t *testing.T) {
	project := func(members string) string { return "{\"projects\":[\n{" + members + "}\n]}" }
	const named = `"project_name":"A","type":"Wind","location":"AR","registry_name":"VERRA"`
	for name, test := range map[string]struct {
		text  string
		lines []int
	}{
		"nothing":                  {"", []int{1}},
		"no header":                {bale + ",2020,\n", []int{1}},
		"a column twice":           {"vintage_id,vintage_id\n", []int{1}},
		"semicolons":               {strings.ReplaceAll(header, ",", ";"), []int{1}},
		"a page of the web":        {"<!doctype html>\n<html></html>\n", []int{1}},
		"wrong UTF-8":              {header + bale + ",2020,\n,\xff\n,\xc3\x28\n", []int{3, 4}},
		"UTF-16":                   {"\xff\xfea\x00b\x00", []int{1}},
		"too few cells":            {header + "a,b\n" + bale + ",2020,\n" + "c\n", []int{2, 4}},
		"a quote that never ends":  {header + bale + ",2020,\n" + `,"Bale`, []int{3}},
		"a quote inside":           {header + `,Ba"le,REDD+,ET,VERRA,,,,,2020,` + "\n" + bale + ",2020,\n", []int{2}},
		"a newline in quotes":      {header + ",\"Bale\nMountains\",REDD+,ET,VERRA,,,,,2020,\n" + bale + ",1020,\n", []int{2, 4}},
		"a name that hides text":   {header + ",Bale\u202e,REDD+,ET,VERRA,,,,,2020,\n", []int{2}},
		"a name that was lost":     {header + ",Bale\ufffd,REDD+,ET,VERRA,,,,,2020,\n", []int{2}},
		"a name of blanks":         {header + ",  ,REDD+,ET,VERRA,,,,,2020,\n", []int{2}},
		"a name without an end":    {header + "," + strings.Repeat("a", 256) + ",REDD+,ET,VERRA,,,,,2020,\n", []int{2}},
		"no registry":              {header + ",Bale,REDD+,ET,,,,,,2020,\n", []int{2}},
		"a country that is none":   {header + ",Bale,REDD+,EU,VERRA,,,,,2020,\n,Genneia,Wind,ar,VERRA,,,,,2020,\n", []int{2, 3}},
		"an address that is none":  {header + ",Bale,REDD+,ET,VERRA,javascript:alert(1),,,,2020,\n", []int{2}},
		"a year that is none":      {header + genn + ",-1,\n" + genn + ",2020.5,\n" + genn + "004a,,\n" + genn + ",99999999999999999999,\n", []int{2, 3, 4, 5}},
		"an id with a comma":       {header + `"a,b"` + genn + ",2020,\n", []int{2}},
		"an id in two projects":    {header + "003a" + genn + "004a,2020,\n003b" + genn + "004a,2020,\n", []int{3}},
		"a project in two ways":    {header + "003a" + genn + ",2020,\n003a" + bale + ",2020,\n", []int{3}},
		"two of a vintage id":      {header + genn + "004a,2020,\n" + genn + "004a,2021,\n", []int{3}},
		"JSON that is cut off":     {`{"projects":[` + "\n{", []int{2}},
		"JSON that goes on":        {`{"projects":[]}` + "\n\n{}", []int{3}},
		"another JSON":             {"{\"items\":[]\n}", []int{1}},
		"a member that is unknown": {project(named + `,"methodology":"VM0009","vintages":[{"year":2020}]`), []int{2}},
		"one unknown member":       {project(named + `,"methodology":"VM0009","vintages":[{"vintage_year":2020}]`), []int{2}},
		"a member twice":           {project(named + `,"project_name":"B"`), []int{2}},
		"a text that is a number":  {project(`"project_name":1,"type":"Wind","location":"AR","registry_name":"VERRA"`), []int{2}},
		"a year that is a text":    {project(named + `,"vintages":["2020",` + "\n" + `{"vintage_year":"2020"}]`), []int{2, 3}},
		"projects that are none":   {`{"projects":{"a":[1,{"b":2}]}}`, []int{1}},
		"a goal with a semicolon":  {project(named + `,"sdgs":["No; Poverty"]`), []int{2}},
	} {
		_, err := ReadCatalogue(strings.NewReader(test.text))
		must.Equal(t, wrongLines(t, err), test.lines, name, err)
	}
}

func TestOrderErrorsNameEveryLine(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		lines []int
	}{
		"nothing wrong":          {orders + "004a,1000000,620,\n004a,2500000,621,006a\n", nil},
		"no column of ids":       {"price_cents,vintage_id,quantity_grams\n620,004a,1000000\n", nil},
		"a column too many":      {"vintage_id,quantity_grams,price_cents,seller\n", []int{1}},
		"a column too few":       {"vintage_id,quantity_grams\n", []int{1}},
		"less than a tonne":      {orders + "004a,999999,620,\n", []int{2}},
		"numbers that are none":  {orders + "004a,1e6,620,\n004a,-1,620,\n004a,1000000,0,\n004a,1000000,6.20,\n004a,9223372036854775808,1,\n", []int{2, 3, 4, 5, 6}},
		"more than can be paid":  {orders + "004a,9223372036854775807,9223372036854775807,\n", []int{2}},
		"no vintage":             {orders + ",1000000,620,\n", []int{2}},
		"an id that is no id":    {orders + "004a,1000000,620,006\"a\n004a,1000000,620,00/6\n", []int{2, 3}},
		"an id that is too long": {orders + "004a,1000000,620," + strings.Repeat("6", 65) + "\n", []int{2}},
		"a vintage in disguise":  {orders + "004a\u200b,1000000,620,\n", []int{2}},
		"many lines":             {orders + strings.Repeat("004a,1000000,620,\n", 2*MaxLines) + "004a,1,620,\n", []int{2*MaxLines + 2}},
		"text that is not UTF-8": {"\ufeff" + orders + "004a,1000000,620,\n004\xff,1000000,620,\n", []int{3}},
		"a quote without an end": {orders + "\"" + strings.Repeat("004a,1000000,620,\n", 1<<17), []int{0}},
		"nothing":                {"", []int{1}},
	} {
		_, err := CheckOrders(Orders(strings.NewReader(test.text)))
		must.Equal(t, wrongLines(t, err), test.lines, name, err)
	}
	_, err := ReadCatalogue(strings.NewReader(strings.Repeat("a", MaxFile+1)))
	must.Equal(t, wrongLines(t, err), []int{0}, "a file that is too large", err)
	const wrong = 5000
	count, err := CheckOrders(Orders(strings.NewReader(orders + strings.Repeat("004a,1,620,\n", wrong))))
	file, ok := errors.AsType[*exchange.FileError](err)
	must.Hold(t, count == wrong && ok && len(file.Faults)+file.More == wrong && file.More != 0, wrong, count, err)
}

func TestOrdersAreReadFromTheStart(t *testing.T) {
	file := Orders(strings.NewReader("\ufeffprice_cents,vintage_id,quantity_grams\n620,004a,1000000\n621,004b,2000000\n"))
	want := []exchange.OrderLine{{Line: 2, VintageID: "004a", Quantity: 1_000_000, Price: 620}, {Line: 3, VintageID: "004b", Quantity: 2_000_000, Price: 621}}
	for range 2 {
		var got []exchange.OrderLine
		for o, err := range file {
			must.Succeed(t, err)
			got = append(got, o)
		}
		must.Equal(t, got, want, "read")
	}
}

func anyCatalogue() *rapid.Generator[[]model.Project] {
	var countries []string
	for code := range country.All {
		countries = append(countries, code)
	}
	return rapid.Custom(func(t *rapid.T) []model.Project {
		projects := make([]model.Project, rapid.IntRange(0, 4).Draw(t, "projects"))
		text := rapid.StringMatching(`['=+@-]{0,3}[A-Za-z"',; éßЖ界]{0,12}[a-z]`)
		for i := range projects {
			projects[i] = model.Project{
				ID: fmt.Sprintf("003%d", i), Name: text.Draw(t, "name"), Type: text.Draw(t, "type"), Country: rapid.SampledFrom(countries).Draw(t, "country"),
				RegistryName: text.Draw(t, "registry"), Description: text.Draw(t, "description"),
			}
			if rapid.Bool().Draw(t, "goals") {
				projects[i].SDGs = []string{"No Poverty", "Life On Land"}
			}
			for j := range rapid.IntRange(0, 3).Draw(t, "vintages") {
				projects[i].Vintages = append(projects[i].Vintages, model.ProjectVintage{
					ID: fmt.Sprintf("004%d%d", i, j), Year: rapid.IntRange(firstYear, lastYear).Draw(t, "year"), RegistryURL: "https://registry.example/" + fmt.Sprint(j),
				})
			}
		}
		return projects
	})
}

// plain is a catalogue that was read, without its lines.
func plain(read []exchange.CatalogueProject) []model.Project {
	projects := make([]model.Project, 0, len(read))
	for _, p := range read {
		for _, v := range p.Vintages {
			p.Project.Vintages = append(p.Project.Vintages, v.ProjectVintage)
		}
		projects = append(projects, p.Project)
	}
	return projects
}

func TestCatalogueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyCatalogue().Draw(t, "catalogue")
		var sheet bytes.Buffer
		must.Succeed(t, WriteCatalogue(&sheet, want))
		for form, text := range map[string][]byte{"CSV": sheet.Bytes(), "JSON": wire.AppendProjects(nil, want)} {
			read, err := ReadCatalogue(bytes.NewReader(text))
			got := plain(read)
			must.Need(t, err == nil && reflect.DeepEqual(got, want), form, got, err, want, text)
		}
	})
}

func TestCatalogueCellsAreNotFormulas(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-1", "@a", "'=1", "''@a", "'a", "a'", "'", ""} {
		cell := guarded(text)
		must.Hold(t, unguarded(cell) == text && (cell == "" || strings.IndexByte(formula, cell[0]) < 0), text, cell,
			unguarded(cell))
	}
}

func FuzzReadCatalogue(f *testing.F) {
	for _, text := range []string{"", header + bale + ",2020,\n", `{"projects":[{"project_id":"a","vintages":[{}]}]}`, "{", "\ufeff{}", header + "\"\n\"", "{\"projects\":null}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := ReadCatalogue(bytes.NewReader(text))
		lines := bytes.Count(text, []byte("\n")) + 1
		for _, line := range wrongLines(t, err) {
			must.Hold(t, line >= 0 && line <= lines, "line", line, lines)
		}
		if err != nil {
			return
		}
		var sheet bytes.Buffer
		must.Succeed(t, WriteCatalogue(&sheet, plain(read)))
		_, err = ReadCatalogue(&sheet)
		must.Fail(t, err, nil, "what was read cannot be written and read again")
	})
}

func FuzzReadOrders(f *testing.F) {
	f.Add([]byte(orders + "004a,1000000,620,006a\n"))
	f.Add([]byte("\xef\xbb\xbf" + orders + "\"004\na\",1,2,3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for o, err := range Orders(bytes.NewReader(text)) {
			wrongLines(t, err)
			must.Hold(t, err != nil || o.Quantity >= model.GramsPerTonne && o.Price > 0 &&
				wire.IsClean(o.VintageID+o.SellOrderID), o)
		}
	})
}
