package exchange

import (
	"io"
	"time"
)

// Change is a write transaction with a time and an actor for the audit log.
type Change struct {
	Tx
	// At is in UTC and in whole milliseconds.
	At    time.Time
	Actor string
	// Random is the source of ids and of certificate names. It never fails.
	Random io.Reader
}

// Audit adds an entry to the audit log. The subject is an id or a name.
func (c *Change) Audit(action, subject, detail string) {
	c.Do("INSERT INTO audit (at, actor, action, subject, detail) VALUES ($1, $2, $3, $4, $5)",
		c.At.UnixMilli(), c.Actor, action, subject, detail)
}

// Prefixes of ids. No code relies on them.
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
	// 252 is the largest multiple of 36 in a byte: larger bytes would favour some letters.
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
