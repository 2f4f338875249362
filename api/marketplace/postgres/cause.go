package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"tonne/api/marketplace/exchange"
)

// explain returns the cause of a failed connection in one line, with what to do about it.
func explain(err error) *exchange.CauseError {
	failed := leaves(err)
	// What a server says is more useful than why another one is silent.
	for _, e := range failed {
		if told, ok := errors.AsType[*pgconn.PgError](e); ok {
			what, todo := refusal(told)
			return &exchange.CauseError{Cause: what, Todo: todo, Err: err}
		}
	}
	var causes []string
	todo := ""
	for _, e := range failed {
		cause, advice := silence(e)
		causes = append(causes, cause)
		if advice != "" {
			todo = advice
		}
	}
	return &exchange.CauseError{Cause: strings.Join(slices.Compact(causes), "; "), Todo: todo, Err: err}
}

// leaves returns the errors of all attempts to connect.
func leaves(err error) []error {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if joined, ok := e.(interface{ Unwrap() []error }); ok {
			var all []error
			for _, one := range joined.Unwrap() {
				all = append(all, leaves(one)...)
			}
			return all
		}
	}
	return []error{err}
}

// refusal explains an error of the server by its code (PostgreSQL, appendix A).
func refusal(told *pgconn.PgError) (what, todo string) {
	what = oneLine(told.Message) + " (" + told.Code + ")"
	switch told.Code {
	case "28P01":
		todo = "check the user and its password, in PGPASSWORD, ~/.pgpass or the address"
	case "28000":
		todo = "allow the user in pg_hba.conf; if the server requires TLS, add sslmode=require to the address"
	case "3D000":
		todo = "create the database, or correct its name"
	case "53300":
		todo = "raise max_connections of the server, or lower pool_max_conns in the address"
	}
	return what, todo
}

func silence(err error) (what, todo string) {
	var dns *net.DNSError
	var dial *net.OpError
	var network net.Error
	var untrusted *tls.CertificateVerificationError
	server := ""
	if errors.As(err, &dial) && dial.Addr != nil {
		server = " from " + dial.Addr.String()
	}
	switch {
	case errors.As(err, &dns):
		return "host name not found: " + dns.Name, "correct the host in the address"
	case errors.Is(err, syscall.ECONNREFUSED):
		return strings.Replace("connection refused"+server, " from ", " by ", 1), ""
	case errors.As(err, &untrusted):
		return "the certificate of the server is not trusted: " + innermost(err),
			"name the root certificate by sslrootcert in the address"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "no answer in time" + server, ""
	}
	return innermost(err), ""
}

func innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return oneLine(err.Error())
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

// addressError returns the reason why pgx does not accept an address. The errors of pgx may
// quote a password, except those of a parameter.
func addressError(err error) error {
	inner := errors.Unwrap(err)
	if _, parsing := errors.AsType[*url.Error](inner); inner == nil || parsing {
		return errors.New("the address of the PostgreSQL server cannot be parsed")
	}
	return fmt.Errorf("the address of the PostgreSQL server is not valid: %s", oneLine(inner.Error()))
}
