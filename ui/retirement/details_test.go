package retirement

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

const verra = "19334-940082955-940097954-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1"

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

func TestHostileTextCannotControlTerminal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"\x1b]0;evil", "\u009b2J", "a\rb\bc\nd", "\x1b]8;;https://evil.example\x07x", "\u202eevil\u200b",
		"x" + strings.Repeat("\u0301", 500), strings.Repeat("森name ", 2_000),
	} {
		r := newRobot(t, Options{}).with(request(retirement.Status(text), func(a *retirement.Request) {
			a.ProjectID, a.VintageID, a.Type, a.CertificateURL = text, text, retirement.Type(text), text
			a.CreatedAt, a.RetiredAt, a.SerialNumbers = model.ParseTimestamp(text), model.ParseTimestamp(text), []string{text}
			a.Items = []retirement.Item{{ID: text, CreatedAt: model.ParseTimestamp(text), RetireeName: text, RetireeTaxID: text,
				RetireeCountry: text, InvoiceID: text, TradeID: text}}
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
