package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// example is a certificate with so many ranges and items.
func example(ranges, items int) exchange.Certificate {
	at := model.At(time.Date(2026, 2, 8, 11, 46, 0, 0, time.UTC))
	c := exchange.Certificate{
		Retirement: retirement.Request{ID: "00m000000000000001", TotalQuantity: 15_000_000_000, CreatedAt: at, RetiredAt: at,
			VintageID: "004a"},
		Project: model.Project{ID: "003a", Name: "Bale Mountains", Type: "REDD+", Country: "ET", RegistryName: "VERRA"},
	}
	for i := range ranges {
		c.Ranges = append(c.Ranges,
			exchange.SerialRange{Serial: fmt.Sprintf("19334-%d-%d-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1", i, i),
				Tonnes: 1})
	}
	for i := range items {
		c.Retirement.Items = append(c.Retirement.Items,
			retirement.Item{ID: fmt.Sprint(i), Quantity: 1, CreatedAt: at, RetireeName: "A " + fmt.Sprint(i%3)})
	}
	return c
}

// pages counts the pages of a PDF.
func pages(pdf []byte) int { return bytes.Count(pdf, []byte("/Type /Page\n")) }

func TestLongCertificatesHaveSeveralPages(t *testing.T) {
	for _, test := range []struct{ ranges, items, least, most int }{{1, 1, 1, 1}, {60, 1, 2, 3}, {1, 80, 3, 5},
		{0, 0, 1, 1}} {
		pdf := must.Get(Print(example(test.ranges, test.items)))
		n := pages(pdf)
		must.Hold(t, n >= test.least && n <= test.most, test.ranges, test.items, n)
	}
}

func TestAnyNameCanBePrinted(t *testing.T) {
	for _, name := range []string{"", "Ünïcode Ω Ж", "界", strings.Repeat("W", 255), strings.Repeat("long words ", 20),
		"\U0001F333", "\xff", "a\tb", "(\\)"} {
		c := example(1, 1)
		c.Retirement.Items[0].RetireeName, c.Project.Name = name, name
		pdf, err := Print(c)
		must.Hold(t, err == nil && bytes.HasPrefix(pdf, []byte("%PDF-")), name, err)
	}
}

func TestBeneficiariesAreNamedOnce(t *testing.T) {
	must.Equal(t, joined(example(0, 7).Retirement.Beneficiaries()), "A 0, A 1, A 2")
	must.Equal(t, joined(example(0, 0).Retirement.Beneficiaries()), "not named")
}

func TestCertificateDateIsInUTC(t *testing.T) {
	late := time.Date(2026, 2, 8, 23, 46, 0, 0, time.FixedZone("EST", -5*60*60))
	must.Equal(t, date(late), "9 February 2026 (UTC)")
}
