package marketplace

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/retirement"
)

// lookUpRetirement answers GET and POST /api/retirement: the interface documents both
// methods. The id of a POST is in the query, in the JSON body, or in both.
func (m *Marketplace) lookUpRetirement(w http.ResponseWriter, r *http.Request, from exchange.Caller) error {
	p := parametersOf(r)
	id, _ := p.text("id")
	if err := p.err(); err != nil {
		return err
	}
	if r.Method == http.MethodPost {
		body, err := requestBody(r)
		if err != nil {
			return err
		}
		inBody, err := body.Text("id")
		switch {
		case err != nil:
			return invalid("id " + err.Error())
		case !p.query.Has("id"):
			id = inBody
		case inBody != "" && inBody != id:
			return invalid("id must be the same in the query and in the body")
		}
	}
	if id == "" {
		return invalid("id must be a string that is not empty")
	}
	return m.respondRetirement(w, r, from, id)
}

func (m *Marketplace) respondRetirement(w http.ResponseWriter, r *http.Request, from exchange.Caller, id string) error {
	if err := m.catchUp(r.Context()); err != nil {
		return err
	}
	found, err := exchange.Read(r.Context(), m.db, func(tx exchange.Tx) retirement.Request {
		return exchange.Retirement(tx, from.Tenant, id, m.certificateBase(r))
	})
	if err != nil {
		return err
	}
	if found.ID == "" {
		return unprocessable(notFound, "There is no retirement request with this id")
	}
	respond(w, r, http.StatusOK, wire.AppendRetirement(nil, found, m.certificateField()))
	return nil
}

const defaultCertificateField = "service"

func (m *Marketplace) certificateField() string {
	return cmp.Or(m.options.CertificateField, defaultCertificateField)
}

func (m *Marketplace) certificateBase(r *http.Request) string {
	base := strings.TrimRight(m.options.PublicURL, "/")
	if base == "" {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		base = scheme + r.Host
	}
	return base + "/certificates/"
}

func (m *Marketplace) postRequestRetirement(w http.ResponseWriter, r *http.Request, from exchange.Caller) error {
	body, err := requestBody(r)
	if err != nil {
		return err
	}
	call, err := readRetirementCall(body)
	if err != nil {
		return err
	}
	var accepted exchange.Accepted
	// The change affects the invoice of the tenant, and the sell orders and wallets of the vintage.
	lockKeys := []string{fmt.Sprint("tenant ", from.Tenant), "vintage " + call.VintageID}
	err = m.Change(r.Context(), m.Now(), from.KeyID, func(c *exchange.Change) {
		accepted = exchange.RequestRetirement(c, from.Tenant, call)
	}, lockKeys...)
	if err != nil {
		return err
	}
	if accepted.Bought {
		m.metrics.countPurchase()
	}
	respond(w, r, http.StatusOK, wire.AppendRetirementAccepted(nil, accepted.ID, accepted.Replayed))
	return nil
}

// readRetirementCall first checks the types of the members, and then the numbers, which
// have separate error codes.
func readRetirementCall(body wire.Request) (exchange.RetirementCall, error) {
	in := bodyReader{body: body}
	call := exchange.RetirementCall{
		VintageID:   in.required("vintage_id"),
		ExternalID:  in.required("external_id"),
		SellOrderID: in.text("sell_order_id"),
		RetireeID:   in.text("external_retiree_id"),
		External:    in.flag("should_retire_external_customer"),
	}
	call.Retiree = readRetiree(&in, call.External)
	err := in.err()
	if err != nil {
		return call, err
	}
	if call.Quantity, err = exchange.ParseQuantity(digits(body, "quantity_grams"), call.External); err != nil {
		return call, err
	}
	call.ExpectedPrice, err = expectedPrice(body, call.SellOrderID)
	return call, err
}

func digits(body wire.Request, name string) string {
	text, err := body.Text(name)
	if err != nil {
		return ""
	}
	return text
}

func readRetiree(in *bodyReader, external bool) exchange.Retiree {
	read := in.text
	if external {
		read = in.required
	}
	who := exchange.Retiree{
		Name:    read("external_retiree_name"),
		TaxID:   read("external_retiree_tax_id"),
		Country: read("external_retiree_location"),
	}
	if who.Country != "" && !exchange.IsCountry(who.Country) {
		in.add("external_retiree_location must be a two-letter country code of ISO 3166-1 such as GB")
	}
	return who
}

func expectedPrice(body wire.Request, sellOrder string) (model.PriceCents, error) {
	const name = "expected_price_cents"
	kind := body[name].Kind()
	switch {
	case kind != 0 && kind != 'n':
		return exchange.ParseExpectedPrice(digits(body, name))
	case sellOrder != "":
		return 0, exchange.ErrNoExpectedPrice
	}
	return 0, nil
}
