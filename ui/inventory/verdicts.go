package inventory

import (
	"context"
	"time"

	"tonne/model"
	"tonne/model/execution"
	"tonne/model/field"
	"tonne/model/portfolio"
	"tonne/ui/effect"
	"tonne/ui/style"
)

// Record compares purchases with the recorded market.
type Record struct {
	// Compare compares the purchases of an inventory. It may block.
	Compare func(ctx context.Context, inv *portfolio.Inventory, projects model.Projects) ([]execution.Row, error)
	// Explain saves the user's reason of a purchase. It may block, and is nil if nothing can be saved.
	Explain func(ctx context.Context, of execution.Purchase, reason string) error
	// Show shows the recorded market of a time.
	Show func(of model.VintageKey, at time.Time) effect.Effect
}

// purchase identifies equal purchases: the API has no trade ids.
type purchase struct {
	of       model.VintageKey
	at       string
	quantity model.Grams
	price    model.PriceCents
}

// verdicts are the comparisons of the purchases of an inventory.
type verdicts struct {
	of *portfolio.Positions
	// rows has the comparisons of equal purchases, in the order of the inventory.
	rows map[purchase][]execution.Row
	// running reports that a comparison is in progress, and err is the error of the last one.
	running bool
	err     error
}

// purchases compares the purchases of the tab.
type purchases struct{ *Tab }

// compared is the result of a comparison.
type compared struct {
	of   *portfolio.Positions
	rows []execution.Row
	err  error
}

// compare compares the purchases if they have changed, while the tab is visible.
func (t purchases) compare() effect.Effect {
	positions := t.book.Positions
	if t.Record.Compare == nil || !t.visible || t.verdicts.running || positions == nil || t.book.Partial ||
		t.book.Earlier || positions == t.verdicts.of {
		return nil
	}
	t.verdicts.running = true
	projects := t.view.Projects
	return effect.Work(func(ctx context.Context) any {
		rows, err := t.Record.Compare(ctx, positions.Inventory(), projects)
		return compared{positions, rows, err}
	})
}

func (t purchases) takeVerdicts(c compared) effect.Effect {
	t.verdicts = verdicts{of: c.of, err: c.err, rows: make(map[purchase][]execution.Row)}
	for _, r := range c.rows {
		key := boughtOf(r.Vintage, r.Trade)
		t.verdicts.rows[key] = append(t.verdicts.rows[key], r)
	}
	t.trades.table.Show("verdict", true)
	t.refresh()
	return t.compare()
}

func boughtOf(key model.VintageKey, x portfolio.Trade) purchase {
	return purchase{key, x.ExecutionDate.Text, x.Quantity, x.Price}
}

// find returns the comparison of a purchase, or nil. number counts equal purchases from 1.
func (v *verdicts) find(key model.VintageKey, x portfolio.Trade, number int) *execution.Row {
	rows := v.rows[boughtOf(key, x)]
	if x.Type != portfolio.Buy || number > len(rows) {
		return nil
	}
	return &rows[number-1]
}

var verdictMarks = map[execution.Verdict]struct {
	role style.Role
	mark string
	text string
}{
	execution.Lowest:          {style.Accent, "●", "lowest"},
	execution.LowestOfVintage: {style.Cheaper, "◐", "lowest of the vintage"},
	execution.Higher:          {style.Warning, "▲", "higher"},
	execution.NotRecorded:     {style.Faint, "·", "not recorded"},
}

// verdict is the mark of the comparison, and how much more was paid if the same vintage was cheaper.
func (x trade) verdict() string {
	if x.row == nil {
		return ""
	}
	text := verdictMarks[x.row.Verdict].mark
	if d := x.row.VintageDifference(); x.row.Verdict == execution.Higher && d.Known {
		text += " +" + d.Cents.FormatDollars()
	}
	return text
}

func verdictCell(c *style.Cell, x trade) {
	if x.row != nil {
		c.Put(verdictMarks[x.row.Verdict].role, x.verdict())
	}
}

func (x trade) verdictValue() field.Value { return field.Optional(x.verdict()) }
