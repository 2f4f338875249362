package wire

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

func readMarket(t *testing.T, body string) *market.Market {
	t.Helper()
	part, _, err := DecodeMarket([]byte(body))
	must.Succeed(t, err)
	return market.New(part)
}

func TestMarketPageIsReadWhole(t *testing.T) {
	part, page, err := DecodeMarket([]byte(`{
		"projects": [
			{"project_id": "p1", "vintages": [
				{"vintage_id": "v1", "vintage_year": 2019, "sell_orders": [
					{"sell_order_id": "o1", "quantity_grams": "400000000", "price_cents": "620"},
					{"sell_order_id": "o2", "quantity_grams": "2500000", "price_cents": "615"}]},
				{"vintage_id": "v2", "vintage_year": 2020, "sell_orders": []}]},
			{"project_id": "p2", "vintages": []}],
		"pagination": {"per_page": 20, "total_pages": 5, "total_items": 100, "current_page": 1, "previous_page": 1, "next_page": 1}}`))
	must.Succeed(t, err)
	must.Equal(t, page, (model.Page{PerPage: 20, TotalPages: 5, TotalItems: 100, Current: 1}))
	m := market.New(part)
	must.Equal(t, fmt.Sprint(m.Projects(), m.Vintages(), m.Orders()), "2 2 2")
	v := m.Vintage(0)
	must.Hold(t, v.ID == "v1" && v.Year == 2019 && v.BestAsk == 615 && v.Available == 402_500_000, "vintage is", v)
	must.Equal(t, m.Order(1), (market.SellOrder{ID: "o2", Quantity: 2_500_000, Price: 615}))
}

func TestMembersMayComeInAnyOrder(t *testing.T) {
	m := readMarket(t, `{`+pagination+`,"projects":[
		{"vintages":[
			{"sell_orders":[{"price_cents":"2","quantity_grams":"1000000","sell_order_id":"o1"}],"vintage_year":2019,"vintage_id":"v1"},
			{"sell_orders":[{"quantity_grams":"3000000","sell_order_id":"o2","price_cents":"4"}],"vintage_id":"v2","vintage_year":2020}],
		 "project_id":"p1"}]}`)
	for i, want := range []struct {
		key   model.VintageKey
		order market.SellOrder
	}{
		{model.VintageKey{ProjectID: "p1", VintageID: "v1"}, market.SellOrder{ID: "o1", Quantity: 1_000_000, Price: 2}},
		{model.VintageKey{ProjectID: "p1", VintageID: "v2"}, market.SellOrder{ID: "o2", Quantity: 3_000_000, Price: 4}},
	} {
		if m.Key(i) != want.key || m.Order(int(m.Vintage(i).First)) != want.order {
			t.Errorf("vintage %d is %v with %v", i, m.Key(i), m.Order(int(m.Vintage(i).First)))
		}
	}
}

func TestEscapedMemberNameMeansTheSame(t *testing.T) {
	body := strings.Replace(decoders["market"].good, "price_cents", `price\u005fcents`, 1)
	must.Equal(t, readMarket(t, body).Order(0).Price, 2)
}

// badNumbers are values that are no wire numbers, with what is said of them.
var badNumbers = map[string]string{
	`"9223372036854775808"`:     "is out of range",
	`"99999999999999999999999"`: "is out of range",
	`"+5"`:                      "is not a string of digits",
	`"1e6"`:                     "is not a string of digits",
	`"-1"`:                      "is not a string of digits",
	`""`:                        "is not a string of digits",
	`" 1"`:                      "is not a string of digits",
	`"1.5"`:                     "is not a string of digits",
	`"١"`:                       "is not a string of digits",
	`"1\u0000"`:                 "is not a string of digits",
	`1.5`:                       "is not a string of digits",
	`1.0`:                       "is not a string of digits",
	`1e6`:                       "is not a string of digits",
	`-1`:                        "is not a string of digits",
	`9223372036854775808`:       "is out of range",
	`null`:                      "is not a string of digits",
	`true`:                      "is not a string of digits",
	`{"grams":"1"}`:             "is not a string of digits",
	`["1"]`:                     "is not a string of digits",
}

func TestNumberThatCannotBeReadIsAFaultAndThePageLives(t *testing.T) {
	for value, reason := range badNumbers {
		m := readMarket(t, `{"projects":[{"project_id":"p","vintages":[{"vintage_id":"v","vintage_year":2019,"sell_orders":[
			{"sell_order_id":"o1","quantity_grams":`+value+`,"price_cents":"100"},
			{"sell_order_id":"o2","quantity_grams":"1000000","price_cents":`+value+`},
			{"sell_order_id":"o3","quantity_grams":"1000000","price_cents":"300"}]}]}],`+pagination+`}`)
		want := []model.Fault{
			{Path: "projects[0].vintages[0].sell_orders[0].quantity_grams", Reason: reason},
			{Path: "projects[0].vintages[0].sell_orders[1].price_cents", Reason: reason},
		}
		must.Equal(t, m.Faults(), want, value)
		q, p := m.Order(0).Quantity, m.Order(1).Price
		must.Hold(t, q == model.UnknownGrams && p == model.UnknownPrice, value, q, p)
		v := m.Vintage(0)
		must.Hold(t, v.BestAsk == 300 && v.Asks() == 3, value, v)
	}
}

func TestLargeNumbersAreExact(t *testing.T) {
	for sent, want := range map[string]string{
		`"0"`: "0", `"9007199254740993"`: "9007199254740993", `"9223372036854775807"`: "9223372036854775807", `"0001"`: "1",
		`0`: "0", `9007199254740993`: "9007199254740993", `9223372036854775807`: "9223372036854775807", `"\u0037"`: "7",
	} {
		body := strings.NewReplacer(`"quantity_grams":"1"`, `"quantity_grams":`+sent, `"price_cents":"2"`, `"price_cents":`+sent).Replace(decoders["market"].good)
		m := readMarket(t, body)
		if o := m.Order(0); o.Quantity.String() != want || strconv.FormatInt(int64(o.Price), 10) != want || len(m.Faults()) > 0 {
			t.Errorf("%s is read as %+v with %v", sent, o, m.Faults())
		}
	}
}

func TestYearThatCannotBeReadIsAFault(t *testing.T) {
	for _, year := range []string{`"20 19"`, `"-1"`, `2019.5`, `2e3`, `-1`, `10000`, `null`, `[]`} {
		m := readMarket(t, strings.Replace(decoders["market"].good, `:2019`, `:`+year, 1))
		want := []model.Fault{{Path: "projects[0].vintages[0].vintage_year", Reason: "is not a year"}}
		must.Hold(t, m.Vintage(0).Year == 0 && slices.Equal(m.Faults(), want), year, m.Vintage(0).Year, m.Faults())
	}
}

func TestUnknownMembersAreKept(t *testing.T) {
	m := readMarket(t, `{"projects":[{"rating":"AA","project_id":"p","vintages":[{"vintage_id":"v","vintage_year":2019,"labels":["CCP", 1],"sell_orders":[
		{"min_tonnes":5,"sell_order_id":"o","quantity_grams":"1","price_cents":"2","seller":null}]}]}],`+pagination+`}`)
	for id, want := range map[string][]model.Field{
		"p": {{Name: "rating", Value: "AA"}},
		"v": {{Name: "labels", Value: `["CCP", 1]`}},
		"o": {{Name: "min_tonnes", Value: "5"}, {Name: "seller", Value: "null"}},
	} {
		must.Equal(t, m.Extra(id), want, id)
	}
}

// The opposite of what the interface says: numbers where it has strings, and
// strings where it has numbers.
func TestIntegersMayBeNumbersOrStrings(t *testing.T) {
	part, page, err := DecodeMarket([]byte(`{"projects":[{"project_id":12345,"vintages":[{"vintage_id":9007199254740993,"vintage_year":"2019","sell_orders":[
		{"sell_order_id":18446744073709551616,"quantity_grams":1000000,"price_cents":620}]}]}],
		"pagination":{"per_page":"20","total_pages":"5","total_items":"100","current_page":"1"}}`))
	must.Succeed(t, err)
	m := market.New(part)
	got, want := fmt.Sprint(m.Key(0), m.Vintage(0).Year, m.Order(0), page), "{12345 9007199254740993} 2019 {18446744073709551616 1000000 620} {20 5 100 1}"
	must.Hold(t, got == want && len(m.Faults()) == 0, "read", got, m.Faults(), want)
}

// A market is read while the user types. The test leaves one
// processor to the program.
func TestOthersTakeTheirTurnWhileAMarketIsRead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const vintages = 10_000
	var listed []string
	for v := range vintages {
		listed = append(listed, fmt.Sprintf(`{"vintage_id":"v%d","vintage_year":2020,"sell_orders":[{"sell_order_id":"o%d","quantity_grams":"1000000","price_cents":"500"}]}`, v, v))
	}
	body := []byte(`{` + pagination + `,"projects":[{"project_id":"p","vintages":[` + strings.Join(listed, ",") + `]}]}`)
	var page *market.Page
	decoding := turnsBeside(func() {
		var err error
		if page, _, err = DecodeMarket(body); err != nil {
			t.Fatal(err)
		}
	})
	joining := turnsBeside(func() {
		must.Equal(t, market.New(page).Vintages(), vintages)
	})
	for work, turns := range map[string]int64{"decoded": decoding, "joined": joining} {
		must.Hold(t, turns >= vintages/200, "while", vintages, work, turns)
	}
}

// turnsBeside counts how often a goroutine that is always ready runs during a
// work.
func turnsBeside(work func()) int64 {
	var turns atomic.Int64
	var done atomic.Bool
	var others sync.WaitGroup
	others.Go(func() {
		for !done.Load() {
			turns.Add(1)
			runtime.Gosched()
		}
	})
	runtime.Gosched()
	before := turns.Load()
	work()
	taken := turns.Load() - before
	done.Store(true)
	others.Wait()
	return taken
}

func TestCompleteRetirementIsReadWhole(t *testing.T) {
	got, err := DecodeRetirement([]byte(`{
		"id": "r1", "status": "COMPLETE", "total_quantity": "5000000", "type": "WHOLE", "project_id": "p", "vintage_id": "v",
		"created_at": "2024-01-02T03:04:05Z", "retired_at": "9999-12-31T23:59:59Z",
		"retired_serial_numbers": ["GS1-1-KE-GS11603-16-2025-30256-110-114"],
		"acme_proof_of_retirement_certificate_url": "https://market.example/c.pdf",
		"should_retire_external_customer": true, "all_invoices_settled": false,
		"retirement_request_items": [
			{"id": "i1", "quantity": "3000000", "created_at": "2024-01-02T03:04:05Z", "retiree_name": "A", "retiree_tax_id": "T",
			 "retiree_country": "NL", "invoice_id": "inv", "trade_id": "tr", "note": "n"},
			{"id": "i2", "quantity": "2000000", "created_at": null, "retiree_name": null}],
		"ledger": {"page": 4}}`))
	must.Succeed(t, err)
	created := model.ParseTimestamp("2024-01-02T03:04:05Z")
	want := retirement.Request{
		ID: "r1", Status: retirement.Complete, TotalQuantity: 5_000_000, Type: retirement.Whole, ProjectID: "p", VintageID: "v",
		CreatedAt: created, RetiredAt: model.ParseTimestamp("9999-12-31T23:59:59Z"),
		SerialNumbers:    []string{"GS1-1-KE-GS11603-16-2025-30256-110-114"},
		CertificateURL:   "https://market.example/c.pdf",
		ExternalCustomer: model.Yes, AllInvoicesSettled: model.No,
		Items: []retirement.Item{
			{ID: "i1", Quantity: 3_000_000, CreatedAt: created, RetireeName: "A", RetireeTaxID: "T", RetireeCountry: "NL",
				InvoiceID: "inv", TradeID: "tr", Extra: []model.Field{{Name: "note", Value: "n"}}},
			{ID: "i2", Quantity: 2_000_000},
		},
		Extra: []model.Field{{Name: "ledger", Value: `{"page": 4}`}},
	}
	must.Equal(t, got, want)
}

// minimal is a request with the members that every request has, and more.
func minimal(more string) []byte {
	return []byte(`{"id":"r","status":"HELD","total_quantity":"0","type":"SOLD","project_id":null,"vintage_id":"v","created_at":"soon"` + more + `}`)
}

func TestRetirementMayLackWhatComesAtItsEnd(t *testing.T) {
	want := retirement.Request{
		ID: "r", Status: "HELD", Type: "SOLD", VintageID: "v", CreatedAt: model.Timestamp{Text: "soon"},
	}
	for _, more := range []string{"", `,"retired_at":null,"retired_serial_numbers":null,"x_proof_of_retirement_certificate_url":null,` +
		`"should_retire_external_customer":null,"all_invoices_settled":null,"retirement_request_items":null`} {
		must.Equal(t, must.Get(DecodeRetirement(minimal(more))), want)
	}
}

func TestOddMembersOfARetirementAreFaults(t *testing.T) {
	for more, path := range map[string]string{
		`,"all_invoices_settled":"yes"`:                        "all_invoices_settled",
		`,"retired_serial_numbers":"ONE"`:                      "retired_serial_numbers",
		`,"retired_serials":["A",7]`:                           "retired_serials[1]",
		`,"service_proof_of_retirement_certificate_url":false`: "service_proof_of_retirement_certificate_url",
		`,"retired_at":1700000000`:                             "retired_at",
		`,"retirement_request_items":[{"id":"i","quantity":1.5,"created_at":"2024-01-02"}]`: "retirement_request_items[0].quantity",
		`,"retirement_request_items":[{"id":"","quantity":"1","created_at":"2024-01-02"}]`:  "retirement_request_items[0].id",
	} {
		got, err := DecodeRetirement(minimal(more))
		must.Hold(t, err == nil && len(got.Faults) == 1 && got.Faults[0].Path == path, more, got.Faults, err)
	}
}

func TestSerialNumbersAreReadUnderBothNames(t *testing.T) {
	for _, name := range []string{"retired_serial_numbers", "retired_serials"} {
		got, err := DecodeRetirement(minimal(`,"` + name + `":["A","B"]`))
		if err != nil || !reflect.DeepEqual(got.SerialNumbers, []string{"A", "B"}) {
			t.Errorf("%s: serial numbers are %v (%v)", name, got.SerialNumbers, err)
		}
	}
}

func TestSecondCertificateIsKeptAsAnExtraMember(t *testing.T) {
	got, err := DecodeRetirement(minimal(`,"a_proof_of_retirement_certificate_url":null,"b_proof_of_retirement_certificate_url":"https://b","c_proof_of_retirement_certificate_url":"https://c"`))
	want := []model.Field{{Name: "c_proof_of_retirement_certificate_url", Value: "https://c"}}
	if err != nil || got.CertificateURL != "https://b" || !reflect.DeepEqual(got.Extra, want) {
		t.Errorf("certificate is %q, extra %v (%v)", got.CertificateURL, got.Extra, err)
	}
}

func TestNumbersInARetirementAreItsIDs(t *testing.T) {
	got, err := DecodeRetirement([]byte(`{"id":1,"status":"OPEN","total_quantity":20,"type":"WHOLE","project_id":2,"vintage_id":9007199254740993,
		"created_at":"2026-11-20T12:00:00Z","retired_serial_numbers":null,"retirement_request_items":[
		{"id":4,"quantity":9223372036854775807,"created_at":null,"retiree_tax_id":5,"invoice_id":6,"trade_id":7}]}`))
	want := retirement.Request{
		ID: "1", Status: retirement.Open, TotalQuantity: 20, Type: retirement.Whole, ProjectID: "2", VintageID: "9007199254740993", CreatedAt: model.ParseTimestamp("2026-11-20T12:00:00Z"),
		Items: []retirement.Item{{ID: "4", Quantity: 9223372036854775807, RetireeTaxID: "5", InvoiceID: "6", TradeID: "7"}},
	}
	must.Hold(t, err == nil && reflect.DeepEqual(got, want), "read", got, err, want)
	must.Equal(t, len(must.Get(DecodeRetirement(minimal(`,"retirement_request_items":[{"id":"i","quantity":"1","created_at":null,"invoice_id":1.5}]`))).Faults), 1)
}

func TestInventoryPageIsReadWhole(t *testing.T) {
	inv, page, err := DecodeInventory([]byte(`{
		"pagination": {"current_page": 2, "total_items": 3, "total_pages": 2, "per_page": 2, "previous_page": null, "next_page": null},
		"projects": [{"vintages": [{"wallets": [
			{"trades": [
				{"execution_date": "2024-05-01T10:00:00.000Z", "quantity_grams": "1000000", "price_cents": "595", "type": "BUY"},
				{"execution_date": "last week", "quantity_grams": "1e6", "price_cents": 5.0, "type": "SWAP", "venue": "x"}],
			 "quantity_grams": "999980", "type": "CAAS"},
			{"type": "ESCROW", "quantity_grams": "0", "trades": [], "locked": true}],
			"vintage_id": "v1"}], "project_id": "p1"}]}`))
	must.Succeed(t, err)
	must.Equal(t, page, (model.Page{PerPage: 2, TotalPages: 2, TotalItems: 3, Current: 2}))
	at := time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	want := &portfolio.Inventory{
		Projects: []portfolio.Project{{ID: "p1", Vintages: []portfolio.Vintage{{ID: "v1", Wallets: []portfolio.Wallet{
			{Type: "CAAS", Quantity: 999_980, Trades: []portfolio.Trade{
				{ExecutionDate: model.Timestamp{Time: at, Text: "2024-05-01T10:00:00.000Z"}, Quantity: 1_000_000, Price: 595, Type: portfolio.Buy},
				{ExecutionDate: model.Timestamp{Text: "last week"}, Quantity: model.UnknownGrams, Price: model.UnknownPrice, Type: "SWAP",
					Extra: []model.Field{{Name: "venue", Value: "x"}}},
			}},
			{Type: "ESCROW", Extra: []model.Field{{Name: "locked", Value: "true"}}},
		}}}}},
		Faults: []model.Fault{
			{Path: "projects[0].vintages[0].wallets[0].trades[1].quantity_grams", Reason: "is not a string of digits"},
			{Path: "projects[0].vintages[0].wallets[0].trades[1].price_cents", Reason: "is not a string of digits"},
		},
	}
	must.Equal(t, inv, want)
}

func TestProjectsAreReadWhole(t *testing.T) {
	got, err := DecodeProjects([]byte(`{"projects":[
		{"project_id":"p1","project_name":"Bale Mountains","type":"REDD+","location":"ET","registry_project_url":"https://registry.example/1",
		 "registry_id":"VCS-1340","registry_name":"VERRA","sdgs":["No Poverty","Life on Land"],"description":"A forest.",
		 "vintages":[{"vintage_id":"v1","vintage_year":2019,"registry_vintage_url":"https://registry.example/1/2019"}],"methodology":"VM0009"},
		{"project_id":"p2","project_name":null,"sdgs":null,"vintages":null}],"took_ms":3}`))
	want := []model.Project{
		{ID: "p1", Name: "Bale Mountains", Type: "REDD+", Country: "ET", RegistryURL: "https://registry.example/1",
			RegistryID: "VCS-1340", RegistryName: "VERRA", SDGs: []string{"No Poverty", "Life on Land"}, Description: "A forest.",
			Vintages: []model.ProjectVintage{{ID: "v1", Year: 2019, RegistryURL: "https://registry.example/1/2019"}},
			Extra:    []model.Field{{Name: "methodology", Value: "VM0009"}}},
		{ID: "p2"},
	}
	must.Hold(t, err == nil && reflect.DeepEqual(got, want), "projects are", got, err, want)
}
