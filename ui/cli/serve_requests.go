package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/ui/cli/output"
)

func (s *serveRun) requestsCommand() *cobra.Command {
	return s.group("requests", "List retirement requests", "  tonne serve requests list\n  tonne serve requests list --state IN_PROGRESS --older-than 72h",
		s.listRequestsCommand())
}

// requestStates are what --state of requests takes.
var requestStates = []string{
	string(model.Open), string(model.Closed), string(model.InProgress), string(model.Complete), string(model.NothingToProcess), exchange.AnyState,
}

// requestColumns are those of the table of requests: what settle and complete
// take stays on a narrow terminal.
var requestColumns = []output.Heading{
	{Title: "ID"}, {Title: "TENANT", Shrink: 8, Drop: 2}, {Title: "STATE"}, {Title: "TONNES", Right: true}, {Title: "PROJECT", Shrink: 8, Drop: 1},
	{Title: "YEAR", Right: true, Drop: 3}, {Title: "CREATED", Drop: 4}, {Title: "WAITS FOR"},
}

// requestObject is a retirement request, as JSON.
type requestObject struct {
	ID            string          `json:"id"`
	Tenant        string          `json:"tenant"`
	Status        string          `json:"status"`
	Type          string          `json:"type"`
	TotalQuantity output.Value    `json:"total_quantity"`
	ProjectID     string          `json:"project_id"`
	ProjectName   string          `json:"project_name"`
	RegistryName  string          `json:"registry_name"`
	VintageID     string          `json:"vintage_id"`
	VintageYear   int             `json:"vintage_year"`
	CreatedAt     output.Value    `json:"created_at"`
	ClosedAt      output.Value    `json:"closed_at"`
	RetiredAt     output.Value    `json:"retired_at"`
	Retirees      []retireeObject `json:"retirees"`
	Unsettled     []string        `json:"unsettled_invoices"`
}

// retireeObject is in whose name credits are retired, as JSON.
type retireeObject struct {
	Name    output.Value `json:"name"`
	TaxID   output.Value `json:"tax_id"`
	Country output.Value `json:"country"`
}

func objectOfRequest(w exchange.Work) requestObject {
	o := requestObject{
		ID: w.ID, Tenant: w.Tenant, Status: string(w.Status), Type: string(w.Type), TotalQuantity: output.Grams(w.TotalQuantity),
		ProjectID: w.ProjectID, ProjectName: w.Project, RegistryName: w.Registry, VintageID: w.VintageID, VintageYear: w.Year,
		CreatedAt: output.Time(w.CreatedAt), ClosedAt: output.Time(w.ClosedAt), RetiredAt: output.Time(w.RetiredAt),
		Retirees: []retireeObject{}, Unsettled: append([]string{}, w.Unsettled...),
	}
	for _, who := range w.Retirees {
		o.Retirees = append(o.Retirees, retireeObject{output.Optional(who.Name), output.Optional(who.TaxID), output.Optional(who.Country)})
	}
	return o
}

func (s *serveRun) listRequestsCommand() *cobra.Command {
	var filter exchange.WorkFilter
	var age time.Duration
	cmd := s.printing("list", "List the retirement requests that are not done, or others, oldest first", "requests list --state IN_PROGRESS", reads,
		listFlag[requestObject], func(ctx context.Context, m *marketplace.Marketplace, _ []string, format output.Format) error {
			chosen := filter
			chosen.State = strings.ToUpper(chosen.State)
			if chosen.State != "" && !slices.Contains(requestStates, chosen.State) {
				return usage("choose one of "+strings.Join(requestStates, ", "), "--state %s is no state of a retirement request", filter.State)
			}
			if age > 0 {
				chosen.Before = m.Now().Add(-age)
			}
			requests, err := m.Requests(ctx, chosen)
			if err != nil {
				return err
			}
			return printList(s, format, requests, objectOfRequest,
				output.NewGrid(requestColumns...), func(w exchange.Work) []string {
					return []string{w.ID, w.Tenant, string(w.Status), w.TotalQuantity.FormatTonnes(), w.Project, strconv.Itoa(w.Year),
						day(w.CreatedAt), waitsFor(w)}
				})
		})
	f := cmd.Flags()
	f.StringVar(&filter.State, "state", "", "only those in the `STATE`: "+strings.Join(requestStates, ", "))
	f.StringVar(&filter.Tenant, "tenant", "", "only those of the tenant with the `NAME`")
	f.DurationVar(&age, "older-than", 0, "only those made so long ago or longer, such as 72h")
	return cmd
}

// waitsFor says what moves a request on: of several invoices the oldest, and
// how many more.
func waitsFor(w exchange.Work) string {
	switch w.Status {
	case model.Open:
		return "the end of the month"
	case model.InProgress:
		return "the registry"
	}
	if more := len(w.Unsettled) - 1; more > 0 {
		return w.Unsettled[0] + " +" + strconv.Itoa(more)
	}
	return dash(strings.Join(w.Unsettled, ""))
}

// invoiceObject is an invoice, as JSON.
type invoiceObject struct {
	ID         string       `json:"id"`
	Tenant     string       `json:"tenant"`
	Month      string       `json:"month"`
	State      string       `json:"state"`
	TotalCents string       `json:"total_cents"`
	SettledAt  output.Value `json:"settled_at"`
}

func (s *serveRun) listInvoicesCommand() *cobra.Command {
	var filter exchange.BillFilter
	cmd := s.printing("list", "List the invoices, oldest first", "invoices list --open", reads,
		listFlag[invoiceObject], func(ctx context.Context, m *marketplace.Marketplace, _ []string, format output.Format) error {
			invoices, err := m.Invoices(ctx, filter)
			if err != nil {
				return err
			}
			return printList(s, format, invoices, func(i exchange.Bill) invoiceObject {
				return invoiceObject{i.ID, i.Tenant, i.Month, i.State, strconv.FormatInt(int64(i.Total), 10), output.Time(i.SettledAt)}
			}, columns("ID", "TENANT", "MONTH", ">TOTAL", "STATE"), func(i exchange.Bill) []string {
				return []string{i.ID, i.Tenant, i.Month, i.Total.FormatDollars(), i.State}
			})
		})
	cmd.Flags().BoolVar(&filter.Open, "open", false, "only those that are not settled")
	cmd.Flags().StringVar(&filter.Tenant, "tenant", "", "only those of the tenant with the `NAME`")
	return cmd
}
