package wire

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
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

func TestMarketRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		page := drawPage(t)
		enc := NewMarketEncoder(nil)
		type order struct {
			project, vintage, id string
			year                 int
			grams                model.Grams
			price                model.PriceCents
		}
		var want []order
		ids := rapid.SliceOfNDistinct(rapid.StringMatching("[0-9a-z]{18}"), 0, 12, rapid.ID[string]).Draw(t, "ids")
		for p := 0; p+2 < len(ids); p += 3 {
			o := order{ids[p], ids[p+1], ids[p+2], rapid.IntRange(1990, 2050).Draw(t, "year"), drawGrams(t), drawPrice(t)}
			enc.Project(o.project)
			enc.Vintage(o.vintage, o.year)
			enc.Order([]byte(o.id), o.grams, o.price)
			want = append(want, o)
		}
		part, gotPage, err := DecodeMarket(enc.Finish(page))
		if err != nil || gotPage != page {
			t.Fatalf("%+v, want %+v: %v", gotPage, page, err)
		}
		var got []order
		m := market.New(part)
		for i := range m.Vintages() {
			v := m.Vintage(i)
			o := m.Order(int(v.First))
			got = append(got, order{m.ProjectOf(i).ID, v.ID, o.ID, int(v.Year), o.Quantity, o.Price})
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("read %+v, wrote %+v", got, want)
		}
	})
}

func TestInventoryRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		trades := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) portfolio.Trade {
			return portfolio.Trade{ExecutionDate: drawTime(t), Quantity: drawGrams(t), Price: drawPrice(t), Type: rapid.SampledFrom([]portfolio.TradeType{portfolio.Buy, portfolio.Sell}).Draw(t, "type")}
		}), 1, 4).Draw(t, "trades")
		want := []portfolio.Project{{ID: drawID(t), Vintages: []portfolio.Vintage{
			{ID: "v" + drawID(t), Wallets: []portfolio.Wallet{{Type: portfolio.WalletCAAS, Quantity: drawGrams(t), Trades: trades}}},
		}}}
		page := drawPage(t)
		got, gotPage, err := DecodeInventory(AppendInventory(nil, want, page))
		if err != nil || gotPage != page || !reflect.DeepEqual(got.Projects, want) {
			t.Fatalf("read %+v %+v, wrote %+v %+v: %v", got, gotPage, want, page, err)
		}
	})
}

func TestRetirementRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := retirement.Request{
			ID: drawID(t), Status: retirement.Complete, TotalQuantity: drawGrams(t), Type: retirement.Whole, ProjectID: drawID(t), VintageID: drawID(t),
			CreatedAt: drawTime(t), ExternalCustomer: model.Yes, AllInvoicesSettled: model.No,
			SerialNumbers: rapid.SliceOfN(rapid.StringMatching("[0-9A-Z_+-]{1,60}( to [0-9]{1,9})?"), 1, 3).Draw(t, "serials"),
			Items: []retirement.Item{
				{ID: drawID(t), Quantity: drawGrams(t), CreatedAt: drawTime(t), RetireeName: drawText(t), RetireeTaxID: drawText(t), RetireeCountry: "SE", InvoiceID: drawID(t), TradeID: drawID(t)},
				{ID: drawID(t), Quantity: drawGrams(t), CreatedAt: drawTime(t)},
			},
		}
		if rapid.Bool().Draw(t, "complete") {
			want.RetiredAt, want.CertificateURL = drawTime(t), "https://market.example/certificates/"+drawID(t)+".pdf"
		}
		got, err := DecodeRetirement(AppendRetirement(nil, want, rapid.SampledFrom([]string{"service", "acme"}).Draw(t, "prefix")))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("read %+v, wrote %+v: %v", got, want, err)
		}
	})
}

func TestProjectsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := []model.Project{{
			ID: drawID(t), Name: drawText(t), Type: drawText(t), Country: "SE", RegistryURL: "https://registry.example/" + drawID(t),
			RegistryID: drawID(t), RegistryName: drawText(t), SDGs: []string{drawText(t)}, Description: drawText(t),
			Vintages: []model.ProjectVintage{{ID: drawID(t), Year: rapid.IntRange(1990, 2050).Draw(t, "year")}},
		}}
		got, err := DecodeProjects(AppendProjects(nil, want))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("read %+v, wrote %+v: %v", got, want, err)
		}
	})
}

func TestRefusalRoundTrip(t *testing.T) {
	t.Parallel()
	r := Refusal{Status: 422, Code: "NOT_FOUND", Messages: []string{`no "such" id`}, URL: "/api/retirement?id=x", Timestamp: model.At(time.UnixMilli(0))}
	want := `{"statusCode":422,"url":"/api/retirement?id=x","timestamp":"1970-01-01T00:00:00.000Z","error":"NOT_FOUND","message":"no \"such\" id"}`
	if got := string(AppendRefusal(nil, r)); got != want {
		t.Errorf("wrote %s, want %s", got, want)
	}
	if f := DecodeFailure(AppendRefusal(nil, r)); f != (Failure{422, "NOT_FOUND", `no "such" id`, true}) {
		t.Errorf("read %+v", f)
	}
	r.Messages = []string{"a", "b"}
	if f := DecodeFailure(AppendRefusal(nil, r)); f.Message == "" {
		t.Errorf("read %+v", f)
	}
}

// The previous and the next page of a listing, as the interface's examples
// have them: null where there is none.
func TestPaginationNeighbours(t *testing.T) {
	t.Parallel()
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
		if len(got) < len(test.want) || got[len(got)-1-len(test.want):len(got)-1] != test.want {
			t.Errorf("page %d of %d: %s, want %s", test.current, test.total, got, test.want)
		}
	}
}

func TestAWholeMarketRoundTrip(t *testing.T) {
	t.Parallel()
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
		if err != nil {
			t.Fatal(err)
		}
		if got := market.New(part); !got.Since(want).Empty() || got.Vintages() != want.Vintages() || got.Orders() != want.Orders() {
			t.Fatalf("read %+v, wrote %+v", got, want)
		} else if len(ids) > 2 && !reflect.DeepEqual(got.Vintage(0), want.Vintage(0)) {
			t.Fatalf("read %+v, wrote %+v", got.Vintage(0), want.Vintage(0))
		}
	})
}
