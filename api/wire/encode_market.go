package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
	"tonne/model/market"
)

// MarketEncoder writes the answer of GET /api/market (interface section 4.1) while its rows
// are read: each project, then its vintages, then their orders.
type MarketEncoder struct {
	buf                        []byte
	projects, vintages, orders int
}

// AppendMarket appends a market as one page. Members that the interface does not
// name are left out.
func AppendMarket(dst []byte, m *market.Market) []byte {
	e := NewMarketEncoder(dst)
	var id []byte
	for p := range m.Projects() {
		project := m.Project(p)
		e.Project(project.ID)
		for v := project.First; v < project.End; v++ {
			vintage := m.Vintage(v)
			e.Vintage(vintage.ID, int(vintage.Year))
			for o := vintage.First; o < vintage.End; o++ {
				order := m.Order(int(o))
				// The id may need escapes. Order takes it without quotes.
				id, _ = jsontext.AppendQuote(id[:0], order.ID)
				e.Order(id[1:len(id)-1], order.Quantity, order.Price)
			}
		}
	}
	return e.Finish(OnePage)
}

// NewMarketEncoder returns an encoder that appends to dst.
func NewMarketEncoder(dst []byte) MarketEncoder {
	return MarketEncoder{buf: append(dst, `{"projects":[`...)}
}

// Project starts a project: the vintages that follow belong to it.
func (e *MarketEncoder) Project(id string) {
	e.endProject()
	e.buf = appendComma(e.buf, e.projects)
	e.buf = appendText(append(e.buf, `{"project_id":`...), id)
	e.buf = append(e.buf, `,"vintages":[`...)
	e.projects++
	e.vintages = 0
}

// Vintage starts a vintage of the last project.
func (e *MarketEncoder) Vintage(id string, year int) {
	e.endVintage()
	e.buf = appendComma(e.buf, e.vintages)
	e.buf = appendText(append(e.buf, `{"vintage_id":`...), id)
	e.buf = appendInt(append(e.buf, `,"vintage_year":`...), year)
	e.buf = append(e.buf, `,"sell_orders":[`...)
	e.vintages++
	e.orders = 0
}

// Order adds a sell order to the last vintage. The id is one that the service
// made: ASCII letters and digits, written as they are.
func (e *MarketEncoder) Order(id []byte, quantity model.Grams, price model.PriceCents) {
	e.buf = appendComma(e.buf, e.orders)
	e.buf = append(e.buf, `{"sell_order_id":"`...)
	e.buf = append(e.buf, id...)
	e.buf = appendDigits(append(e.buf, `","quantity_grams":`...), int64(quantity))
	e.buf = appendDigits(append(e.buf, `,"price_cents":`...), int64(price))
	e.buf = append(e.buf, '}')
	e.orders++
}

// Finish closes the listing, adds the pagination object and returns the body.
func (e *MarketEncoder) Finish(page model.Page) []byte {
	e.endProject()
	return append(pageObject.append(append(e.buf, `],"pagination":`...), &page), '}')
}

func (e *MarketEncoder) endProject() {
	e.endVintage()
	if e.projects > 0 {
		e.buf = append(e.buf, "]}"...)
	}
}

func (e *MarketEncoder) endVintage() {
	if e.vintages > 0 {
		e.buf = append(e.buf, "]}"...)
	}
}
