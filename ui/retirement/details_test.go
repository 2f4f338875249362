package retirement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

const verra = "19334-940082955-940097954-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1"

func TestEachResultOfEachCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*retirement.Request)
		want   string
	}{
		{func(*retirement.Request) {}, "✓ items sum to total  2 items, 15,000 t"},
		{func(r *retirement.Request) { r.Items = r.Items[:1] }, "✗ items sum to total  1 item, 10,000 t of 15,000 t"},
		{func(r *retirement.Request) { r.Items = nil }, "· items sum to total  no items are listed"},
		{func(*retirement.Request) {}, "✓ serial ranges sum to whole tonnes  15,000 of 15,000 t"},
		{func(r *retirement.Request) { r.SerialNumbers = append(r.SerialNumbers, verra) }, "✗ serial ranges sum to whole tonnes  30,000 of 15,000 t; 1 range listed twice"},
		{func(r *retirement.Request) { r.SerialNumbers = []string{"?"} }, "· serial ranges sum to whole tonnes  1 of 1 serial number in an unknown format"},
		{func(*retirement.Request) {}, "✓ invoices settled  all are settled"},
		{func(r *retirement.Request) { r.AllInvoicesSettled = model.No }, "✗ invoices settled  one or more are not settled"},
		{func(r *retirement.Request) { r.AllInvoicesSettled = model.Unset }, "· invoices settled  the service does not say"},
		{func(r *retirement.Request) { r.Items[1].RetireeTaxID = "9" }, "✓ beneficiary on every item  2 of 2 items"},
		{func(*retirement.Request) {}, "✗ beneficiary on every item  1 of 2 items has no tax id"},
		{func(r *retirement.Request) { r.Items = nil }, "· beneficiary on every item  no items are listed"},
		{func(*retirement.Request) {}, "✓ project and vintage agree with serials  vintage 2019"},
		{func(r *retirement.Request) { r.SerialNumbers[0] = strings.ReplaceAll(verra, "2019", "2018") }, "✗ project and vintage agree with serials  1 of 1 serial number not of vintage 2019"},
		{func(r *retirement.Request) { r.ProjectID = "003unheardof" }, "· project and vintage agree with serials  the details of the project are unknown"},
	} {
		r := newRobot(t, Options{}).with(request(retirement.Complete, c.change))
		r.Sees(c.want)
	}
}

func TestNumbersAreNeverCut(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{}).with(request(retirement.Complete, func(a *retirement.Request) {
		a.TotalQuantity, a.Items[0].Quantity, a.Items[1].Quantity = 12_345_678_901_234, 1_234_567_890_123, 10_000_000
	}))
	for _, grams := range []bool{false, true} {
		r.View.InGrams = grams
		r.tab.Handle(tab.UnitChanged{})
		whole := r.View.Quantity(12_345_678_901_234)
		item := r.View.Quantity(1_234_567_890_123)
		for _, size := range [][2]int{{60, 60}, {80, 60}, {100, 60}, {120, 60}, {200, 60}} {
			r.Text = func() string { return ansi.Strip(r.FrameAt(size[0], size[1])) }
			r.Sees(item+"  Your Cu", whole+"  whole", "quantity          "+whole, "GB")
		}
	}
}

func TestDetailsOfTenThousandSerialNumbers(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{}).with(tenThousand())
	r.Sees("10,000 ranges · 20,000 t", "9,990 more", "ITEMS")
	r.Press("enter", "}", "}", "}")
	for range 10 {
		r.Press("j")
	}
	r.Press("enter", "G")
	r.Sees("hold_reason")
	r.Press("g", "g", "/")
	r.typed("-19990-")
	r.Sees("1 of 10,000 ranges")
}

func tenThousand() *retirement.Request {
	return request(retirement.Complete, func(a *retirement.Request) {
		a.SerialNumbers = nil
		for i := range 10_000 {
			a.SerialNumbers = append(a.SerialNumbers, fmt.Sprintf("19334-%d-%d-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1", i*2, i*2+1))
		}
		a.Extra = []model.Field{{Name: "hold_reason", Value: "none"}}
	})
}

func TestHostileTextCannotControlTerminal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"\x1b]0;evil", "\u009b2J", "a\rb\bc\nd", "\x1b]8;;https://evil.example\x07x", "\u202eevil\u200b", "x" + strings.Repeat("\u0301", 500), strings.Repeat("森name ", 2_000),
	} {
		r := newRobot(t, Options{}).with(request(retirement.Status(text), func(a *retirement.Request) {
			a.ProjectID, a.VintageID, a.Type, a.CertificateURL = text, text, retirement.Type(text), text
			a.CreatedAt, a.RetiredAt, a.SerialNumbers = model.ParseTimestamp(text), model.ParseTimestamp(text), []string{text}
			a.Items = []retirement.Item{{ID: text, CreatedAt: model.ParseTimestamp(text), RetireeName: text, RetireeTaxID: text, RetireeCountry: text, InvoiceID: text, TradeID: text}}
			a.Extra, a.Faults = []model.Field{{Name: text, Value: text}}, []model.Fault{{Path: text, Reason: text}}
		}))
		r.Press("L")
		r.Reply(text)
		for _, size := range [][2]int{{60, 11}, {80, 20}, {140, 40}} {
			uitest.Sound(t, r.FrameAt(size[0], size[1]))
			r.Press("enter", "G", "enter")
			uitest.Sound(t, r.FrameAt(size[0], size[1]))
			r.Press("esc")
		}
		uitest.Sound(t, strings.Join(r.Notified, ""))
	}
}
