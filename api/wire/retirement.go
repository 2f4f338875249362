package wire

import (
	"slices"
	"strconv"
	"strings"

	"tonne/model"
)

// DecodeRetirement reads a retirement request (interface section 2.4). Members
// that come with the end of a request, and most of its items', may be missing
// or null.
func DecodeRetirement(body []byte) (model.Retirement, error) {
	r, faults, err := retirementObject.decode(body)
	r.Faults = faults
	return r, err
}

// AppendRetirement appends a retirement request as the look-up answers it
// (interface section 2.4). A value that is not there is left out, the list of
// serial numbers then empty. certificate is what the name of the certificate's
// member begins with.
func AppendRetirement(dst []byte, r model.Retirement, certificate string) []byte {
	fields := slices.Clone(retirementObject.fields)
	for i, f := range fields {
		if f.name == certificateSuffix {
			fields[i].name = certificate + certificateSuffix
		}
	}
	return object[model.Retirement]{fields: fields}.append(dst, &r)
}

// certificateSuffix ends the name of the certificate's member; the service's
// own name stands before it.
const certificateSuffix = "_proof_of_retirement_certificate_url"

var retirementObject = object[model.Retirement]{
	[]field[model.Retirement]{
		member("id", required, idKind, func(r *model.Retirement) *string { return &r.ID }),
		member("status", required, wordKind[model.RetirementStatus](),
			func(r *model.Retirement) *model.RetirementStatus { return &r.Status }),
		member("total_quantity", required, gramsKind,
			func(r *model.Retirement) *model.Grams { return &r.TotalQuantity }),
		member("type", required, wordKind[model.RetirementType](),
			func(r *model.Retirement) *model.RetirementType { return &r.Type }),
		member("project_id", required, optionalIDKind, func(r *model.Retirement) *string { return &r.ProjectID }),
		member("vintage_id", required, optionalIDKind, func(r *model.Retirement) *string { return &r.VintageID }),
		member("created_at", required, timeKind, func(r *model.Retirement) *model.Timestamp { return &r.CreatedAt }),
		member("retired_at", sparse, timeKind, func(r *model.Retirement) *model.Timestamp { return &r.RetiredAt }),
		{
			"retired_serial_numbers", optional,
			func(r *reader, to *model.Retirement) { to.SerialNumbers = append(to.SerialNumbers, r.strings()...) },
			func(dst []byte, from *model.Retirement) []byte { return appendTexts(dst, from.SerialNumbers) },
		},
		member(certificateSuffix, sparse, textKind, func(r *model.Retirement) *string { return &r.CertificateURL }),
		member("should_retire_external_customer", optional, flagKind,
			func(r *model.Retirement) *model.OptionalBool { return &r.ExternalCustomer }),
		member("all_invoices_settled", optional, flagKind,
			func(r *model.Retirement) *model.OptionalBool { return &r.AllInvoicesSettled }),
		member("retirement_request_items", optional, listKind(itemObject),
			func(r *model.Retirement) *[]model.RetirementItem { return &r.Items }),
	},
	func(r *reader, to *model.Retirement) {
		switch name := string(r.name); {
		case name == "retired_serials":
			to.SerialNumbers = append(to.SerialNumbers, r.strings()...)
		case strings.HasSuffix(name, certificateSuffix) && to.CertificateURL == "":
			to.CertificateURL = r.optionalText()
		default:
			to.Extra = append(to.Extra, r.extra())
		}
	},
}

var itemObject = object[model.RetirementItem]{
	[]field[model.RetirementItem]{
		member("id", required, idKind, func(i *model.RetirementItem) *string { return &i.ID }),
		member("quantity", required, gramsKind, func(i *model.RetirementItem) *model.Grams { return &i.Quantity }),
		member("created_at", required, timeKind,
			func(i *model.RetirementItem) *model.Timestamp { return &i.CreatedAt }),
		member("retiree_name", sparse, textKind, func(i *model.RetirementItem) *string { return &i.RetireeName }),
		member("retiree_tax_id", sparse, optionalIDKind,
			func(i *model.RetirementItem) *string { return &i.RetireeTaxID }),
		member("retiree_country", sparse, textKind, func(i *model.RetirementItem) *string { return &i.RetireeCountry }),
		member("invoice_id", sparse, optionalIDKind, func(i *model.RetirementItem) *string { return &i.InvoiceID }),
		member("trade_id", sparse, optionalIDKind, func(i *model.RetirementItem) *string { return &i.TradeID }),
	},
	func(r *reader, i *model.RetirementItem) { i.Extra = append(i.Extra, r.extra()) },
}

// AppendRetirementAccepted appends the answer of POST
// /api/caas/request-retirement.
func AppendRetirementAccepted(dst []byte, id string, replayed bool) []byte {
	dst = appendText(append(dst, `{"retirement_request_id":`...), id)
	dst = strconv.AppendBool(append(dst, `,"external_id_already_processed":`...), replayed)
	return append(dst, '}')
}
