package wire

import (
	"slices"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/model/retirement"
)

// DecodeRetirement reads a retirement request (interface section 2.4).
func DecodeRetirement(body []byte) (retirement.Request, error) {
	r, faults, err := retirementObject.decode(body)
	r.Faults = faults
	return r, err
}

// AppendRetirement appends a retirement request (interface section 2.4). certificate is
// the prefix of the name of the certificate's member.
func AppendRetirement(dst []byte, r retirement.Request, certificate string) []byte {
	fields := slices.Clone(retirementObject.fields)
	for i, f := range fields {
		if f.name == certificateSuffix {
			fields[i].name = certificate + certificateSuffix
		}
	}
	return object[retirement.Request]{fields: fields}.append(dst, &r)
}

// certificateSuffix is the end of the name of the certificate's member. Its prefix is
// the name of the service.
const certificateSuffix = "_proof_of_retirement_certificate_url"

// The serial numbers have two names. A response with both has one list: that of the first name,
// unless it is empty.
const (
	serialsMember      = "retired_serial_numbers"
	otherSerialsMember = "retired_serials"
)

// keepOtherSerials keeps the list of the second name as an unknown member if it differs.
func keepOtherSerials(to *retirement.Request, other []string) {
	if len(other) > 0 && !slices.Equal(to.SerialNumbers, other) {
		to.Extra = append(to.Extra, model.Field{Name: otherSerialsMember, Value: strings.Join(other, ", ")})
	}
}

var retirementObject = object[retirement.Request]{
	[]field[retirement.Request]{
		member("id", essential, idKind, func(r *retirement.Request) *string { return &r.ID }),
		member("status", essential, wordKind[retirement.Status](),
			func(r *retirement.Request) *retirement.Status { return &r.Status }),
		member("total_quantity", expected, gramsKind,
			func(r *retirement.Request) *model.Grams { return &r.TotalQuantity }),
		member("type", expected, wordKind[retirement.Type](),
			func(r *retirement.Request) *retirement.Type { return &r.Type }),
		member("project_id", expected, optionalIDKind, func(r *retirement.Request) *string { return &r.ProjectID }),
		member("vintage_id", expected, optionalIDKind, func(r *retirement.Request) *string { return &r.VintageID }),
		member("created_at", expected, timeKind, func(r *retirement.Request) *model.Timestamp { return &r.CreatedAt }),
		member("retired_at", sparse, timeKind, func(r *retirement.Request) *model.Timestamp { return &r.RetiredAt }),
		{
			name: serialsMember, mode: optional,
			read: func(r *reader, to *retirement.Request) {
				other := to.SerialNumbers
				if to.SerialNumbers = r.strings(); len(to.SerialNumbers) == 0 {
					to.SerialNumbers = other
				}
				keepOtherSerials(to, other)
			},
			write: func(dst []byte, from *retirement.Request) []byte { return appendTexts(dst, from.SerialNumbers) },
		},
		member(certificateSuffix, sparse, textKind, func(r *retirement.Request) *string { return &r.CertificateURL }),
		member("should_retire_external_customer", optional, flagKind,
			func(r *retirement.Request) *model.OptionalBool { return &r.ExternalCustomer }),
		member("all_invoices_settled", optional, flagKind,
			func(r *retirement.Request) *model.OptionalBool { return &r.AllInvoicesSettled }),
		member("retirement_request_items", optional, listKind(itemObject),
			func(r *retirement.Request) *[]retirement.Item { return &r.Items }),
	},
	func(r *reader, to *retirement.Request) {
		switch name := string(r.name); {
		case name == otherSerialsMember:
			other := r.strings()
			if len(to.SerialNumbers) == 0 {
				to.SerialNumbers = other
			}
			keepOtherSerials(to, other)
		case strings.HasSuffix(name, certificateSuffix) && to.CertificateURL == "":
			to.CertificateURL = r.optionalText()
		default:
			to.Extra = append(to.Extra, r.extra())
		}
	},
}

var itemObject = object[retirement.Item]{
	[]field[retirement.Item]{
		member("id", expected, idKind, func(i *retirement.Item) *string { return &i.ID }),
		member("quantity", expected, gramsKind, func(i *retirement.Item) *model.Grams { return &i.Quantity }),
		member("created_at", expected, timeKind,
			func(i *retirement.Item) *model.Timestamp { return &i.CreatedAt }),
		member("retiree_name", sparse, textKind, func(i *retirement.Item) *string { return &i.RetireeName }),
		member("retiree_tax_id", sparse, optionalIDKind,
			func(i *retirement.Item) *string { return &i.RetireeTaxID }),
		member("retiree_country", sparse, textKind, func(i *retirement.Item) *string { return &i.RetireeCountry }),
		member("invoice_id", sparse, optionalIDKind, func(i *retirement.Item) *string { return &i.InvoiceID }),
		member("trade_id", sparse, optionalIDKind, func(i *retirement.Item) *string { return &i.TradeID }),
	},
	func(r *reader, i *retirement.Item) { i.Extra = append(i.Extra, r.extra()) },
}

// AppendRetirementAccepted appends the response of POST /api/caas/request-retirement.
func AppendRetirementAccepted(dst []byte, id string, replayed bool) []byte {
	dst = appendText(append(dst, `{"retirement_request_id":`...), id)
	dst = strconv.AppendBool(append(dst, `,"external_id_already_processed":`...), replayed)
	return append(dst, '}')
}

// AppendRetireCall appends the body of POST /api/caas/request-retirement (interface
// section 4.5).
func AppendRetireCall(dst []byte, externalID string, c retirement.Call) []byte {
	dst = appendText(append(dst, `{"vintage_id":`...), c.VintageID)
	dst = appendDigits(append(dst, `,"quantity_grams":`...), int64(c.Quantity))
	dst = appendText(append(dst, `,"external_id":`...), externalID)
	if c.SellOrderID != "" {
		dst = appendText(append(dst, `,"sell_order_id":`...), c.SellOrderID)
		dst = appendDigits(append(dst, `,"expected_price_cents":`...), int64(c.Price))
	}
	dst = appendOptional(dst, "external_retiree_id", c.Retiree.ID)
	if c.Retiree.External() {
		dst = append(dst, `,"should_retire_external_customer":true`...)
		dst = appendText(append(dst, `,"external_retiree_name":`...), c.Retiree.Name)
		dst = appendText(append(dst, `,"external_retiree_tax_id":`...), c.Retiree.TaxID)
		dst = appendText(append(dst, `,"external_retiree_location":`...), c.Retiree.Country)
	}
	return append(dst, '}')
}

// RetireAccepted is the response to a retirement call that took effect.
type RetireAccepted struct {
	// RequestID is the id of the retirement request that contains the credits.
	RequestID string
	// Replayed reports that an earlier call with the same external id took effect.
	Replayed bool
}

// DecodeRetireAccepted reads the response of POST /api/caas/request-retirement.
func DecodeRetireAccepted(body []byte) (RetireAccepted, error) {
	var answer RetireAccepted
	r := newReader(body)
	for range r.object(members{essential: []string{"retirement_request_id"}}) {
		switch string(r.name) {
		case "retirement_request_id":
			answer.RequestID = r.id()
		case "external_id_already_processed":
			// If a replay passed for a first call, it might be counted twice.
			switch flag := strings.Trim(string(r.value()), `"`); flag {
			case "true", "1":
				answer.Replayed = true
			case "false", "0", "null":
			default:
				r.fail("is neither true nor false")
			}
		default:
			r.skip()
		}
	}
	return answer, r.finish()
}
