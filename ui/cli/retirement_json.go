package cli

import (
	"errors"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/ui/cli/print"
)

// retirementJSON is a retirement request with the names of the API.
type retirementJSON struct {
	ID                 string           `json:"id"`
	Status             string           `json:"status"`
	TotalQuantity      print.Value      `json:"total_quantity"`
	Type               string           `json:"type"`
	ProjectID          string           `json:"project_id"`
	VintageID          string           `json:"vintage_id"`
	CreatedAt          print.Value      `json:"created_at"`
	RetiredAt          print.Value      `json:"retired_at"`
	SerialNumbers      []string         `json:"retired_serial_numbers"`
	CertificateURL     print.Value      `json:"certificate_url"`
	ExternalCustomer   print.Value      `json:"should_retire_external_customer"`
	AllInvoicesSettled print.Value      `json:"all_invoices_settled"`
	Items              []retirementItem `json:"retirement_request_items"`
	Checks             []checkJSON      `json:"checks"`
}

type retirementItem struct {
	ID             string      `json:"id"`
	Quantity       print.Value `json:"quantity"`
	CreatedAt      print.Value `json:"created_at"`
	RetireeName    print.Value `json:"retiree_name"`
	RetireeTaxID   print.Value `json:"retiree_tax_id"`
	RetireeCountry print.Value `json:"retiree_country"`
	InvoiceID      print.Value `json:"invoice_id"`
	TradeID        print.Value `json:"trade_id"`
}

type checkJSON struct {
	Name   string       `json:"name"`
	Result model.Result `json:"result"`
	Detail string       `json:"detail"`
}

// failedJSON stands for an id that could not be looked up.
type failedJSON struct {
	ID    string    `json:"id"`
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Type    string      `json:"type"`
	Status  print.Value `json:"status"`
	Message string      `json:"message"`
}

func newRetirementJSON(r model.Retirement, checks []model.Check) retirementJSON {
	out := retirementJSON{
		ID: r.ID, Status: string(r.Status), TotalQuantity: print.Grams(r.TotalQuantity), Type: string(r.Type),
		ProjectID: r.ProjectID, VintageID: r.VintageID, CreatedAt: print.Time(r.CreatedAt), RetiredAt: print.Time(r.RetiredAt),
		SerialNumbers: append([]string{}, r.SerialNumbers...), CertificateURL: print.Optional(r.CertificateURL),
		ExternalCustomer: print.Answer(r.ExternalCustomer), AllInvoicesSettled: print.Answer(r.AllInvoicesSettled),
		Items: []retirementItem{}, Checks: []checkJSON{},
	}
	for _, item := range r.Items {
		out.Items = append(out.Items, retirementItem{
			item.ID, print.Grams(item.Quantity), print.Time(item.CreatedAt), print.Optional(item.RetireeName),
			print.Optional(item.RetireeTaxID), print.Optional(item.RetireeCountry), print.Optional(item.InvoiceID), print.Optional(item.TradeID),
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
		out.Error.Status = print.Number(call.Status)
	}
	if call.Message != "" {
		out.Error.Message = call.Message
	}
	return out
}
