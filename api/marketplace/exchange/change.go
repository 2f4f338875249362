package exchange

import (
	"io"
	"time"
)

// Change is a transaction that writes, at one time and in the name of one actor.
type Change struct {
	Tx
	// At is in UTC and in whole milliseconds.
	At    time.Time
	Actor string
	// Random is the source of ids and of the names of certificates. It never fails.
	Random io.Reader
}

// Audit records that the actor did something to the subject, an id.
func (c *Change) Audit(action, subject, detail string) {
	c.Do("INSERT INTO audit (at, actor, action, subject, detail) VALUES ($1, $2, $3, $4, $5)",
		c.At.UnixMilli(), c.Actor, action, subject, detail)
}

// The prefixes of ids, which nothing relies on.
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
func (c *Change) NewID(prefix string) string {
	const length = 18
	// A byte from 252 up would make some letters likelier than others.
	const fair = 252
	for id := prefix; ; {
		for _, b := range c.random(20) {
			if b < fair {
				id += string(idAlphabet[b%36])
			}
			if len(id) == length {
				return id
			}
		}
	}
}

func (c *Change) random(n int) []byte {
	buf := make([]byte, n)
	if _, err := io.ReadFull(c.Random, buf); err != nil {
		panic(err)
	}
	return buf
}
