package cli

import (
	"errors"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/ui/cli/output"
)

type retirementJSON struct {
	ID                 string           `json:"id"`
	Status             string           `json:"status"`
	TotalQuantity      output.Value     `json:"total_quantity"`
	Type               string           `json:"type"`
	ProjectID          string           `json:"project_id"`
	VintageID          string           `json:"vintage_id"`
	CreatedAt          output.Value     `json:"created_at"`
	RetiredAt          output.Value     `json:"retired_at"`
	SerialNumbers      []string         `json:"retired_serial_numbers"`
	CertificateURL     output.Value     `json:"certificate_url"`
	ExternalCustomer   output.Value     `json:"should_retire_external_customer" is:"boolean"`
	AllInvoicesSettled output.Value     `json:"all_invoices_settled" is:"boolean"`
	Items              []retirementItem `json:"retirement_request_items"`
	Checks             []checkJSON      `json:"checks"`
}

type retirementItem struct {
	ID             string       `json:"id"`
	Quantity       output.Value `json:"quantity"`
	CreatedAt      output.Value `json:"created_at"`
	RetireeName    output.Value `json:"retiree_name"`
	RetireeTaxID   output.Value `json:"retiree_tax_id"`
	RetireeCountry output.Value `json:"retiree_country"`
	InvoiceID      output.Value `json:"invoice_id"`
	TradeID        output.Value `json:"trade_id"`
}

type checkJSON struct {
	Name   string       `json:"name"`
	Result model.Result `json:"result"`
	Detail string       `json:"detail"`
}

type failedJSON struct {
	ID    string    `json:"id"`
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Type    string       `json:"type"`
	Status  output.Value `json:"status" is:"number"`
	Message string       `json:"message"`
}

func newRetirementJSON(r model.Retirement, checks []model.Check) retirementJSON {
	out := retirementJSON{
		ID: r.ID, Status: string(r.Status), TotalQuantity: output.Grams(r.TotalQuantity), Type: string(r.Type),
		ProjectID: r.ProjectID, VintageID: r.VintageID, CreatedAt: output.Time(r.CreatedAt), RetiredAt: output.Time(r.RetiredAt),
		SerialNumbers: append([]string{}, r.SerialNumbers...), CertificateURL: output.Optional(r.CertificateURL),
		ExternalCustomer: output.Bool(r.ExternalCustomer), AllInvoicesSettled: output.Bool(r.AllInvoicesSettled),
		Items: []retirementItem{}, Checks: []checkJSON{},
	}
	for _, item := range r.Items {
		out.Items = append(out.Items, retirementItem{
			item.ID, output.Grams(item.Quantity), output.Time(item.CreatedAt), output.Optional(item.RetireeName),
			output.Optional(item.RetireeTaxID), output.Optional(item.RetireeCountry), output.Optional(item.InvoiceID), output.Optional(item.TradeID),
		})
	}
	for _, c := range checks {
		out.Checks = append(out.Checks, checkJSON{c.Name, c.Result, c.Detail})
	}
	return out
}

// errorTypes names failures that the service itself has no name for.
var errorTypes = map[api.Kind]string{
	api.Unauthorized: "UNAUTHORIZED", api.Forbidden: "FORBIDDEN", api.NotFound: "NOT_FOUND", api.Invalid: "VALIDATION_ERROR",
	api.RateLimited: "RATE_LIMITED", api.ServerError: "SERVER_ERROR", api.NotTheAPI: "NOT_THE_API",
	api.Unreachable: "UNREACHABLE", api.TimedOut: "TIMED_OUT", api.Refused: "REFUSED",
}

func newFailedJSON(id string, err error) failedJSON {
	out := failedJSON{ID: wire.Clean(id), Error: errorJSON{Type: "FAILED", Message: err.Error()}}
	if errors.As(err, new(notAsked)) {
		out.Error.Type = "NOT_ASKED"
		return out
	}
	var call *api.Error
	if !errors.As(err, &call) {
		return out
	}
	if name := errorTypes[call.Kind]; name != "" {
		out.Error.Type = name
	}
	if (call.Kind == api.Invalid || call.Kind == api.NotFound) && call.Code != "" {
		out.Error.Type = call.Code
	}
	if call.Status != 0 {
		out.Error.Status = output.Number(call.Status)
	}
	if call.Message != "" {
		out.Error.Message = call.Message
	}
	return out
}
