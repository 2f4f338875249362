package wire

import (
	"runtime"

	"tonne/model"
	"tonne/model/market"
)

const (
	// orderBytes is what a sell order takes on the wire, to make room for the
	// orders of a page before they are counted.
	orderBytes = 100
	// maxPresized bounds the room: a body may hold anything.
	maxPresized = 32 << 10
)

// DecodeMarket reads a page of the market (interface section 4.1).
func DecodeMarket(body []byte) (*market.Page, model.Page, error) {
	d := marketDecoder{reader: newReader(body), part: &market.Page{}}
	d.part.Grow(min(len(body)/orderBytes, maxPresized))
	var page model.Page
	for range d.object("projects", "pagination") {
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
	part     *market.Page
	names    arena
	vintages int
}

// turn is how many vintages are decoded before others may take the processor,
// such as a key that was pressed meanwhile: well under a millisecond.
const turn = 100

func (d *marketDecoder) project() {
	var id string
	var extra []model.Field
	d.part.AddProject("")
	for range d.object("project_id", "vintages") {
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
	if d.vintages++; d.vintages%turn == 0 {
		runtime.Gosched()
	}
	for range d.object("vintage_id", "vintage_year", "sell_orders") {
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
	var id string
	var extra []model.Field
	quantity, price := model.UnknownGrams, model.UnknownPrice
	for range d.object("sell_order_id", "quantity_grams", "price_cents") {
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
}

func (d *marketDecoder) keep(id string, extra []model.Field) {
	for _, field := range extra {
		d.part.AddExtra(id, field)
	}
}
