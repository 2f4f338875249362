package wire

import (
	"bytes"

	"tonne/model"
)

// certificateSuffix ends the name of the certificate's member; the service's
// own name stands before it.
var certificateSuffix = []byte("_proof_of_retirement_certificate_url")

// DecodeRetirement reads a retirement request (interface section 2.4). Members
// that come with the end of a request, and most of its items', may be missing
// or null.
func DecodeRetirement(body []byte) (model.Retirement, error) {
	d := retirementDecoder{reader: newReader(body)}
	d.retirement.TotalQuantity = model.UnknownGrams
	for range d.object("id", "status", "total_quantity", "type", "project_id", "vintage_id", "created_at") {
		if !d.identity() && !d.outcome() {
			d.retirement.Extra = append(d.retirement.Extra, d.extra())
		}
	}
	if err := d.finish(); err != nil {
		return model.Retirement{}, err
	}
	d.retirement.Faults = d.faults
	return d.retirement, nil
}

type retirementDecoder struct {
	*reader
	retirement model.Retirement
}

func (d *retirementDecoder) identity() bool {
	r := &d.retirement
	switch string(d.name) {
	case "id":
		r.ID = string(d.id())
	case "status":
		r.Status = model.RetirementStatus(d.text())
	case "total_quantity":
		r.TotalQuantity = d.grams()
	case "type":
		r.Type = model.RetirementType(d.text())
	case "project_id":
		r.ProjectID = d.optionalID()
	case "vintage_id":
		r.VintageID = d.optionalID()
	case "created_at":
		r.CreatedAt = d.timestamp()
	default:
		return false
	}
	return true
}

func (d *retirementDecoder) outcome() bool {
	r := &d.retirement
	switch name := string(d.name); {
	case name == "retired_at":
		r.RetiredAt = d.timestamp()
	case name == "retired_serial_numbers" || name == "retired_serials":
		r.SerialNumbers = append(r.SerialNumbers, d.strings()...)
	case bytes.HasSuffix(d.name, certificateSuffix) && r.CertificateURL == "":
		r.CertificateURL = d.optionalText()
	case name == "should_retire_external_customer":
		r.ExternalCustomer = d.optionalBool()
	case name == "all_invoices_settled":
		r.AllInvoicesSettled = d.optionalBool()
	case name == "retirement_request_items":
		for range d.array() {
			r.Items = append(r.Items, d.item())
		}
	default:
		return false
	}
	return true
}

func (d *retirementDecoder) item() model.RetirementItem {
	var item model.RetirementItem
	for range d.object("id", "quantity", "created_at") {
		switch string(d.name) {
		case "id":
			item.ID = string(d.id())
		case "quantity":
			item.Quantity = d.grams()
		case "created_at":
			item.CreatedAt = d.timestamp()
		case "retiree_name":
			item.RetireeName = d.optionalText()
		case "retiree_tax_id":
			item.RetireeTaxID = d.optionalID()
		case "retiree_country":
			item.RetireeCountry = d.optionalText()
		case "invoice_id":
			item.InvoiceID = d.optionalID()
		case "trade_id":
			item.TradeID = d.optionalID()
		default:
			item.Extra = append(item.Extra, d.extra())
		}
	}
	return item
}
