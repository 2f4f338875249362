package wire

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// What the service writes is what the client reads.

func drawID(t *rapid.T) string { return rapid.StringMatching("[0-9a-z]{1,18}").Draw(t, "id") }

func drawGrams(t *rapid.T) model.Grams {
	return model.Grams(rapid.Int64Range(0, math.MaxInt64).Draw(t, "grams"))
}

func drawPrice(t *rapid.T) model.PriceCents {
	return model.PriceCents(rapid.Int64Range(0, math.MaxInt64).Draw(t, "price"))
}

func drawTime(t *rapid.T) model.Timestamp {
	return model.At(time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "millis")))
}

// drawText draws letters and quotes of many scripts; control characters do not
// survive reading and are another test's.
func drawText(t *rapid.T) string {
	return rapid.StringMatching(`[A-Za-z0-9"\\/<&' éßЖ界]{0,20}[a-z]`).Draw(t, "text")
}

func drawPage(t *rapid.T) model.Page {
	return model.Page{
		PerPage: rapid.IntRange(1, 100).Draw(t, "per page"), TotalPages: rapid.IntRange(0, 9).Draw(t, "pages"),
		TotalItems: rapid.IntRange(0, 900).Draw(t, "items"), Current: rapid.IntRange(1, 12).Draw(t, "current"),
	}
}

func TestInventoryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trades := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) portfolio.Trade {
			return portfolio.Trade{ExecutionDate: drawTime(t), Quantity: drawGrams(t), Price: drawPrice(t),
				Type: rapid.SampledFrom([]portfolio.TradeType{portfolio.Buy, portfolio.Sell}).Draw(t, "type")}
		}), 1, 4).Draw(t, "trades")
		want := []portfolio.Project{{ID: drawID(t), Vintages: []portfolio.Vintage{
			{ID: "v" + drawID(t),
				Wallets: []portfolio.Wallet{{Type: portfolio.WalletCAAS, Quantity: drawGrams(t), Trades: trades}}},
		}}}
		page := drawPage(t)
		got, gotPage, err := DecodeInventory(AppendInventory(nil, want, page))
		must.Need(t, err == nil && gotPage == page && reflect.DeepEqual(got.Projects, want),
			"read", got, gotPage, want, page, err)
	})
}

func TestRetirementRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := retirement.Request{
			ID: drawID(t), Status: retirement.Complete, TotalQuantity: drawGrams(t), Type: retirement.Whole,
			ProjectID: drawID(t), VintageID: drawID(t),
			CreatedAt: drawTime(t), ExternalCustomer: model.Yes, AllInvoicesSettled: model.No,
			SerialNumbers: rapid.SliceOfN(rapid.StringMatching("[0-9A-Z_+-]{1,60}( to [0-9]{1,9})?"), 1, 3).Draw(t, "serials"),
			Items: []retirement.Item{
				{ID: drawID(t), Quantity: drawGrams(t), CreatedAt: drawTime(t), RetireeName: drawText(t), RetireeTaxID: drawText(t),
					RetireeCountry: "SE", InvoiceID: drawID(t), TradeID: drawID(t)},
				{ID: drawID(t), Quantity: drawGrams(t), CreatedAt: drawTime(t)},
			},
		}
		if rapid.Bool().Draw(t, "complete") {
			want.RetiredAt, want.CertificateURL = drawTime(t), "https://market.example/certificates/"+drawID(t)+".pdf"
		}
		got, err := DecodeRetirement(AppendRetirement(nil, want,
			rapid.SampledFrom([]string{"service", "acme"}).Draw(t, "prefix")))
		must.Hold(t, err == nil && reflect.DeepEqual(got, want), "read", got, want, err)
	})
}

func TestProjectsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := []model.Project{{
			ID: drawID(t), Name: drawText(t), Type: drawText(t), Country: "SE",
			RegistryURL: "https://registry.example/" + drawID(t),
			RegistryID:  drawID(t), RegistryName: drawText(t), SDGs: []string{drawText(t)}, Description: drawText(t),
			Vintages: []model.ProjectVintage{{ID: drawID(t), Year: rapid.IntRange(1990, 2050).Draw(t, "year")}},
		}}
		got, err := DecodeProjects(AppendProjects(nil, want))
		must.Hold(t, err == nil && reflect.DeepEqual(got, want), "read", got, want, err)
	})
}

func TestRefusalRoundTrip(t *testing.T) {
	r := Refusal{Status: 422, Code: "NOT_FOUND", Messages: []string{`no "such" id`}, URL: "/api/retirement?id=x",
		Timestamp: model.At(time.UnixMilli(0))}
	want := `{"statusCode":422,"url":"/api/retirement?id=x","timestamp":"1970-01-01T00:00:00.000Z","error":"NOT_FOUND","message":"no \"such\" id"}`
	must.Equal(t, string(AppendRefusal(nil, r)), want)
	must.Equal(t, DecodeFailure(AppendRefusal(nil, r)), (Failure{422, "NOT_FOUND", `no "such" id`, true}))
	r.Messages = []string{"a", "b"}
	f := DecodeFailure(AppendRefusal(nil, r))
	must.Hold(t, f.Message != "", "read", f)
}

// The previous and the next page of a listing, as the interface's examples
// have them: null where there is none.
func TestPaginationNeighbours(t *testing.T) {
	for _, test := range []struct {
		current, total int
		want           string
	}{
		{1, 1, `"previous_page":null,"next_page":null`},
		{1, 3, `"previous_page":null,"next_page":2`},
		{2, 3, `"previous_page":1,"next_page":3`},
		{3, 3, `"previous_page":2,"next_page":null`},
		{9, 3, `"previous_page":3,"next_page":null`},
		{1, 0, `"previous_page":null,"next_page":null`},
	} {
		got := string(pageObject.append(nil, &model.Page{PerPage: 20, TotalPages: test.total, Current: test.current}))
		must.Hold(t, len(got) >= len(test.want) && got[len(got)-1-len(test.want):len(got)-1] == test.want,
			"page", test.current, test.total, got, test.want)
	}
}

func TestAWholeMarketRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &market.Page{}
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9a-z"\\<é]{1,18}`), 0, 12, rapid.ID[string]).Draw(t, "ids")
		for i := 0; i+2 < len(ids); i += 3 {
			p.AddProject(ids[i])
			p.AddVintage(ids[i+1], rapid.IntRange(0, 2050).Draw(t, "year"))
			p.AddOrder(ids[i+2], drawGrams(t), drawPrice(t))
			p.AddOrder("unread"+ids[i+2], model.UnknownGrams, model.UnknownPrice)
		}
		want := market.New(p)
		part, _, err := DecodeMarket(AppendMarket(nil, want))
		must.Succeed(t, err)
		if got := market.New(part); !got.Since(want).Empty() || got.Vintages() != want.Vintages() ||
			got.Orders() != want.Orders() {
			t.Fatalf("read %+v, wrote %+v", got, want)
		} else if len(ids) > 2 && !reflect.DeepEqual(got.Vintage(0), want.Vintage(0)) {
			t.Fatalf("read %+v, wrote %+v", got.Vintage(0), want.Vintage(0))
		}
	})
}

func TestFailureIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"error":`, 1_000_000)
	must.Equal(t, DecodeFailure([]byte(deep)), (Failure{}))
	must.Equal(t, DecodeFailure([]byte(" No such\nproject \u202e ")).Message, "No such␊project <U+202E>")
	text := strings.Repeat("ж", 1<<20)
	for _, long := range []string{`{"message":"` + text + `"}`, text} {
		got := DecodeFailure([]byte(long)).Message
		must.Hold(t, len(got) <= maxMessage+len("…") && strings.HasSuffix(got, "ж…"),
			"a message of a megabyte is kept with", len(got))
	}
}

func TestParseRequestRefuses(t *testing.T) {
	for _, body := range []string{"{'a':1}", `{"a":"` + "\xff" + `"}`, "\x00", strings.Repeat(`{"a":`, 20_000)} {
		must.Fail(t, must.Err(ParseRequest([]byte(body))), ErrNotObject, body)
	}
	must.Equal(t, len(must.Get(ParseRequest(nil))), 0, "an empty body")
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"id":"00m","flag":false}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := ParseRequest(body)
		must.Need(t, err == nil || len(r) == 0, "members together with an error")
		for name := range r {
			_, err := r.Text(name)
			must.Need(t, err == nil || errors.Is(err, ErrNotString), name, err)
			_, err = r.Flag(name)
			must.Need(t, err == nil || errors.Is(err, ErrNotBoolean), name, err)
		}
	})
}

func TestARetireCallIsWrittenAsTheInterfaceSays(t *testing.T) {
	customer := retirement.Retiree{ID: "c-7", Name: "Müller \"Söhne\"", TaxID: "DE1", Country: "DE"}
	for _, tt := range []struct {
		name string
		call retirement.Call
		want string
	}{
		{"from the inventory", retirement.Call{VintageID: "004a", Quantity: 20, Price: model.UnknownPrice},
			`{"vintage_id":"004a","quantity_grams":"20","external_id":"x-1"}`},
		{"bought", retirement.Call{VintageID: "004a", Quantity: 2e6, SellOrderID: "006b", Price: 592,
			Retiree: retirement.Retiree{ID: "c-7"}},
			`{"vintage_id":"004a","quantity_grams":"2000000","external_id":"x-1","sell_order_id":"006b","expected_price_cents":"592","external_retiree_id":"c-7"}`},
		{"for a customer", retirement.Call{VintageID: "004a", Quantity: 2e6, Retiree: customer},
			`{"vintage_id":"004a","quantity_grams":"2000000","external_id":"x-1","external_retiree_id":"c-7","should_retire_external_customer":true,"external_retiree_name":"Müller \"Söhne\"","external_retiree_tax_id":"DE1","external_retiree_location":"DE"}`},
	} {
		must.Equal(t, string(AppendRetireCall(nil, "x-1", tt.call)), tt.want, tt.name)
	}
}

func TestAnAcceptedCallNamesItsRequest(t *testing.T) {
	answer, err := DecodeRetireAccepted(AppendRetirementAccepted(nil, "00m1", true))
	must.Hold(t, err == nil && answer == (RetireAccepted{RequestID: "00m1", Replayed: true}), "answer =", answer, err)
}
