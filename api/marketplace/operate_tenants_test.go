package marketplace

import (
	"cmp"
	"errors"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model/retirement"
)

func TestATenantIsWhatItsRetirementsSay(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	ctx := t.Context()
	acme := exchange.Tenant{Retiree: exchange.Retiree{Name: "Acme Ltd", TaxID: "GB 1", Country: "GB"}}
	if err := d.CreateTenant(ctx, acme); err != nil {
		t.Fatal(err)
	}
	if err := d.CreateTenant(ctx, acme); !errors.Is(err, exchange.ErrTenantExists) {
		t.Errorf("a second of the name: %v", err)
	}
	d.key = d.newKey("Acme Ltd", "")
	v := d.vintages[0].id
	order := d.sell(d.vintages[0], 10, 620)
	first := d.retired(body{"vintage_id": v, "quantity_grams": "1000000", "external_id": "a", "sell_order_id": order, "expected_price_cents": "620"})
	name, country := "Acme GmbH", "DE"
	edited, err := d.EditTenant(ctx, "Acme Ltd", func(t *exchange.Tenant) { t.Retiree = exchange.Retiree{Name: name, Country: country} })
	if want := (exchange.Retiree{Name: name, Country: country}); err != nil || edited.Retiree != want || edited.Role != exchange.RoleAPIUser {
		t.Errorf("edited to %+v, %v", edited, err)
	}
	second := d.retired(body{"vintage_id": v, "quantity_grams": "1000000", "external_id": "b", "sell_order_id": order, "expected_price_cents": "620"})
	for id, want := range map[string]exchange.Retiree{first: acme.Retiree, second: {Name: name, Country: country}} {
		item := d.lookup(id).Items[0]
		if got := (exchange.Retiree{Name: item.RetireeName, TaxID: item.RetireeTaxID, Country: item.RetireeCountry}); got != want {
			t.Errorf("the retirement says %+v, want %+v", got, want)
		}
	}
	taken := ownTenant
	for who, want := range map[string]error{"Nobody": exchange.ErrUnknownTenant, name: exchange.ErrTenantExists} {
		if _, err := d.EditTenant(ctx, who, func(t *exchange.Tenant) { t.Name = taken }); !errors.Is(err, want) {
			t.Errorf("renaming %s: %v, want %v", who, err, want)
		}
	}
}

func TestTheRoleOfATenantIsThatOfItsNewKeys(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if err := d.CreateTenant(t.Context(), exchange.Tenant{Retiree: exchange.Retiree{Name: "Books Ltd"}, Role: "Accountant"}); err != nil {
		t.Fatal(err)
	}
	for role, want := range map[string]int{"": 403, exchange.RoleAPIUser: 200} {
		if w := call(d.Marketplace, d.newKey("Books Ltd", role), "GET", "/api/market", ""); w.Code != want {
			t.Errorf("a key with the role %q is answered with %d, want %d", role, w.Code, want)
		}
	}
	tenants, err := exchange.Read(t.Context(), d, exchange.Tenants)
	if last := tenants[len(tenants)-1]; err != nil || last.Role != "Accountant" || last.ActiveKeys != 2 {
		t.Errorf("%+v, %v", last, err)
	}
}

func TestTenantsThatWouldNotBeShownAsTheyAreAreRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	before := d.query("SELECT count(*) FROM tenants")
	broken := []exchange.Tenant{{}, {Retiree: exchange.Retiree{Name: " "}}}
	for _, country := range []string{"EU", "gb", "GBR", "UK", "ZZ", " "} {
		broken = append(broken, exchange.Tenant{Retiree: exchange.Retiree{Name: "A", Country: country}})
	}
	for _, text := range unfit {
		broken = append(broken, exchange.Tenant{Retiree: exchange.Retiree{Name: text}},
			exchange.Tenant{Retiree: exchange.Retiree{Name: "A", TaxID: text}}, exchange.Tenant{Retiree: exchange.Retiree{Name: "A"}, Role: text})
	}
	for _, tenant := range broken {
		err := d.CreateTenant(t.Context(), tenant)
		var text *TextError
		if !errors.As(err, &text) {
			t.Errorf("%+v: %v", tenant, err)
		}
		edit := func(t *exchange.Tenant) { t.Retiree, t.Role = tenant.Retiree, cmp.Or(tenant.Role, t.Role) }
		if _, err := d.EditTenant(t.Context(), ownTenant, edit); !errors.As(err, &text) {
			t.Errorf("an edit to %+v: %v", tenant, err)
		}
	}
	if after := d.query("SELECT count(*) FROM tenants"); after != before {
		t.Errorf("%d tenants are new", after-before)
	}
}

func TestRequestsAreListedWithWhatTheyWaitFor(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	ctx := t.Context()
	order := d.sell(d.vintages[0], 100, 620)
	closed := d.retired(body{"vintage_id": d.vintages[0].id, "quantity_grams": "3000000", "external_id": "w", "sell_order_id": order, "expected_price_cents": "620"})
	d.clock.set(testNow.Add(time.Hour))
	open := d.fraction("f", 1_250_000, order)
	list := func(filter exchange.WorkFilter) []exchange.Work {
		t.Helper()
		requests, err := exchange.Read(ctx, d, func(tx exchange.Tx) []exchange.Work { return exchange.Requests(tx, filter) })
		if err != nil {
			t.Fatal(err)
		}
		return requests
	}
	all := list(exchange.WorkFilter{})
	if len(all) != 2 || all[0].ID != closed || all[1].ID != open {
		t.Fatalf("%+v", all)
	}
	w, bills := all[0], d.bills(exchange.BillFilter{Open: true})
	if w.Status != retirement.Closed || w.Tenant != ownTenant || w.Year != 2021 || w.Registry != exchange.Verra || len(w.Unsettled) != 1 ||
		w.Unsettled[0] != bills[0].ID || !w.ClosedAt.Known() || len(w.Retirees) != 1 || w.Retirees[0].Name != ownTenant {
		t.Errorf("%+v, invoices %+v", w, bills)
	}
	for name, test := range map[string]struct {
		filter exchange.WorkFilter
		want   int
	}{
		"a state":          {exchange.WorkFilter{State: "OPEN"}, 1},
		"another tenant":   {exchange.WorkFilter{Tenant: otherTenant}, 0},
		"the tenant":       {exchange.WorkFilter{Tenant: ownTenant}, 2},
		"what is complete": {exchange.WorkFilter{State: "COMPLETE"}, 0},
	} {
		if got := list(test.filter); len(got) != test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if err := d.settle(w.Unsettled[0]); err != nil {
		t.Fatal(err)
	}
	if got := list(exchange.WorkFilter{State: "IN_PROGRESS"}); len(got) != 1 || got[0].ID != closed || len(got[0].Unsettled) != 0 {
		t.Errorf("after the settlement %+v", got)
	}
	if err := d.CompleteRetirement(ctx, closed); err != nil {
		t.Fatal(err)
	}
	if got := list(exchange.WorkFilter{}); len(got) != 1 || got[0].ID != open {
		t.Errorf("what is left to do is %+v", got)
	}
	if got := list(exchange.WorkFilter{State: exchange.AnyState}); len(got) != 2 || !got[0].RetiredAt.Known() {
		t.Errorf("all are %+v", got)
	}
	if open, settled := d.bills(exchange.BillFilter{Open: true}), d.bills(exchange.BillFilter{Tenant: ownTenant}); len(open) != 0 || len(settled) != 1 || !settled[0].SettledAt.Known() {
		t.Errorf("open %+v, all %+v", open, settled)
	}
}

func (d *fixture) bills(filter exchange.BillFilter) []exchange.Bill {
	d.t.Helper()
	bills, err := d.invoices(filter)
	if err != nil {
		d.t.Fatal(err)
	}
	return bills
}
