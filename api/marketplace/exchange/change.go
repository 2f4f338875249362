package exchange

import (
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
