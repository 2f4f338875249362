package marketplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/file/tabular"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

const catalogueHeader = "project_id,project_name,type,country,registry_name,registry_project_url,sdgs,description,vintage_id,vintage_year,registry_vintage_url\n"

// bale is a row of a catalogue up to its vintage.
const bale = `003bale,Bale Mountains,REDD+,ET,VERRA,https://registry.verra.org/app/projectDetail/VCS/1340,Climate Action,"A forest, kept.",`

// tableOf reads a table without faults.
func tableOf(text string, s tabular.Spec) *tabular.Records {
	return must.Get(must.Get(tabular.Parse(text, "")).Records(s))
}

// importCatalogue imports the header and these rows.
func (d *fixture) importCatalogue(rows string) (exchange.CatalogueCounts, error) {
	d.Helper()
	projects := must.Get(intake.ReadCatalogue(tableOf(catalogueHeader+rows, intake.CatalogueSpec()),
		new(tabular.FaultsError)))
	return importProjects(d.Marketplace, projects)
}

// importOne is importCatalogue for rows that must fit.
func (d *fixture) importOne(rows string) {
	d.Helper()
	must.Succeed(d, must.Err(d.importCatalogue(rows)))
}

func importProjects(m *Marketplace, projects []exchange.CatalogueProject) (exchange.CatalogueCounts, error) {
	return Operate(context.Background(), m, "import", func(c *exchange.Change) exchange.CatalogueCounts {
		return exchange.ImportCatalogue(c, projects)
	})
}

func catalogue(t *testing.T, m *Marketplace) []model.Project {
	t.Helper()
	projects := must.Get(exchange.Read(t.Context(), m, exchange.AllProjects))
	return projects
}

// importOrders imports sell orders of a seller, as they are in a file.
func (d *fixture) importOrders(seller, rows string) ([]exchange.ImportedOrder, error) {
	return d.importLines(seller,
		intake.Orders(tableOf("vintage_id,quantity_grams,price_cents,sell_order_id\n"+rows, intake.OrderSpec())))
}

func (d *fixture) importLines(seller string, lines iter.Seq2[exchange.OrderLine, error]) (done []exchange.ImportedOrder,
	err error) {
	err = d.Change(func(c *exchange.Change) {
		exchange.ImportOrders(c, seller, lines, func(o exchange.ImportedOrder) { done = append(done, o) })
	})
	return done, err
}

// offer is importOrders for one row of the seller that must fit.
func (d *fixture) offer(row string) string {
	d.Helper()
	done, err := d.importOrders(sellerTenant, row+"\n")
	must.Need(d, err == nil && len(done) == 1, done, err)
	return done[0].Outcome
}

func (d *fixture) withdraw(id string) (order exchange.SellOrder, err error) {
	err = d.Change(func(c *exchange.Change) { order = exchange.WithdrawOrder(c, id) })
	return order, err
}

func (d *fixture) reprice(id string, price model.PriceCents) error {
	return d.Change(func(c *exchange.Change) { exchange.Reprice(c, id, price) })
}

// wantFault checks that an error names one line of a file.
func wantFault(t *testing.T, name string, err error, line int) {
	t.Helper()
	file, ok := errors.AsType[*exchange.FileError](err)
	must.Hold(t, ok && len(file.Faults) == 1 && file.Faults[0].Line == line, name, err, line)
}

func counts(added, changed, unchanged int) exchange.Counts {
	return exchange.Counts{Added: added, Changed: changed, Unchanged: unchanged}
}

func TestImportingACatalogueAgainChangesNothing(t *testing.T) {
	eachEngineIfLong(t, func(t *testing.T, d *fixture) {
		const rows = bale + "004b20,2020,\n" + bale +
			",2021,https://registry.example/2021\n,Genneia Wind,Wind,AR,VERRA,,,,,2019,\n"
		otherGoals := strings.NewReplacer("kept", "grown", "Climate Action", "No Poverty;Life On Land").Replace(bale)
		for _, step := range []struct {
			name, rows         string
			projects, vintages exchange.Counts
		}{
			{"a new file", rows, counts(2, 0, 0), counts(3, 0, 0)},
			{"the same file", rows, counts(0, 0, 2), counts(0, 0, 3)},
			{"in another order", ",Genneia Wind,Wind,AR,VERRA,,,,,2019,\n" + bale + "004b20,2020,\n", counts(0, 0, 2),
				counts(0, 0, 2)},
			{"another vintage", bale + ",2022,\n", counts(0, 0, 1), counts(1, 0, 0)},
			{"another address", bale + "004b20,2020,https://registry.example/2020\n", counts(0, 0, 1), counts(0, 1, 0)},
			{"another description", strings.ReplaceAll(bale, "kept", "grown") + "004b20,2020,https://registry.example/2020\n",
				counts(0, 1, 0), counts(0, 0, 1)},
			{"other goals", otherGoals + "004b20,2020,https://registry.example/2020\n", counts(0, 1, 0), counts(0, 0, 1)},
			{"another year without offers", ",Genneia Wind,Wind,AR,VERRA,,,,,2018,\n", counts(0, 0, 1), counts(1, 0, 0)},
		} {
			got, err := d.importCatalogue(step.rows)
			want := (exchange.CatalogueCounts{Projects: step.projects, Vintages: step.vintages})
			must.Hold(t, err == nil && got == want, step.name, got, err, want)
		}
		shown := must.Get(wire.DecodeProjects(d.Get("/api/projects?project_ids=003bale").Body.Bytes()))
		bale := shown[0]
		must.Hold(t, bale.Name == "Bale Mountains" && bale.Country == "ET" && len(bale.Vintages) == 3 &&
			reflect.DeepEqual(bale.SDGs, []string{"No Poverty", "Life On Land"}), "the interface shows", bale)
	})
}

func TestExportedCatalogueIsImportedUnchanged(t *testing.T) {
	t.Parallel()
	d := openDemo(t)
	want := catalogue(t, d.Marketplace)
	var sheet strings.Builder
	must.Succeed(t, intake.WriteCatalogue(&sheet, want))
	for form, text := range map[string]string{"CSV": sheet.String(), "JSON": string(wire.AppendProjects(nil, want))} {
		read, err := intake.ReadProjects(text)
		if form == "CSV" {
			read, err = intake.ReadCatalogue(tableOf(text, intake.CatalogueSpec()), new(tabular.FaultsError))
		}
		must.Need(t, err == nil, form, err)
		done, err := importProjects(d.Marketplace, read)
		must.Hold(t, err == nil && done.Projects == counts(0, 0, len(want)) &&
			done.Vintages.Added+done.Vintages.Changed <= 0, form, done, err)
		other := open(t, "", Options{})
		_, err = importProjects(other, read)
		must.Need(t, err == nil, form, err)
		got := catalogue(t, other)
		for i := range got {
			if form == "CSV" {
				got[i].RegistryID = want[i].RegistryID
			}
		}
		must.Equal(t, got, want, form)
	}
}

func TestInvalidCatalogueIsRejectedAsAWhole(t *testing.T) {
	eachEngineIfLong(t, func(t *testing.T, d *fixture) {
		d.importOne(bale + "004b20,2020,\n003twin,Twin,Wind,AR,VERRA,,,,,2020,\n003twin2,Twin,Wind,AR,VERRA,,,,,2020,\n" +
			"003two,Two,Wind,AR,VERRA,,,,004two1,2020,\n003two,Two,Wind,AR,VERRA,,,,004two2,2020,\n")
		d.offer("004b20,1000000,620,o1")
		before := catalogue(t, d.Marketplace)
		const good = "003new,New,Wind,AR,VERRA,,,,,2020,\n"
		for name, test := range map[string]struct {
			rows string
			line int
		}{
			"a vintage of another project":       {good + "003other,Other,Wind,AR,VERRA,,,,004b20,2020,\n", 3},
			"a name that two projects have":      {good + ",Twin,Wind,AR,VERRA,,,,,2021,\n", 3},
			"a year that two vintages have":      {good + ",Two,Wind,AR,VERRA,,,,,2020,\n", 3},
			"another year of an offered vintage": {good + bale + "004b20,2021,\n", 3},
			"a project with its id and without it": {good + bale + "004b20,2020,\n" + strings.TrimPrefix(bale, "003bale") +
				",2021,\n", 4},
			"a vintage with its id and without it": {good + bale + "004b20,2020,\n" + bale + ",2020,\n", 4},
		} {
			_, err := d.importCatalogue(test.rows)
			wantFault(t, name, err, test.line)
			must.Equal(t, catalogue(t, d.Marketplace), before, name)
		}
	})
}

func TestOffersOfASellerAreAccountedFor(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		v := d.Vintages[0]
		check := func(step string, wallet, imported, offered int64) {
			t.Helper()
			got := [3]int64{
				d.Number("SELECT coalesce(sum(quantity_grams), 0) FROM wallets WHERE tenant = $1", d.Seller),
				d.Number("SELECT coalesce(sum(quantity_grams), 0) FROM transfers WHERE type = 'TAKEN_IN'"),
				d.Number("SELECT coalesce(sum(quantity_grams), 0) FROM sell_orders WHERE state = 'LIVE'"),
			}
			must.Equal(t, got, [3]int64{wallet, imported, offered}, step)
			d.CheckBooks()
		}
		offer := func(grams, price int, want string) {
			t.Helper()
			must.Equal(t, d.offer(fmt.Sprintf("%s,%d,%d,o1", v.ID, grams, price)), want, grams)
		}
		offer(10_000_000, 620, exchange.LineAdded)
		check("a first import", 0, 10_000_000, 10_000_000)
		d.Buy("a", 2_500_000, "o1")
		check("a sale", 0, 10_000_000, 7_000_000)
		offer(10_000_000, 620, exchange.LineUnchanged)
		check("the same file after a sale", 0, 10_000_000, 7_000_000)
		offer(10_400_000, 630, exchange.LineChanged)
		check("a larger order imports whole tonnes", 600_000, 11_000_000, 7_400_000)
		offer(5_000_000, 630, exchange.LineChanged)
		check("a smaller order returns credits", 6_000_000, 11_000_000, 2_000_000)
		order, err := d.withdraw("o1")
		must.Hold(t, err == nil && order.Quantity == 2_000_000, "withdrawn", order, err)
		check("a withdrawn order returns all credits", 8_000_000, 11_000_000, 0)
		d.offer(v.ID + ",9000000,700,")
		check("a new order uses those first", 0, 12_000_000, 9_000_000)
	})
}

func TestInvalidOrdersAreRejectedAsAWhole(t *testing.T) {
	eachEngineIfLong(t, func(t *testing.T, d *fixture) {
		v, other := d.Vintages[0].ID, d.Vintages[1].ID
		for _, row := range []string{",3000000,620,live", ",3000000,620,gone", ",1500000,620,sold"} {
			d.offer(v + row)
		}
		must.Get(d.withdraw("gone"))
		d.Buy("live", 1_000_000, "live")
		d.Buy("sold", 1_000_000, "sold")
		const sum = "SELECT sum(quantity_grams) + count(*) FROM sell_orders"
		before := d.Number(sum)
		good := v + ",1000000,600,\n"
		for name, rows := range map[string]string{
			"no vintage":             good + "004nope,1000000,620,\n",
			"another vintage":        good + other + ",3000000,620,live\n",
			"a withdrawn order":      good + v + ",3000000,620,gone\n",
			"more than was sold":     good + v + ",2500000,620,sold\n",
			"less than was sold":     good + v + ",1000000,620,live\n",
			"a rest below one tonne": good + v + ",1999999,620,live\n",
			"an invalid line":        good + v + ",1,620,\n",
			"a new id twice":         strings.Repeat(v+",3000000,620,twice\n", 2),
			"a known id twice":       strings.Repeat(v+",3000000,620,live\n", 2),
		} {
			_, err := d.importOrders(sellerTenant, rows)
			wantFault(t, name, err, 3)
		}
		_, err := d.importOrders(ownTenant, v+",3000000,620,live\n")
		wantFault(t, "another seller's order", err, 2)
		interrupted := func(yield func(exchange.OrderLine, error) bool) {
			_ = yield(exchange.OrderLine{Line: 2, VintageID: v, Quantity: 1_000_000, Price: 600}, nil) &&
				yield(exchange.OrderLine{}, context.Canceled)
		}
		_, err = d.importLines(sellerTenant, interrupted)
		must.Fail(t, err, context.Canceled, "an interrupted import")
		_, err = d.importOrders("Nobody", good)
		must.Fail(t, err, exchange.ErrUnknownTenant, "an unknown seller")
		must.Equal(t, d.Number(sum), before, "an order was imported")
		must.Equal(t, d.offer(v+",1500000,620,sold"), exchange.LineUnchanged, "the same line of an order that is sold out")
	})
}

func TestOnlyLiveOrdersAreRepricedAndWithdrawn(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.Sell(d.Vintages[0], 5, 620)
	for _, step := range []struct {
		price model.PriceCents
		want  error
	}{{640, nil}, {1<<63 - 1, model.ErrOverflow}, {0, exchange.ErrPrice}} {
		must.Fail(t, d.reprice(order, step.price), step.want, step.price)
	}
	market, _ := d.Market("")
	must.Equal(t, market.Order(0).Price, 640, "the market shows", market.Order(0))
	_, err := d.withdraw(order)
	must.Fail(t, err, nil)
	for id, want := range map[string]error{order: exchange.ErrOrderEnded, "006nope": exchange.ErrUnknownOrder} {
		_, withdrawn := d.withdraw(id)
		repriced := d.reprice(id, 1)
		must.Hold(t, errors.Is(withdrawn, want) && errors.Is(repriced, want), id, withdrawn, repriced)
	}
	for state, want := range map[string]int{exchange.Live: 0, exchange.Withdrawn: 1, exchange.AnyState: 1} {
		orders, err := exchange.Read(t.Context(), d, func(tx exchange.Tx) []exchange.OfferedOrder {
			return exchange.Orders(tx, exchange.OrderFilter{Seller: sellerTenant, State: state})
		})
		must.Hold(t, err == nil && len(orders) == want, state, orders, err)
	}
}

func TestTenantIsNamedByItsRetirements(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	acme := exchange.Tenant{Retiree: exchange.Retiree{Name: "Acme Ltd", TaxID: "GB 1", Country: "GB"}, Role: "Accountant"}
	must.Succeed(t, d.CreateTenant(t.Context(), acme))
	must.Fail(t, d.CreateTenant(t.Context(), acme), exchange.ErrTenantExists, "a second of the name")
	// The role of a tenant is that of its new keys.
	for role, want := range map[string]int{"": 403, exchange.RoleAPIUser: 200} {
		key := must.Get(d.CreateKey(t.Context(), "Acme Ltd", role, ""))
		must.Equal(t, call(d.Marketplace, key.Secret, "GET", "/api/market", "").Code, want, "a key with the role", role)
		if want == 200 {
			d.Key = key.Secret
		}
	}
	order := d.Sell(d.Vintages[0], 10, 620)
	retiree := func(id string) exchange.Retiree {
		item := d.Retirement(id).Items[0]
		return exchange.Retiree{Name: item.RetireeName, TaxID: item.RetireeTaxID, Country: item.RetireeCountry}
	}
	first := d.Buy("a", 1_000_000, order)
	renamed := exchange.Retiree{Name: "Acme GmbH", Country: "DE"}
	edited, err := d.EditTenant(t.Context(), "Acme Ltd", func(t *exchange.Tenant) { t.Retiree = renamed })
	must.Hold(t, err == nil && edited.Retiree == renamed && edited.Role == "Accountant" && edited.ActiveKeys == 2,
		"edited to", edited, err)
	was, is := retiree(first), retiree(d.Buy("b", 1_000_000, order))
	must.Hold(t, was == acme.Retiree && is == renamed, "retirements of", was, is)
	for who, want := range map[string]error{"Nobody": exchange.ErrUnknownTenant, renamed.Name: exchange.ErrTenantExists} {
		_, err := d.EditTenant(t.Context(), who, func(t *exchange.Tenant) { t.Name = ownTenant })
		must.Fail(t, err, want, "renaming", who)
	}
}

func TestInvalidTenantsAreRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	before := d.Number("SELECT count(*) FROM tenants")
	broken := []exchange.Tenant{{}, {Retiree: exchange.Retiree{Name: " "}}}
	for _, country := range []string{"EU", "gb", "GBR", "UK", "ZZ", " "} {
		broken = append(broken, exchange.Tenant{Retiree: exchange.Retiree{Name: "A", Country: country}})
	}
	for _, text := range unfit {
		broken = append(broken, exchange.Tenant{Retiree: exchange.Retiree{Name: text}},
			exchange.Tenant{Retiree: exchange.Retiree{Name: "A", TaxID: text}},
			exchange.Tenant{Retiree: exchange.Retiree{Name: "A"}, Role: text})
	}
	for _, tenant := range broken {
		err := d.CreateTenant(t.Context(), tenant)
		_, ok := errors.AsType[*TextError](err)
		must.Hold(t, ok, tenant, err)
		edit := func(t *exchange.Tenant) { t.Retiree, t.Role = tenant.Retiree, cmp.Or(tenant.Role, t.Role) }
		_, err = d.EditTenant(t.Context(), ownTenant, edit)
		_, ok = errors.AsType[*TextError](err)
		must.Hold(t, ok, "an edit to", tenant, err)
	}
	after := d.Number("SELECT count(*) FROM tenants")
	must.Equal(t, after, before, after-before)
}

func TestWorkOfTheOperatorIsListed(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		order := d.Sell(d.Vintages[0], 100, 620)
		closed := d.Buy("w", 3_000_000, order)
		d.Clock.Set(testNow.Add(time.Hour))
		open := d.Buy("f", 1_250_000, order)
		list := func(filter exchange.WorkFilter) []exchange.Work {
			t.Helper()
			requests := must.Get(exchange.Read(t.Context(), d,
				func(tx exchange.Tx) []exchange.Work { return exchange.Requests(tx, filter) }))
			return requests
		}
		bills := func(filter exchange.BillFilter) []exchange.Bill {
			t.Helper()
			bills := must.Get(exchange.Read(t.Context(), d,
				func(tx exchange.Tx) []exchange.Bill { return exchange.Invoices(tx, filter) }))
			return bills
		}
		all, live := list(exchange.WorkFilter{}), bills(exchange.BillFilter{Open: true})
		must.Need(t, len(all) == 2 && all[0].ID == closed && all[1].ID == open, all)
		must.Need(t, len(live) == 1 && live[0].State == "LIVE" && live[0].Total == 5*620 &&
			live[0].Month == "2026-11" && live[0].Tenant == ownTenant, live)
		w := all[0]
		must.Hold(t, w.Status == retirement.Closed && w.Tenant == ownTenant && w.Year == 2021 &&
			w.Registry == exchange.Verra && len(w.Unsettled) == 1 && w.Unsettled[0] == live[0].ID && w.ClosedAt.Known() &&
			len(w.Retirees) == 1 && w.Retirees[0].Name == ownTenant, w)
		for name, test := range map[string]struct {
			filter exchange.WorkFilter
			want   int
		}{
			"a state":        {exchange.WorkFilter{State: "OPEN"}, 1},
			"another tenant": {exchange.WorkFilter{Tenant: otherTenant}, 0},
			"the tenant":     {exchange.WorkFilter{Tenant: ownTenant}, 2},
			"complete":       {exchange.WorkFilter{State: "COMPLETE"}, 0},
		} {
			got := list(test.filter)
			must.Equal(t, len(got), test.want, name, got)
		}
		d.Clock.Set(december)
		d.Buy("b", 1_000_000, order)
		issued := bills(exchange.BillFilter{Open: true})
		must.Need(t, len(issued) == 2 && issued[0].ID == live[0].ID && issued[0].State == "ISSUED" &&
			issued[1].State == "LIVE", "a month later", issued)
		must.Succeed(t, d.Settle(live[0].ID))
		got := list(exchange.WorkFilter{State: "IN_PROGRESS"})
		must.Hold(t, len(got) == 2 && got[0].ID == closed && len(got[0].Unsettled) == 0, "after the settlement", got)
		must.Succeed(t, d.Complete(closed))
		got = list(exchange.WorkFilter{})
		must.Hold(t, !slices.ContainsFunc(got, func(w exchange.Work) bool { return w.ID == closed }), "pending is", got)
		got = list(exchange.WorkFilter{State: exchange.AnyState})
		must.Hold(t, got[0].ID == closed && got[0].RetiredAt.Known(), "all are", got)
		unpaid, every := bills(exchange.BillFilter{Open: true}), bills(exchange.BillFilter{Tenant: ownTenant})
		must.Hold(t, slices.Equal(unpaid, issued[1:]) && len(every) == 2 && every[0].SettledAt.Known(), unpaid, every)
	})
}

func TestSerialNumbersOfTheRegistryMustFitTheRequest(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		must.Succeed(t,
			d.CompleteAs(t.Context(), d.InProgress("before", 5), exchange.Registered{Serials: []string{serial(101, 105)}}))
		id := d.InProgress("a", 40)
		for name, serials := range map[string][]string{
			"none, and no demo":       nil,
			"too few tonnes":          {serial(1, 39)},
			"too many":                {serial(1, 41)},
			"too many in all":         {serial(1, 40), serial(41, 41)},
			"a sum beyond counting":   {"X=9223372036854775807", "Y=9223372036854775807"},
			"one that overlaps":       {serial(1, 20), serial(20, 39)},
			"one in another writing":  {serial(1, 20), strings.ToLower(serial(1, 20))},
			"one that is there twice": {"ABC-1=20", "ABC-1=20"},
			"one that was retired":    {serial(70, 109)},
			"another project":         {strings.ReplaceAll(serial(1, 40), "-1340-", "-1341-")},
			"another vintage":         {strings.ReplaceAll(serial(1, 40), "2021", "2020")},
			"an unknown format":       {"ABC-1-40"},
			"tonnes that are none":    {"ABC-1-40=forty"},
			"other tonnes":            {serial(1, 40) + "=41"},
			"no number":               {"=40"},
			"text that hides":         {"ABC\u202e=40"},
		} {
			err := d.CompleteAs(t.Context(), id, exchange.Registered{Serials: serials})
			_, wrong := errors.AsType[*exchange.SerialError](err)
			_, text := errors.AsType[*TextError](err)
			must.Hold(t, wrong || text || errors.Is(err, exchange.ErrSerialsNeeded), name, err)
			r := d.Retirement(id)
			must.Need(t, r.Status == retirement.InProgress, name, r.Status)
		}
		all := []string{serial(1, 30), "ABC-9=8", serial(31, 32) + "=2"}
		must.Succeed(t, d.CompleteAs(t.Context(), id, exchange.Registered{Serials: all}))
		r := d.Retirement(id)
		must.Hold(t, r.Status == retirement.Complete &&
			fmt.Sprint(r.SerialNumbers) == fmt.Sprint([]string{serial(1, 30), "ABC-9", serial(31, 32)}), r)
		for id, want := range map[string]error{id: exchange.ErrNotInProgress, "00mnope": exchange.ErrUnknownRequest} {
			must.Fail(t, d.CompleteAs(t.Context(), id, exchange.Registered{}), want, id)
		}
		d.CheckBooks()
	})
}

// A registry without ranges prints the same batch for each retirement from it.
func TestTwoRequestsMayHaveTheSameUnreadSerial(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		for _, external := range []string{"a", "b"} {
			id := d.InProgress(external, 40)
			must.Succeed(t,
				d.CompleteAs(t.Context(), id, exchange.Registered{Serials: []string{"CDC_7_1_1_321_14_CO_1_1_2009=40"}}))
			must.Equal(t, d.Retirement(id).SerialNumbers, []string{"CDC_7_1_1_321_14_CO_1_1_2009"})
		}
	})
}
