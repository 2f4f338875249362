package exchange

import (
	"fmt"
	"io"
	"time"
)

// Change is a transaction that writes: everything in it happens at one time and
// in the name of one actor. After an error it is to be rolled back.
type Change struct {
	Tx
	// At is in UTC and in whole milliseconds.
	At    time.Time
	Actor string
	// Random is the source of ids and of the names of certificates.
	Random io.Reader
}

// Audit records that the actor did something to the subject, an id.
func (c *Change) Audit(action, subject, detail string) error {
	return c.Do("INSERT INTO audit (at, actor, action, subject, detail) VALUES ($1, $2, $3, $4, $5)",
		c.At.UnixMilli(), c.Actor, action, subject, detail)
}

func all[T any](read []T, err error, do func(T) error) error {
	for _, one := range read {
		if err == nil {
			err = do(one)
		}
	}
	return err
}

// The prefixes of ids. They help a person to tell ids apart; nothing relies on
// them.
const (
	ProjectID  = "003"
	VintageID  = "004"
	RegistryID = "005"

	sellOrderID   = "006"
	tradeID       = "00g"
	invoiceID     = "00i"
	requestID     = "00m"
	apiKeyID      = "00n"
	requestItemID = "00p"
)

const idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// NewID returns a prefix and fifteen random letters and digits.
func (c *Change) NewID(prefix string) (string, error) {
	id := make([]byte, 0, 18)
	id = append(id, prefix...)
	var buf [20]byte
	// A byte from 252 up would make some letters likelier than others.
	const fair = 252
	for {
		if _, err := io.ReadFull(c.Random, buf[:]); err != nil {
			return "", fmt.Errorf("make an id: %w", err)
		}
		for _, b := range buf {
			if b >= fair {
				continue
			}
			id = append(id, idAlphabet[b%36])
			if len(id) == cap(id) {
				return string(id), nil
			}
		}
	}
}
