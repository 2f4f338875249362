package marketplace

import (
	"context"
	"fmt"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/pdf"
)

// MaxCertificate is the largest certificate of a registry that is kept, in
// bytes.
const MaxCertificate = pdf.MaxFile

// Registered is what a registry says about a retirement.
type Registered struct {
	// Serials are its serial numbers, as exchange.ParseRange reads them. None
	// are made up, but only in a database with demo data.
	Serials []string
	// Certificate is its own, a PDF; nil lets the service print one.
	Certificate []byte
}

// CompleteAs completes a request with what its registry says. The errors are those
// of exchange.Change.CompleteAs, a *TextError, pdf.ErrNotPDF or pdf.ErrTooLarge.
func (m *Marketplace) CompleteAs(ctx context.Context, id string, by Registered) error {
	said, err := readRegistered(by)
	if err != nil {
		return err
	}
	return m.Operate(ctx, "complete retirement", func(c *exchange.Change) error { return c.CompleteAs(id, said) })
}

func readRegistered(by Registered) (said exchange.Registered, err error) {
	for _, text := range by.Serials {
		if err := checkText("the serial number", text); err != nil {
			return said, err
		}
		s, err := exchange.ParseRange(text)
		if err != nil {
			return said, err
		}
		said.Ranges = append(said.Ranges, s)
	}
	if by.Certificate != nil {
		said.Certificate = by.Certificate
		if err := pdf.Check(by.Certificate); err != nil {
			return said, fmt.Errorf("the certificate is refused: %w", err)
		}
	}
	return said, nil
}
