package execution

import (
	"strconv"
	"strings"
	"time"

	"tonne/model"
)

// named is the number of cheaper orders that a sentence names.
const named = 3

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// explain returns a sentence with the orders that were cheaper.
func (j *judge) explain(r *Row) string {
	end := " in the read of " + clock(r.Read.At) + warning(r.Read) + "."
	orders := model.Count(r.CheaperOrders, "order", "orders")
	were := " was cheaper"
	if r.CheaperOrders != 1 {
		were = " were cheaper"
	}
	switch {
	case r.Verdict == Lowest && r.CheaperOrders == 0:
		return "No order of the vintage, or of what counts as the same, was cheaper" + end
	case r.Verdict == Lowest:
		return "No order of the vintage was cheaper, and the same tonnes of what counts as the same cost no less" + end
	case r.Verdict == Higher:
		return orders + " of the vintage" + were + end[:len(end)-1] + ": " + j.list(r) + "."
	case r.CheaperOrders > 0:
		return orders + " of what counts as the same" + were + end[:len(end)-1] + ": " + j.list(r) + "."
	case r.Like == "":
		return "No order of the vintage was cheaper; the type or the year is not known, so nothing else was compared" + end
	}
	return "No order of the vintage was cheaper; what counts as the same had too few tonnes for sale" + end
}

// list names the cheapest of the cheaper orders.
func (j *judge) list(r *Row) string {
	var texts []string
	for i, f := range r.Cheaper {
		if i == named {
			texts = append(texts, "and "+model.FormatNumber(int64(r.CheaperOrders-named))+" more")
			break
		}
		text := f.Order.Price.FormatDollars() + " per tonne for " + model.FormatNumber(f.Tonnes) + " t of " +
			j.Projects.Name(f.Vintage.ProjectID)
		if f.Year != 0 {
			text += " " + strconv.Itoa(int(f.Year))
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// skewed is the difference of the clocks from which it is said.
const skewed = 2 * time.Second

func warning(r *Read) string {
	if !r.Dated || r.Ahead.Abs() <= skewed {
		return ""
	}
	way := " ahead of"
	if r.Ahead < 0 {
		way = " behind"
	}
	return " (the clock of the service was " + r.Ahead.Abs().Round(time.Second).String() + way + " that of this machine)"
}
