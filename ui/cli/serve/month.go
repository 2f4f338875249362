package serve

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/advice"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
	"tonne/ui/output"
)

// closedMonth is a closed month and what was planned for it.
type closedMonth struct {
	exchange.MonthEnd
	plan exchange.MonthPlan
}

// monthEnd closes the accounting month.
type monthEnd struct {
	*operator
	yes, early bool
}

func (s *operator) closeMonthCommand() *cobra.Command {
	e := &monthEnd{operator: s}
	cmd := changeCommand(s, "close-month", "Close the accounting month: close open requests and issue invoices",
		"close-month",
		command.Irrevocable, checkDatabase, monthColumns, e.close)
	cmd.Long = "Closes the open accounting month: it retires the whole tonnes of the open requests, moves the\n" +
		"rest into the next month, and issues the invoices. It shows both and asks first. A month that is\n" +
		"not over yet is closed only with --early: its buyers then buy on a second invoice."
	cmd.Example += "\n  tonne serve close-month --yes -o json"
	command.YesFlag(cmd, &e.yes, "close the month without asking for confirmation")
	cmd.Flags().BoolVar(&e.early, "early", false, "close a month that is not over yet")
	return cmd
}

func (e *monthEnd) close(ctx context.Context, m *marketplace.Marketplace, _ []string) (closed closedMonth,
	sentence string, err error) {
	var wrong error
	plan, err := exchange.Read(ctx, m, func(tx exchange.Tx) exchange.MonthPlan {
		plan, err := exchange.PlanMonth(tx, m.Now())
		wrong = err
		return plan
	})
	if err == nil {
		err = wrong
	}
	if err == nil && plan.Period.Number == 0 {
		return closed, "no month is open: nothing was bought yet", nil
	}
	if err == nil {
		err = e.check(plan.Period, m.Now())
	}
	if err == nil {
		err = e.app.CanAsk(e.yes, advice.Format(
			"look at the work with %s and %s", advice.Tonne("serve requests list --state OPEN"), advice.Tonne("serve invoices")))
	}
	if err == nil && !e.yes {
		err = e.show(plan, e.app.Stderr, e.app.Tell)
	}
	if err == nil {
		err = e.app.Ask(ctx, e.yes, command.Question{
			Text: "Closing a month cannot be undone.", Word: plan.Period.Month, What: "close it",
			Not: "nothing was closed: the month was not confirmed",
		})
	}
	if err != nil {
		return closed, "", err
	}
	end, err := marketplace.Operate(ctx, m, "close the month", func(c *exchange.Change) exchange.MonthEnd {
		return exchange.CloseMonth(c, plan.Period.Number)
	})
	if err != nil {
		return closed, "", err
	}
	return closedMonth{end, plan}, e.sentence(plan, end), nil
}

// sentence returns what show prints, and then the counts of requests and invoices.
func (e *monthEnd) sentence(plan exchange.MonthPlan, end exchange.MonthEnd) string {
	var text strings.Builder
	_ = e.show(plan, &text, func(g *output.Grid) error { return g.Write(&text, terminal.Width(e.app.Stdout), false) })
	fmt.Fprintf(&text, "month %s: %s closed, %d with nothing to process, %s", end.Month,
		model.Count(end.Closed, "request", "requests"), end.NothingToProcess,
		model.Count(end.Invoices, "invoice", "invoices"))
	return text.String()
}

func (e *monthEnd) check(p exchange.Period, now time.Time) error {
	if p.Over(now) || e.early {
		return nil
	}
	return command.Usage("wait until it is over, when the service closes it by itself, or add --early",
		"the month %s is not over yet", p.Month)
}

// show prints what closing the month does, with a function that prints a table to w.
func (e *monthEnd) show(plan exchange.MonthPlan, w io.Writer, table func(*output.Grid) error) error {
	if len(plan.Requests) > 0 {
		if err := table(output.GridOf(closingColumns, slices.Values(plan.Requests))); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if len(plan.Invoices) > 0 {
		if err := table(output.GridOf(issuedColumns, slices.Values(plan.Invoices))); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "month %s: %s to close, %s to issue, together %s\n", plan.Period.Month,
		model.Count(len(plan.Requests), "request", "requests"), model.Count(len(plan.Invoices), "invoice", "invoices"),
		plan.Total.FormatDollars())
	return err
}
