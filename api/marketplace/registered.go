package marketplace

import (
	"context"
	"errors"
	"fmt"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/pdf"
)

// ErrSerialsNeeded is returned where a retirement that is not one of a demo
// would be completed with serial numbers that no registry has issued.
var ErrSerialsNeeded = errors.New("the registry's serial numbers are needed: the service makes them up only for demo data")

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

// CompleteAs completes a request with what its registry says. The error is
// exchange.ErrUnknownRequest, exchange.ErrNotInProgress or ErrSerialsNeeded, a
// *exchange.SerialError, a *TextError, pdf.ErrNotPDF or pdf.ErrTooLarge.
func (m *Marketplace) CompleteAs(ctx context.Context, id string, by Registered) error {
	said, err := readRegistered(by)
	if err != nil {
		return err
	}
	return failedAt("complete retirement", m.Change(ctx, m.Now(), operator, func(c *exchange.Change) error {
		if len(said.Ranges) > 0 {
			return c.CompleteAs(id, said)
		}
		return completeDemo(c, id, said)
	}))
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

func completeDemo(c *exchange.Change, id string, said exchange.Registered) error {
	r, err := c.InProgress(id)
	if err != nil {
		return err
	}
	demo, err := exchange.HasDemo(c)
	if err == nil && !demo {
		err = ErrSerialsNeeded
	}
	if err == nil && said.Certificate != nil {
		err = c.KeepCertificate(r, said.Certificate)
	}
	if err != nil {
		return err
	}
	return c.Complete(id)
}
