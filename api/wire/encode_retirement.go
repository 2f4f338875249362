package wire

import (
	"strconv"

	"tonne/model"
)

// AppendRetirement appends a retirement request as the look-up answers it
// (interface section 2.4). A value that is not there is left out, the list of
// serial numbers then empty. certificate is what the name of the certificate's
// member begins with.
func AppendRetirement(dst []byte, r model.Retirement, certificate string) []byte {
	dst = appendText(append(dst, `{"id":`...), r.ID)
	dst = appendText(append(dst, `,"status":`...), string(r.Status))
	dst = appendDigits(append(dst, `,"total_quantity":`...), int64(r.TotalQuantity))
	dst = appendText(append(dst, `,"type":`...), string(r.Type))
	dst = appendText(append(dst, `,"project_id":`...), r.ProjectID)
	dst = appendText(append(dst, `,"vintage_id":`...), r.VintageID)
	dst = appendText(append(dst, `,"created_at":`...), r.CreatedAt.Text)
	dst = appendOptional(dst, "retired_at", r.RetiredAt.Text)
	dst = appendTexts(append(dst, `,"retired_serial_numbers":`...), r.SerialNumbers)
	dst = appendOptional(dst, certificate+string(certificateSuffix), r.CertificateURL)
	dst = strconv.AppendBool(append(dst, `,"should_retire_external_customer":`...), r.ExternalCustomer == model.Yes)
	dst = strconv.AppendBool(append(dst, `,"all_invoices_settled":`...), r.AllInvoicesSettled == model.Yes)
	dst = append(dst, `,"retirement_request_items":[`...)
	for i, item := range r.Items {
		dst = appendComma(dst, i)
		dst = appendItem(dst, item)
	}
	return append(dst, "]}"...)
}

func appendItem(dst []byte, item model.RetirementItem) []byte {
	dst = appendText(append(dst, `{"id":`...), item.ID)
	dst = appendDigits(append(dst, `,"quantity":`...), int64(item.Quantity))
	dst = appendText(append(dst, `,"created_at":`...), item.CreatedAt.Text)
	dst = appendOptional(dst, "retiree_name", item.RetireeName)
	dst = appendOptional(dst, "retiree_tax_id", item.RetireeTaxID)
	dst = appendOptional(dst, "retiree_country", item.RetireeCountry)
	dst = appendOptional(dst, "invoice_id", item.InvoiceID)
	dst = appendOptional(dst, "trade_id", item.TradeID)
	return append(dst, '}')
}

// AppendRetirementAccepted appends the answer of POST
// /api/caas/request-retirement.
func AppendRetirementAccepted(dst []byte, id string, replayed bool) []byte {
	dst = appendText(append(dst, `{"retirement_request_id":`...), id)
	dst = strconv.AppendBool(append(dst, `,"external_id_already_processed":`...), replayed)
	return append(dst, '}')
}
