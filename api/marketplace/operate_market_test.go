package marketplace

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
	"tonne/api/wire"
	"tonne/model"
)

const catalogueHeader = "project_id,project_name,type,country,registry_name,registry_project_url,sdgs,description,vintage_id,vintage_year,registry_vintage_url\n"

// bale is a row of a catalogue up to its vintage.
const bale = `003bale,Bale Mountains,REDD+,ET,VERRA,https://registry.verra.org/app/projectDetail/VCS/1340,Climate Action,"A forest, kept.",`

// importCatalogue imports the header and these rows.
func (d *fixture) importCatalogue(rows string) (exchange.CatalogueCounts, error) {
	d.t.Helper()
	projects, err := intake.ReadCatalogue(strings.NewReader(catalogueHeader + rows))
	if err != nil {
		d.t.Fatal(err)
	}
	return d.Marketplace.importCatalogue(projects)
}

func counts(added, changed, unchanged int) exchange.Counts {
	return exchange.Counts{Added: added, Changed: changed, Unchanged: unchanged}
}

func TestImportingACatalogueAgainChangesNothing(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	const rows = bale + "004b20,2020,\n" + bale + ",2021,https://registry.example/2021\n,Genneia Wind,Wind,AR,VERRA,,,,,2019,\n"
	for _, step := range []struct {
		name, rows         string
		projects, vintages exchange.Counts
	}{
		{"a new file", rows, counts(2, 0, 0), counts(3, 0, 0)},
		{"the same file", rows, counts(0, 0, 2), counts(0, 0, 3)},
		{"in another order", ",Genneia Wind,Wind,AR,VERRA,,,,,2019,\n" + bale + "004b20,2020,\n", counts(0, 0, 2), counts(0, 0, 2)},
		{"another vintage", bale + ",2022,\n", counts(0, 0, 1), counts(1, 0, 0)},
		{"another address", bale + "004b20,2020,https://registry.example/2020\n", counts(0, 0, 1), counts(0, 1, 0)},
		{"another description", strings.ReplaceAll(bale, "kept", "grown") + "004b20,2020,https://registry.example/2020\n", counts(0, 1, 0), counts(0, 0, 1)},
		{"other goals", strings.ReplaceAll(strings.ReplaceAll(bale, "kept", "grown"), "Climate Action", "No Poverty;Life On Land") + "004b20,2020,https://registry.example/2020\n",
			counts(0, 1, 0), counts(0, 0, 1)},
		{"another year without offers", ",Genneia Wind,Wind,AR,VERRA,,,,,2018,\n", counts(0, 0, 1), counts(1, 0, 0)},
	} {
		got, err := d.importCatalogue(step.rows)
		if want := (exchange.CatalogueCounts{Projects: step.projects, Vintages: step.vintages}); err != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v", step.name, got, err, want)
		}
	}
	bale := wireProjects(t, d, "?project_ids=003bale")[0]
	if bale.Name != "Bale Mountains" || bale.Country != "ET" || len(bale.Vintages) != 3 || !reflect.DeepEqual(bale.SDGs, []string{"No Poverty", "Life On Land"}) {
		t.Errorf("the interface shows %+v", bale)
	}
}

func wireProjects(t *testing.T, d *fixture, query string) []model.Project {
	t.Helper()
	projects, err := wire.DecodeProjects(d.get("/api/projects" + query).Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return projects
}

func TestAnExportedCatalogueIsImportedUnchanged(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	want, err := d.catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var sheet strings.Builder
	if err := intake.WriteCatalogue(&sheet, want); err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"CSV": sheet.String(), "JSON": string(wire.AppendProjects(nil, want))} {
		read, err := intake.ReadCatalogue(strings.NewReader(text))
		if err != nil {
			t.Fatal(form, err)
		}
		done, err := d.Marketplace.importCatalogue(read)
		if err != nil || done.Projects != counts(0, 0, len(want)) || done.Vintages.Added+done.Vintages.Changed > 0 {
			t.Errorf("%s: %+v, %v", form, done, err)
		}
		other := open(t, "", Options{})
		if _, err := other.importCatalogue(read); err != nil {
			t.Fatal(form, err)
		}
		got, err := other.catalogue()
		if form == "CSV" {
			for i := range got {
				got[i].RegistryID = want[i].RegistryID
			}
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another service has %.500v (%v)\nwant %.500v", form, got, err, want)
		}
	}
}

func TestInvalidCatalogueIsRejectedAsAWhole(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if _, err := d.importCatalogue(bale + "004b20,2020,\n003twin,Twin,Wind,AR,VERRA,,,,,2020,\n003twin2,Twin,Wind,AR,VERRA,,,,,2020,\n" +
		"003two,Two,Wind,AR,VERRA,,,,004two1,2020,\n003two,Two,Wind,AR,VERRA,,,,004two2,2020,\n"); err != nil {
		t.Fatal(err)
	}
	offer(t, d, sellerTenant, "004b20,1000000,620,o1\n")
	before, err := d.catalogue()
	if err != nil {
		t.Fatal(err)
	}
	const good = "003new,New,Wind,AR,VERRA,,,,,2020,\n"
	for name, test := range map[string]struct {
		rows string
		line int
	}{
		"a vintage of another project": {good + "003other,Other,Wind,AR,VERRA,,,,004b20,2020,\n", 3},
		"a name that two have":         {good + ",Twin,Wind,AR,VERRA,,,,,2021,\n", 3},
		"a year that two have":         {good + ",Two,Wind,AR,VERRA,,,,,2020,\n", 3},
		"a year that was offered":      {good + bale + "004b20,2021,\n", 3},
		"a project in two ways":        {good + bale + "004b20,2020,\n" + strings.TrimPrefix(bale, "003bale") + ",2021,\n", 4},
		"a vintage in two ways":        {good + bale + "004b20,2020,\n" + bale + ",2020,\n", 4},
	} {
		_, err := d.importCatalogue(test.rows)
		var file *exchange.FileError
		if !errors.As(err, &file) || len(file.Faults) != 1 || file.Faults[0].Line != test.line {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := d.catalogue(); err != nil || !reflect.DeepEqual(after, before) {
			t.Errorf("%s: something was taken in", name)
		}
	}
}

// offer imports sell orders, which must fit.
func offer(t *testing.T, d *fixture, seller, rows string) []exchange.ImportedOrder {
	t.Helper()
	done, err := tryOffer(d, seller, rows)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func tryOffer(d *fixture, seller, rows string) ([]exchange.ImportedOrder, error) {
	return d.Marketplace.importOrders(seller, intake.Orders(strings.NewReader("vintage_id,quantity_grams,price_cents,sell_order_id\n"+rows)))
}

func TestWhatASellerOffersIsAccountedFor(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v := d.vintages[0]
	check := func(step string, wallet, taken, left int64) {
		t.Helper()
		got := [3]int64{
			d.query("SELECT coalesce(sum(quantity_grams), 0) FROM wallets WHERE tenant = $1", d.seller),
			d.query("SELECT coalesce(sum(quantity_grams), 0) FROM transfers WHERE type = 'TAKEN_IN'"),
			d.query("SELECT coalesce(sum(quantity_grams), 0) FROM sell_orders WHERE state = 'LIVE'"),
		}
		if want := [3]int64{wallet, taken, left}; got != want {
			t.Errorf("%s: wallet, taken in, offered are %v, want %v", step, got, want)
		}
		checkBooks(t, d)
	}
	line := func(quantity, price int) string { return fmt.Sprintf("%s,%d,%d,o1\n", v.id, quantity, price) }
	offer(t, d, sellerTenant, line(10_000_000, 620))
	check("a first import", 0, 10_000_000, 10_000_000)
	d.retired(body{"vintage_id": v.id, "quantity_grams": "2500000", "external_id": "a", "sell_order_id": "o1", "expected_price_cents": "620"})
	check("a sale", 0, 10_000_000, 7_000_000)
	if done := offer(t, d, sellerTenant, line(10_000_000, 620)); done[0].Outcome != exchange.LineUnchanged {
		t.Errorf("the same file after a sale: %+v", done)
	}
	check("the same file after a sale", 0, 10_000_000, 7_000_000)
	if done := offer(t, d, sellerTenant, line(10_400_000, 630)); done[0].Outcome != exchange.LineChanged {
		t.Errorf("a larger order: %+v", done)
	}
	check("a larger order takes whole tonnes in", 600_000, 11_000_000, 7_400_000)
	offer(t, d, sellerTenant, line(5_000_000, 630))
	check("a smaller order gives back", 6_000_000, 11_000_000, 2_000_000)
	order, err := d.withdraw("o1")
	if err != nil || order.Quantity != 2_000_000 {
		t.Errorf("withdrawn %+v, %v", order, err)
	}
	check("a withdrawn order gives all back", 8_000_000, 11_000_000, 0)
	offer(t, d, sellerTenant, v.id+",9000000,700,\n")
	check("a new order uses that first", 0, 12_000_000, 9_000_000)
}

func TestInvalidOrdersAreRejectedAsAWhole(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v, other := d.vintages[0].id, d.vintages[1].id
	offer(t, d, sellerTenant, v+",3000000,620,live\n"+v+",3000000,620,gone\n"+v+",1500000,620,sold\n")
	if _, err := d.withdraw("gone"); err != nil {
		t.Fatal(err)
	}
	for _, order := range []string{"live", "sold"} {
		d.retired(body{"vintage_id": v, "quantity_grams": "1000000", "external_id": order, "sell_order_id": order, "expected_price_cents": "620"})
	}
	before := d.query("SELECT sum(quantity_grams) + count(*) FROM sell_orders")
	good := v + ",1000000,600,\n"
	for name, row := range map[string]string{
		"no vintage":             "004nope,1000000,620,\n",
		"another vintage":        other + ",3000000,620,live\n",
		"a withdrawn order":      v + ",3000000,620,gone\n",
		"more than was sold":     v + ",2500000,620,sold\n",
		"less than is sold":      v + ",1000000,620,live\n",
		"a rest below one tonne": v + ",1999999,620,live\n",
		"a line that is no line": v + ",1,620,\n",
	} {
		_, err := tryOffer(d, sellerTenant, good+row)
		var file *exchange.FileError
		if !errors.As(err, &file) || len(file.Faults) != 1 || file.Faults[0].Line != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, rows := range map[string]string{
		"a new id twice":     v + ",3000000,620,twice\n" + v + ",3000000,620,twice\n",
		"a present id twice": v + ",3000000,620,live\n" + v + ",3000000,620,live\n",
	} {
		_, err := tryOffer(d, sellerTenant, rows)
		var file *exchange.FileError
		if !errors.As(err, &file) || len(file.Faults) != 1 || file.Faults[0].Line != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
	interrupted := func(yield func(exchange.OrderLine, error) bool) {
		_ = yield(exchange.OrderLine{Line: 2, VintageID: v, Quantity: 1_000_000, Price: 600}, nil) && yield(exchange.OrderLine{}, context.Canceled)
	}
	if _, err := d.Marketplace.importOrders(sellerTenant, interrupted); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted import: %v", err)
	}
	var file *exchange.FileError
	if _, err := tryOffer(d, ownTenant, v+",3000000,620,live\n"); !errors.As(err, &file) {
		t.Errorf("another seller's order: %v", err)
	}
	if _, err := tryOffer(d, "Nobody", good); !errors.Is(err, exchange.ErrUnknownTenant) {
		t.Errorf("a seller that is no tenant: %v", err)
	}
	if after := d.query("SELECT sum(quantity_grams) + count(*) FROM sell_orders"); after != before {
		t.Error("something was taken in")
	}
	if done := offer(t, d, sellerTenant, v+",1500000,620,sold\n"); done[0].Outcome != exchange.LineUnchanged {
		t.Errorf("the same line of an order that is sold out: %+v", done)
	}
}

func TestOnlyLiveOrdersAreRepricedAndWithdrawn(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.sell(d.vintages[0], 5, 620)
	if err := d.reprice(order, 640); err != nil {
		t.Error(err)
	}
	if market, _ := d.market(""); market.Order(0).Price != 640 {
		t.Errorf("the market shows %+v", market.Order(0))
	}
	if err := d.reprice(order, 1<<63-1); !errors.Is(err, model.ErrOverflow) {
		t.Errorf("a price beyond any amount: %v", err)
	}
	if err := d.reprice(order, 0); !errors.Is(err, exchange.ErrPrice) {
		t.Errorf("no price: %v", err)
	}
	if _, err := d.withdraw(order); err != nil {
		t.Error(err)
	}
	for id, want := range map[string]error{order: exchange.ErrOrderEnded, "006nope": exchange.ErrUnknownOrder} {
		_, withdrawn := d.withdraw(id)
		if repriced := d.reprice(id, 1); !errors.Is(withdrawn, want) || !errors.Is(repriced, want) {
			t.Errorf("%s: %v, %v", id, withdrawn, repriced)
		}
	}
	for state, want := range map[string]int{exchange.Live: 0, exchange.Withdrawn: 1, exchange.AnyState: 1} {
		orders, err := exchange.Read(t.Context(), d, func(tx exchange.Tx) []exchange.OfferedOrder {
			return exchange.Orders(tx, exchange.OrderFilter{Seller: sellerTenant, State: state})
		})
		if err != nil || len(orders) != want {
			t.Errorf("%s: %+v, %v", state, orders, err)
		}
	}
}
