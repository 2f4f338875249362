// Package pdf prints the proof of a retirement as a PDF: a page that
// finance can file. The same retirement is printed into the same bytes every
// time, so that the hash of a copy proves that it is the original.
package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"tonne/api/marketplace/exchange"
)

// Print prints a certificate on A4 pages.
func Print(c exchange.Certificate) ([]byte, error) {
	s := newSheet(printable(c))
	s.pdf.AddPage()
	s.statement()
	s.details()
	s.serials()
	s.items()
	var out bytes.Buffer
	if err := s.pdf.Output(&out); err != nil {
		return nil, fmt.Errorf("print certificate: %w", err)
	}
	return out.Bytes(), nil
}

// printable returns the certificate with every text as the printer can take
// it: it knows no characters beyond the basic plane and breaks at what is not
// UTF-8. What it cannot print is shown as a replacement character.
func printable(c exchange.Certificate) exchange.Certificate {
	clean := func(s *string) {
		*s = strings.Map(func(r rune) rune {
			switch {
			case r > 0xffff:
				return unicode.ReplacementChar
			case unicode.IsControl(r):
				return ' '
			}
			return r
		}, strings.ToValidUTF8(*s, string(unicode.ReplacementChar)))
	}
	clean(&c.Project.Name)
	clean(&c.Project.Type)
	c.Retirement.Items = slices.Clone(c.Retirement.Items)
	for i := range c.Retirement.Items {
		item := &c.Retirement.Items[i]
		clean(&item.RetireeName)
		clean(&item.RetireeTaxID)
		clean(&item.RetireeCountry)
	}
	return c
}

func beneficiaries(c exchange.Certificate) []string {
	var names []string
	for _, item := range c.Retirement.Items {
		if item.RetireeName != "" && !slices.Contains(names, item.RetireeName) {
			names = append(names, item.RetireeName)
		}
	}
	return names
}

// Fonts: the Go fonts cover Latin, Greek and Cyrillic.
const (
	textFont = "go"
	codeFont = "gomono"
)

// sheet is a certificate while it is printed. Lengths are millimetres.
type sheet struct {
	exchange.Certificate
	pdf *fpdf.Fpdf
}

const (
	margin    = 20.0
	pageWidth = 210.0
	width     = pageWidth - 2*margin
	line      = 5.2
)

func newSheet(c exchange.Certificate) *sheet {
	s := &sheet{c, fpdf.New("P", "mm", "A4", "")}
	s.pdf.SetCatalogSort(true)
	s.pdf.SetCreationDate(c.Retirement.RetiredAt.Time)
	s.pdf.SetModificationDate(c.Retirement.RetiredAt.Time)
	s.pdf.SetTitle("Certificate of retirement "+c.Retirement.ID, true)
	s.pdf.SetSubject(c.Project.Name+", vintage "+fmt.Sprint(c.VintageYear), true)
	s.pdf.SetCreator("tonne", true)
	s.pdf.SetLang("en")
	// The printer writes into the fonts that it is given.
	s.pdf.AddUTF8FontFromBytes(textFont, "", bytes.Clone(goregular.TTF))
	s.pdf.AddUTF8FontFromBytes(textFont, "B", bytes.Clone(gobold.TTF))
	s.pdf.AddUTF8FontFromBytes(codeFont, "", bytes.Clone(gomono.TTF))
	s.pdf.SetMargins(margin, margin, margin)
	s.pdf.SetAutoPageBreak(true, 26)
	s.pdf.SetHeaderFunc(s.header)
	s.pdf.SetFooterFunc(s.footer)
	s.pdf.AliasNbPages("")
	return s
}

func date(t time.Time) string { return t.UTC().Format("2 January 2006 (UTC)") }

func joined(names []string) string {
	if len(names) == 0 {
		return "not named"
	}
	return strings.Join(names, ", ")
}
