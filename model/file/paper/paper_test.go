package paper_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tonne/model/file/paper"
	must "tonne/model/musttest"
)

func sheet() paper.Sheet {
	s := paper.New("A statement", "2026", time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	s.PDF.AddPage()
	s.Banner("Statement", "00m1", paper.CodeFont)
	s.Heading("Totals")
	s.Fact("Retired", "15,000 t")
	return s
}

func TestSameInputMakesTheSameFile(t *testing.T) {
	t.Parallel()
	a, b := must.Get(sheet().Bytes()), must.Get(sheet().Bytes())
	must.Hold(t, bytes.Equal(a, b) && bytes.HasPrefix(a, []byte("%PDF-")), len(a), len(b))
}

func TestPrintableHasOnlyWhatTheFontsAndTheLibraryTake(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "Müller & Söhne": "Müller & Söhne", "a\tb\r\nc": "a b  c", "\x1b[31m": " [31m", "ok 👍": "ok �", "\xff": "�",
	} {
		must.Equal(t, paper.Printable(text), want, text)
	}
}

func TestFitShortensToTheWidth(t *testing.T) {
	t.Parallel()
	s := sheet()
	long := strings.Repeat("Bale Mountains ", 20)
	must.Equal(t, s.Fit("Bale Mountains", paper.Width), "Bale Mountains")
	for _, width := range []float64{5, 40, paper.Width} {
		got := s.Fit(long, width)
		kept, cut := strings.CutSuffix(got, "…")
		must.Hold(t, cut && strings.HasPrefix(long, kept) && s.PDF.GetStringWidth(got) <= width, width, got)
	}
}

func TestHeadingIsNotAloneAtTheEndOfAPage(t *testing.T) {
	t.Parallel()
	s := sheet()
	for s.Fits(22) {
		s.Fact("Retired", "15,000 t")
	}
	must.Equal(t, s.PDF.PageNo(), 1)
	s.Heading("Purchases")
	must.Equal(t, s.PDF.PageNo(), 2)
}
