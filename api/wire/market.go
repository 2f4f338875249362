package wire

import (
	"bytes"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
	"tonne/model/market"
)

const (
	// orderBytes is the usual length of a sell order in JSON. It serves to estimate
	// the number of orders in a page.
	orderBytes = 100
	// maxPresized limits the estimate, because the body is untrusted.
	maxPresized = 32 << 10
)

var (
	listingMembers = members{essential: []string{"projects", "pagination"}}
	projectMembers = members{essential: []string{"vintages"}, expected: []string{"project_id"}}
	vintageMembers = members{essential: []string{"sell_orders"}, expected: []string{"vintage_id", "vintage_year"}}
	orderMembers   = members{expected: []string{"sell_order_id", "quantity_grams", "price_cents"}}
)

// DecodeMarket reads a page of the market (interface section 4.1).
func DecodeMarket(body []byte) (*market.Page, model.Page, error) {
	d := marketDecoder{reader: newReader(body), part: &market.Page{}}
	d.part.Grow(min(len(body)/orderBytes, maxPresized))
	var page model.Page
	for range d.object(listingMembers) {
		switch string(d.name) {
		case "projects":
			for range d.array() {
				d.project()
			}
		case "pagination":
			page = pageObject.read(d.reader)
		default:
			d.skip()
		}
	}
	if err := d.finish(); err != nil {
		return nil, model.Page{}, err
	}
	for _, fault := range d.faults {
		d.part.AddFault(fault)
	}
	return d.part, page, nil
}

type marketDecoder struct {
	*reader
	part    *market.Page
	names   arena
	decoded int
}

// yieldAfter is the number of vintages and orders that are decoded before other goroutines
// may run, such as one that handles a key press. They take well under a millisecond. Without
// this, a key waits 17 ms instead of 1 ms (median) while all processors decode, because Go
// interrupts a goroutine only every 10 ms.
const yieldAfter = 200

func (d *marketDecoder) project() {
	var id string
	var extra []model.Field
	d.part.AddProject("")
	for range d.object(projectMembers) {
		switch string(d.name) {
		case "project_id":
			id = d.names.keep(d.rawID())
		case "vintages":
			for range d.array() {
				d.vintage()
			}
		default:
			extra = append(extra, d.extra())
		}
	}
	d.part.NameProject(id)
	d.keep(id, extra)
}

func (d *marketDecoder) vintage() {
	var id string
	var year int
	var extra []model.Field
	d.part.AddVintage("", 0)
	d.yield()
	for range d.object(vintageMembers) {
		switch string(d.name) {
		case "vintage_id":
			id = d.names.keep(d.rawID())
		case "vintage_year":
			year = d.year()
		case "sell_orders":
			for range d.array() {
				d.order()
			}
		default:
			extra = append(extra, d.extra())
		}
	}
	d.part.NameVintage(id, year)
	d.keep(id, extra)
}

func (d *marketDecoder) order() {
	if d.plainOrder() {
		return
	}
	var id string
	var extra []model.Field
	quantity, price := model.UnknownGrams, model.UnknownPrice
	for range d.object(orderMembers) {
		switch string(d.name) {
		case "sell_order_id":
			id = d.names.keep(d.rawID())
		case "quantity_grams":
			quantity = model.Grams(d.digits())
		case "price_cents":
			price = model.PriceCents(d.digits())
		default:
			extra = append(extra, d.extra())
		}
	}
	d.part.AddOrder(id, quantity, price)
	d.keep(id, extra)
	d.yield()
}

var plainMembers = []string{`{"sell_order_id":"`, `,"quantity_grams":"`, `,"price_cents":"`}

// plainOrder reads an order that has only the documented members, in their order, without white space and escapes.
// It needs no look at each token: the decoder only checks the syntax. Any other order is left to the caller.
func (d *marketDecoder) plainOrder() bool {
	text := bytes.TrimPrefix(d.body[d.dec.InputOffset():], []byte(","))
	var values [3][]byte
	for i, member := range plainMembers {
		if len(text) <= len(member) || string(text[:len(member)]) != member {
			return false
		}
		text = text[len(member):]
		end := max(bytes.IndexByte(text, '"'), 0)
		values[i], text = text[:end], text[end+1:]
	}
	id := values[0]
	quantity, wrong := model.ParseDigits(values[1])
	price, bad := model.ParseDigits(values[2])
	if len(id) == 0 || !isPlain(id) || bytes.IndexByte(id, '\\') >= 0 || wrong != nil || bad != nil ||
		len(text) == 0 || text[0] != '}' {
		return false
	}
	d.value()
	d.part.AddOrder(d.names.keep(id), model.Grams(quantity), model.PriceCents(price))
	d.yield()
	return true
}

func (d *marketDecoder) yield() {
	if d.decoded++; d.decoded%yieldAfter == 0 {
		runtime.Gosched()
	}
}

func (d *marketDecoder) keep(id string, extra []model.Field) {
	for _, field := range extra {
		d.part.AddExtra(id, field)
	}
}

// MarketEncoder writes the response of GET /api/market (interface section 4.1) row by
// row: each project, then its vintages, then their orders.
type MarketEncoder struct {
	buf                        []byte
	projects, vintages, orders int
}

// AppendMarket appends a market as one page, without members that the interface does not
// document.
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
				// The id may need escapes. Order expects it without quotes.
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

// Project starts a project. Subsequent vintages belong to it.
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

// Order adds a sell order to the last vintage. The id is written without escaping: it
// is an id of the service, of ASCII letters and digits.
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

const arenaChunk = 4 << 10

// arena stores many short strings in one allocation. A chunk is freed when none of its
// strings is in use.
type arena struct{ chunk *strings.Builder }

func (a *arena) keep(b []byte) string {
	if len(b) > arenaChunk/8 {
		return string(b)
	}
	if a.chunk == nil || a.chunk.Len()+len(b) > a.chunk.Cap() {
		a.chunk = &strings.Builder{}
		a.chunk.Grow(arenaChunk)
	}
	start := a.chunk.Len()
	a.chunk.Write(b)
	return a.chunk.String()[start:]
}
