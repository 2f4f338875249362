package inventory

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/execution"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/uitest"
)

// compareAll gives the purchases the verdicts in turn, and the recorded book of the first vintage.
func compareAll(_ context.Context, inv *portfolio.Inventory, _ model.Projects) (rows []execution.Row, err error) {
	book := uitest.Market(0).Book(0)
	for i, p := range execution.Purchases(inv, nil) {
		r := execution.Row{Purchase: p, Verdict: execution.Verdicts[i%4], Why: "One sentence for people.",
			Cost: execution.Amount{Cents: 700, Known: true}}
		if r.Verdict != execution.NotRecorded {
			at := p.At().Add(-2 * time.Second)
			r.Read, r.Book, r.BoughtOrder = &execution.Read{At: at, Next: at.Add(5 * time.Second)}, book, book.Asks[1].Order.ID
			r.VintageCost = execution.Amount{Cents: 580, Known: true}
			r.Like, r.LikeCost = "type=x", execution.Amount{Cents: 550, Known: true}
			r.LikeFills = []execution.Fill{{Vintage: uitest.Key("003cabo", 0), Order: market.SellOrder{Price: 115}, Tonnes: 3}}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// comparing returns a robot whose purchases are compared.
func comparing(t *testing.T, record Record) *robot {
	r := newRobot(t)
	r.tab.Record = record
	frame := r.Text
	r.Text = func() string {
		if r.Panel == nil {
			return frame()
		}
		w, h := r.Panel.Size(116, 34)
		block := style.NewBlock(r.View.Theme, w, h)
		r.Panel.Draw(block)
		uitest.Exact(t, block.String(), w, h)
		return r.Panel.Title() + "\n" + ansi.Strip(block.String())
	}
	r.Shown()
	r.know()
	inv := uitest.Inventory()
	r.Hear(session.PortfolioEvent{Status: uitest.Live(), LastPaid: inv.LastPaid(),
		Positions: portfolio.NewPositions(inv, inv)})
	return r
}

func TestPurchaseOpensTheBookWhenItWasBought(t *testing.T) {
	t.Parallel()
	var explained, shown string
	r := comparing(t, Record{Compare: compareAll,
		Explain: func(_ context.Context, of execution.Purchase, reason string) error {
			explained = of.Trade.ExecutionDate.Text + " " + reason
			return nil
		},
		Show: func(of model.VintageKey, at time.Time) effect.Effect {
			shown = of.VintageID + at.Format(" 2006-01-02 15:04")
			return nil
		}})
	r.Sees("VERDICT")
	r.Press("enter")
	for range 20 {
		if x, _ := r.tab.trades.table.Current(); x.row != nil && x.row.Verdict == execution.Higher {
			break
		}
		r.Press("j")
	}
	x, _ := r.tab.trades.table.Current()
	must.Need(t, x.row != nil && x.row.Verdict == execution.Higher, x)
	r.Sees("▲ +$1.20")
	r.Press("enter")
	r.Sees("The book when we bought", "▲ higher", "One sentence for people.", "read ", "next read ", "★ ", "CUM. COST",
		"CHEAPEST OF THE SAME", "$1.15  3 t  Cabo Leones 2021", "we paid $1.50 more")
	r.Press("L")
	r.Reply("the only one with a label")
	must.Equal(t, explained, x.ExecutionDate.Text+" the only one with a label")
	r.Press("enter")
	r.Sees("Reason: the only one with a label")
	r.Press("m")
	must.Equal(t, shown, x.row.Vintage.VintageID+x.ExecutionDate.Time.Format(" 2006-01-02 15:04"))
	r.Closed()
}

func TestPurchaseThatWasNotRecordedSaysWhy(t *testing.T) {
	t.Parallel()
	unrecorded := func(ctx context.Context, inv *portfolio.Inventory, p model.Projects) ([]execution.Row, error) {
		rows, err := compareAll(ctx, inv, p)
		for i := range rows {
			rows[i].Verdict, rows[i].Read, rows[i].Book = execution.NotRecorded, nil, market.Book{}
		}
		return rows, err
	}
	show := func(model.VintageKey, time.Time) effect.Effect {
		t.Error("a market that was not recorded is shown")
		return nil
	}
	for name, tt := range map[string]struct {
		record Record
		why    string
	}{
		"market":  {Record{Compare: unrecorded, Show: show}, "One sentence for people."},
		"session": {Record{Compare: unrecorded}, "This session records no markets."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := comparing(t, tt.record)
			r.Press("enter", "enter")
			r.Sees("· not recorded", "One sentence for people.", "Esc closes")
			r.SeesNot("L reason", "m the market", "★ ")
			r.Press("m")
			r.Hears(tt.why)
			r.Press("L")
			r.Hears("Reasons cannot be saved in this session.")
			r.Sees("Esc closes")
		})
	}
}

func TestRecordThatCannotBeReadIsReported(t *testing.T) {
	t.Parallel()
	damaged := func(context.Context, *portfolio.Inventory, model.Projects) ([]execution.Row, error) {
		return nil, errors.New("orders.db is damaged")
	}
	r := comparing(t, Record{Compare: damaged})
	r.Press("enter", "enter")
	r.Hears("Orders.db is damaged.")
	r.Press("L")
	r.Hears("Reasons cannot be saved in this session.")
}
