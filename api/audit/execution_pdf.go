package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/execution"
	"tonne/model/file/paper"
	"tonne/model/statement"
)

// ExecutionOf is what a comparison of purchases is of. From and To (exclusive) are zero without a limit. Projects
// name those of the cheaper orders; they may be nil. Vintage and Request name the only vintage and request of the
// purchases, and Like is the expression for what they are compared with. They are empty without a selection.
type ExecutionOf struct {
	Account       statement.Account
	From, To, Now time.Time
	Vintage       string
	Request, Like string
	Projects      model.Projects
}

func (of ExecutionOf) period() string {
	from, to := "the first purchase", "now"
	switch {
	case !of.From.IsZero() && !of.To.IsZero():
		return model.FormatPeriod(of.From, of.To, time.DateOnly)
	case !of.From.IsZero():
		from = of.From.Format(time.DateOnly)
	case !of.To.IsZero():
		to = of.To.AddDate(0, 0, -1).Format(time.DateOnly) + " inclusive, UTC"
	}
	return from + " to " + to
}

// selection returns what is selected, as facts.
func (of ExecutionOf) selection() [][2]string {
	all := [][2]string{{"Only vintage", of.Vintage}, {"Only request", of.Request}, {"Compared with", of.Like}}
	return slices.DeleteFunc(all, func(fact [2]string) bool { return fact[1] == "" })
}

// ExecutionPDF prints compared purchases as a PDF: a summary, then the recorded book of each, then a list of those
// before which nothing was recorded. The same input makes the same bytes.
func ExecutionPDF(of ExecutionOf, rows []execution.Row) ([]byte, error) {
	p := newExecutionPDF(of)
	p.summary(of, rows)
	p.recorded(rows)
	p.notRecorded(rows)
	p.footers()
	file, err := p.Bytes()
	if err != nil {
		return nil, fmt.Errorf("print purchases: %w", err)
	}
	return file, nil
}

type executionPDF struct {
	*report
	projects model.Projects
}

func newExecutionPDF(of ExecutionOf) *executionPDF {
	p := &executionPDF{newReport("purchases and the recorded market", of.period(), of.Account, of.Now), of.Projects}
	for _, fact := range of.selection() {
		p.selection = append(p.selection, strings.ToLower(fact[0])+" "+fact[1])
	}
	p.made = "from the trades of the inventory and the record of the market."
	return p
}

// verdictNames say what the verdicts mean.
var verdictNames = map[execution.Verdict]string{
	execution.Lowest:          "nothing that counts as the same was cheaper",
	execution.LowestOfVintage: "no order of the vintage was cheaper, but others were, or are not known",
	execution.Higher:          "an order of the vintage was cheaper",
	execution.NotRecorded:     "the market was not recorded at the time",
}

func (p *executionPDF) summary(of ExecutionOf, rows []execution.Row) {
	facts := AccountRows(statement.Source{Account: of.Account})
	facts[0][1] = of.period()
	p.first(slices.Insert(facts, 1, of.selection()...)...)
	sum := execution.Sum(rows)
	cost, above := sum.Cost.FormatDollars(), sum.Above.FormatDollars()
	if sum.TooLarge {
		cost, above = unknown, unknown
	}
	above += ", over " + model.Count(sum.Compared, "purchase", "purchases") + " that can be compared"
	if sum.Compared == 0 {
		above = unknown + ": no purchase can be compared"
	}
	tonnes, _ := model.WholeTonnes(sum.Tonnes)
	p.Fact("Purchases", model.FormatNumber(int64(len(rows))))
	p.Fact("Quantity", tonnes.FormatTonnes())
	p.Fact("Cost", cost)
	p.Fact("Above the cheapest", above)
	p.Heading("Purchases by verdict")
	var lines [][]string
	for _, v := range execution.Verdicts {
		lines = append(lines, []string{string(v), verdictNames[v], strconv.Itoa(sum.Purchases[v])})
	}
	p.table(pdfTable{[]string{"VERDICT", "MEANING", "PURCHASES"}, []float64{36, 108, 26}, 2}, lines, 0)
	p.Heading("What this shows")
	p.paragraph("The sell orders that this marketplace showed in the last complete read before each purchase, " +
		"at most two minutes before it. Other venues, hidden orders and what happened between two reads are not known.")
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "none"
	}
	return t.UTC().Format("2006-01-02 15:04:05.000 UTC")
}

var (
	bookTable = pdfTable{[]string{"", "SELL ORDER", "PRICE/t", "TONNES", "CUM. TONNES", "CUM. COST"},
		[]float64{6, 62, 24, 24, 26, 28}, 2}
	unreadTable = pdfTable{[]string{"NO.", "TIME (UTC)", "PROJECT", "YEAR", "QUANTITY", "PRICE/t", "COST"},
		[]float64{10, 36, 52, 12, 20, 18, 22}, 4}
	cheaperTable = pdfTable{[]string{"PROJECT", "YEAR", "SELL ORDER", "PRICE/t", "TONNES"},
		[]float64{62, 14, 50, 22, 22}, 3}
)

// recorded prints the purchases before which the market was read.
func (p *executionPDF) recorded(rows []execution.Row) {
	begun := false
	for i, r := range rows {
		if r.Read == nil {
			continue
		}
		if !begun {
			p.begin("Purchases")
			begun = true
		}
		p.purchase(i, r)
	}
}

// notRecorded lists the purchases before which the market was not read, by the reason why.
func (p *executionPDF) notRecorded(rows []execution.Row) {
	why := make(map[string][]int)
	for i, r := range rows {
		if r.Read == nil {
			why[r.Why] = append(why[r.Why], i)
		}
	}
	if len(why) > 0 {
		p.begin("Purchases of which nothing was recorded")
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		p.paragraph(reason)
		p.start(unreadTable)
		for _, i := range why[reason] {
			p.unread(i, rows[i])
		}
		p.again = nil
		p.PDF.Ln(4)
	}
}

func (p *executionPDF) unread(n int, r execution.Row) {
	at := unknown
	if r.Trade.ExecutionDate.Known() {
		at = r.At().UTC().Format(time.DateTime)
	}
	p.row(unreadTable, []string{strconv.Itoa(n + 1), at, nameOf(r), yearOf(r.Year), r.Trade.Quantity.FormatTonnes(),
		price(r.Trade.Price), amountText(r.Cost)}, paper.Ink, "")
	if r.Reason != "" {
		p.PDF.SetX(paper.Margin + unreadTable.widths[0])
		p.PDF.MultiCell(paper.Width-unreadTable.widths[0], paper.Line, paper.Printable("Reason: "+r.Reason), "", "L", false)
	}
}

func nameOf(r execution.Row) string { return cmp.Or(r.Project.Name, r.Vintage.ProjectID) }

func (p *executionPDF) purchase(n int, r execution.Row) {
	title := fmt.Sprintf("Purchase %d: %s %s", n+1, nameOf(r), yearOf(r.Year))
	p.part = title
	p.Keep(60)
	p.Heading(paper.Printable(title))
	p.Fact("Bought", r.Trade.Quantity.FormatTonnes()+" at "+price(r.Trade.Price)+" per tonne, "+
		amountText(r.Cost)+" in total")
	p.Fact("Time", stamp(r.At()))
	p.Fact("Read before", stamp(r.Read.At)+", "+model.FormatNumber(r.Seconds())+" s before")
	p.Fact("Read after", stamp(r.Read.Next))
	p.Fact("Verdict", string(r.Verdict))
	p.Fact("Over the vintage", amountText(r.VintageDifference()))
	p.Fact("Over what is alike", amountText(r.LikeDifference())+" ("+cmp.Or(paper.Printable(r.Like), unknown)+")")
	if r.Reason != "" {
		p.Fact("Reason", paper.Printable(r.Reason))
	}
	p.paragraph(r.Why)
	p.book(r)
	if len(r.Cheaper) > 0 {
		p.table(cheaperTable, p.cheaperRows(r), 0)
		p.PDF.Ln(2)
	}
}

// mostAsks is the number of orders of a book that are printed.
const mostAsks = 15

func (p *executionPDF) book(r execution.Row) {
	if r.Verdict == execution.NotRecorded || len(r.Book.Asks) == 0 {
		return
	}
	var lines [][]string
	for i, a := range r.Book.Asks {
		mark := ""
		if a.Order.ID == r.BoughtOrder {
			mark = "→"
		}
		if i >= mostAsks && mark == "" {
			continue
		}
		cost := unknown
		if cents, err := a.CumCost.Cents(); err == nil {
			cost = cents.FormatDollars()
		}
		lines = append(lines, []string{mark, a.Order.ID, price(a.Order.Price), model.FormatNumber(a.Tonnes),
			model.FormatNumber(a.CumTonnes), cost})
	}
	p.table(bookTable, lines, 0)
	if more := len(r.Book.Asks) - len(lines); more > 0 {
		p.paragraph(model.Count(more, "further order", "further orders"))
	}
	p.PDF.Ln(2)
}

func (p *executionPDF) cheaperRows(r execution.Row) (lines [][]string) {
	for _, f := range r.Cheaper {
		lines = append(lines, []string{p.projects.Name(f.Vintage.ProjectID), yearOf(f.Year), f.Order.ID, price(f.Order.Price),
			model.FormatNumber(f.Tonnes)})
	}
	return lines
}

func yearOf(year int32) string {
	if year == 0 {
		return unknown
	}
	return strconv.Itoa(int(year))
}

func price(p model.PriceCents) string {
	if !p.Known() {
		return unknown
	}
	return p.FormatDollars()
}

func amountText(a execution.Amount) string {
	if !a.Known {
		return unknown
	}
	return a.Cents.FormatDollars()
}
