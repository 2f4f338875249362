package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"tonne/api/marketplace/exchange"
)

// commitError is the error of a commit with an unknown outcome.
type commitError struct{ error }

func (e *commitError) Unwrap() error { return e.error }

func translate(err error) error {
	known := meaning(err)
	_, explained := errors.AsType[*exchange.CauseError](err)
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	if !explained && (connecting || known == exchange.ErrUnreachable) {
		err = explain(err)
	}
	if known == nil || errors.Is(err, known) {
		return err
	}
	return fmt.Errorf("%w: %w", known, err)
}

func meaning(err error) error {
	var told *pgconn.PgError
	var commit *commitError
	switch {
	case err == nil || errors.Is(err, exchange.ErrUnreachable) || errors.Is(err, exchange.ErrUnknown):
		return nil
	case errors.As(err, &told):
		return meaningOf(told.Code)
	case errors.As(err, &commit):
		return exchange.ErrUnknown
	case brokeOff(err):
		return exchange.ErrUnreachable
	}
	return nil
}

func meaningOf(code string) error {
	switch code {
	case "40001", "40P01", "23505": // serialisation failure, deadlock, unique violation
		return exchange.ErrNotCommitted
	case "55P03", "57014": // lock timeout
		return exchange.ErrLocked
	case "53100": // disk full
		return exchange.ErrFull
	case "25006": // the server has become a standby
		return exchange.ErrUnreachable
	case "42501": // no permission
		return exchange.ErrReadOnly
	}
	// The server is stopping or starting, has no free connection, or closed this one after an
	// idle timeout.
	if strings.HasPrefix(code, "57P0") || strings.HasPrefix(code, "08") || code == "53300" || code == "25P03" {
		return exchange.ErrUnreachable
	}
	return nil
}

func brokeOff(err error) bool {
	var network net.Error
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false
	}
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "conn closed")
}
