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
	"tonne/model/file/tabular"
	must "tonne/model/musttest"
	"tonne/model/texttest"
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

// readRecords reads a table, or returns why it is refused.
func readRecords(text string, s tabular.Spec) (*tabular.Records, *tabular.FaultsError, error) {
	table, err := tabular.Parse(text, "")
	if err != nil {
		return nil, nil, err
	}
	r, err := table.Records(s)
	if faults, ok := errors.AsType[*tabular.FaultsError](err); ok {
		return r, faults, nil
	}
	return r, new(tabular.FaultsError), err
}

func readCatalogue(text string) ([]exchange.CatalogueProject, error) {
	projects, err := ReadProjects(text)
	if !errors.Is(err, ErrNotJSON) {
		return projects, err
	}
	r, faults, err := readRecords(text, CatalogueSpec())
	if err != nil {
		return nil, err
	}
	return ReadCatalogue(r, faults)
}

func checkOrders(text string) (int, error) {
	r, faults, err := readRecords(text, OrderSpec())
	if err != nil {
		return 0, err
	}
	return CheckOrders(Orders(r), faults)
}

func TestReadCatalogueFromCSV(t *testing.T) {
	text := "\ufeff" + header + bale + ",2020,\r\n" + genn + "004wind,2019,https://registry.example/1\r\n" + bale +
		"004bale,2021,\r\n"
	got, err := readCatalogue(text)
	forest := model.Project{
		Name: "Bale Mountains", Type: "REDD+", Country: "ET", RegistryName: "VERRA",
		RegistryURL: "https://registry.verra.org/app/projectDetail/VCS/1340", SDGs: []string{"No Poverty", "Climate Action"},
		Description: "A forest, kept.",
	}
	want := []exchange.CatalogueProject{
		{Line: 2, Project: forest, Vintages: []exchange.CatalogueVintage{
			{Line: 2, ProjectVintage: model.ProjectVintage{Year: 2020}},
			{Line: 4, ProjectVintage: model.ProjectVintage{ID: "004bale", Year: 2021}},
		}},
		{Line: 3, Project: model.Project{Name: "Genneia Wind", Type: "Wind", Country: "AR", RegistryName: "VERRA"},
			Vintages: []exchange.CatalogueVintage{
				{Line: 3, ProjectVintage: model.ProjectVintage{ID: "004wind", Year: 2019,
					RegistryURL: "https://registry.example/1"}},
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
	got, err := readCatalogue(text)
	want := []exchange.CatalogueProject{{
		Line: 2, Project: model.Project{ID: "003a", Name: "A", Type: "Wind", Country: "AR", RegistryName: "VERRA",
			RegistryID: "005a", SDGs: []string{"Clean Energy"}},
		Vintages: []exchange.CatalogueVintage{
			{Line: 4, ProjectVintage: model.ProjectVintage{ID: "004a", Year: 2020}},
			{Line: 5, ProjectVintage: model.ProjectVintage{Year: 2021, RegistryURL: "https://registry.example/1"}},
		},
	}}
	must.Hold(t, err == nil && reflect.DeepEqual(got, want), "read", got, err, want)
}

// wantLines reads files that a table describes, and checks which lines the errors name.
func wantLines(t *testing.T, table string, read func(text string) error) {
	words := strings.NewReplacer("$HEADER", header, "$BALE", bale, "$GENN", genn, "$ORDERS", orders, "$LONG",
		strings.Repeat("a", maxName+1),
		"$NAMED", `"project_name":"A","type":"Wind","location":"AR","registry_name":"VERRA"`)
	texttest.Table(t, table, func(text string) string {
		err := read(words.Replace(text))
		if columns, ok := errors.AsType[*tabular.ColumnsError](err); ok {
			return "columns: " + columns.What
		}
		if format, ok := errors.AsType[*tabular.FormatError](err); ok {
			return "file: " + format.Why
		}
		return strings.Trim(fmt.Sprint(wrongLines(t, err)), "[]")
	})
}

func TestCatalogueErrorsNameEveryLine(t *testing.T) {
	read := func(text string) error { return must.Err(readCatalogue(text)) }
	wantLines(t, "catalogues", read)
}

func TestOrderErrorsNameEveryLine(t *testing.T) {
	read := func(text string) error { return must.Err(checkOrders(text)) }
	wantLines(t, "orders", read)
	many := orders + strings.Repeat("004a,1000000,620,\n", 2*MaxLines) + "004a,1,620,\n"
	must.Equal(t, wrongLines(t, read(many)), []int{2*MaxLines + 2})
	endless := orders + "\"" + strings.Repeat("004a,1000000,620,\n", 1<<17)
	must.Equal(t, wrongLines(t, read(endless)), []int{2}, "a quote without an end")
	const wrong = 5000
	count, err := checkOrders(orders + strings.Repeat("004a,1,620,\n", wrong))
	file, ok := errors.AsType[*exchange.FileError](err)
	must.Hold(t, count == wrong && ok && len(file.Faults)+file.More == wrong && file.More != 0, wrong, count, err)
}

func TestOrdersAreReadTwice(t *testing.T) {
	r, _, err := readRecords("\ufeffprice_cents,vintage_id,quantity_grams\n620,004a,1000000\n621,004b,2000000\n",
		OrderSpec())
	must.Succeed(t, err)
	want := []exchange.OrderLine{{Line: 2, VintageID: "004a", Quantity: 1_000_000, Price: 620},
		{Line: 3, VintageID: "004b", Quantity: 2_000_000, Price: 621}}
	for range 2 {
		var got []exchange.OrderLine
		for o, err := range Orders(r) {
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
		text := rapid.StringMatching(`['=+@-]{0,3}[A-Za-z][A-Za-z"',; éßЖ界]{0,12}[a-z]`)
		for i := range projects {
			projects[i] = model.Project{
				ID: fmt.Sprintf("003%d", i), Name: text.Draw(t, "name"), Type: text.Draw(t, "type"),
				Country:      rapid.SampledFrom(countries).Draw(t, "country"),
				RegistryName: text.Draw(t, "registry"), Description: text.Draw(t, "description"),
			}
			if rapid.Bool().Draw(t, "goals") {
				projects[i].SDGs = []string{"No Poverty", "Life On Land"}
			}
			for j := range rapid.IntRange(0, 3).Draw(t, "vintages") {
				projects[i].Vintages = append(projects[i].Vintages, model.ProjectVintage{
					ID: fmt.Sprintf("004%d%d", i, j), Year: rapid.IntRange(firstYear, lastYear).Draw(t, "year"),
					RegistryURL: "https://registry.example/" + fmt.Sprint(j),
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
			read, err := readCatalogue(string(text))
			got := plain(read)
			must.Need(t, err == nil && reflect.DeepEqual(got, want), form, got, err, want, text)
		}
	})
}

func FuzzReadCatalogue(f *testing.F) {
	for _, text := range []string{"", header + bale + ",2020,\n", `{"projects":[{"project_id":"a","vintages":[{}]}]}`, "{",
		"\ufeff{}", header + "\"\n\"", "{\"projects\":null}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := readCatalogue(string(text))
		lines := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r")) + 1
		if errors.As(err, new(*tabular.ColumnsError)) || errors.As(err, new(*tabular.FormatError)) {
			return
		}
		for _, line := range wrongLines(t, err) {
			must.Hold(t, line >= 0 && line <= lines, "line", line, lines)
		}
		if err != nil {
			return
		}
		var sheet bytes.Buffer
		must.Succeed(t, WriteCatalogue(&sheet, plain(read)))
		_, err = readCatalogue(sheet.String())
		must.Fail(t, err, nil, "what was read cannot be written and read again")
	})
}

func FuzzReadOrders(f *testing.F) {
	f.Add([]byte(orders + "004a,1000000,620,006a\n"))
	f.Add([]byte("\xef\xbb\xbf" + orders + "\"004\na\",1,2,3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, _, err := readRecords(string(text), OrderSpec())
		if err != nil {
			return
		}
		for o, err := range Orders(r) {
			wrongLines(t, err)
			must.Hold(t, err != nil || o.Quantity >= model.GramsPerTonne && o.Price > 0 &&
				wire.IsClean(o.VintageID+o.SellOrderID), o)
		}
	})
}
