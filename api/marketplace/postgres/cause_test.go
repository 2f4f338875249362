package postgres

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"tonne/api/marketplace/exchange"
	must "tonne/model/musttest"
)

// refusing runs a server that refuses each connection with an error of PostgreSQL, and
// returns its address.
func refusing(t *testing.T, refusal *pgproto3.ErrorResponse) string {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			refuse(conn, refusal)
		}
	}()
	return listener.Addr().String()
}

func refuse(conn net.Conn, refusal *pgproto3.ErrorResponse) {
	defer conn.Close()
	backend := pgproto3.NewBackend(conn, conn)
	for {
		message, err := backend.ReceiveStartupMessage()
		if err != nil {
			return
		}
		if _, ok := message.(*pgproto3.SSLRequest); ok {
			_, _ = conn.Write([]byte("N"))
			continue
		}
		backend.Send(refusal)
		_ = backend.Flush()
		return
	}
}

func TestCauseOfAFailedConnectionIsOneLine(t *testing.T) {
	t.Parallel()
	closed := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	must.Succeed(t, closed.Close())
	code := func(code, message string) string {
		return refusing(t, &pgproto3.ErrorResponse{Severity: "FATAL", Code: code, Message: message}) + "/market"
	}
	for _, tt := range []struct {
		name, at    string
		is          error
		cause, todo string
	}{
		{"wrong password", code("28P01", `password authentication failed for user "tonne"`), nil,
			`password authentication failed for user "tonne" (28P01)`, "PGPASSWORD"},
		{"TLS required", code("28000", "no pg_hba.conf entry for host \"10.0.0.5\",\nno encryption"), nil,
			`no pg_hba.conf entry for host "10.0.0.5", no encryption (28000)`, "sslmode=require"},
		{"no database", code("3D000", `database "market" does not exist`), nil, `database "market" does not exist (3D000)`,
			"create the database"},
		{"no free connection", code("53300", "sorry, too many clients already"), exchange.ErrUnreachable,
			"sorry, too many clients already (53300)", "max_connections"},
		{"starting", code("57P03", "the database system is starting up"), exchange.ErrUnreachable,
			"the database system is starting up (57P03)", ""},
		{"another error", code("XX000", "internal"), nil, "internal (XX000)", ""},
		{"nothing listens", closed.Addr().String() + "/market", exchange.ErrUnreachable,
			"connection refused by " + closed.Addr().String(), ""},
		{"no TLS at the server", code("28P01", "x") + "?sslmode=require", exchange.ErrUnreachable,
			"server refused TLS connection", ""},
		{"no such host", "no-such-host.invalid/market", exchange.ErrUnreachable, "host name not found: no-such-host.invalid",
			"correct the host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(t.Context(), "postgres://tonne:secret@"+tt.at, false)
			var cause *exchange.CauseError
			must.Need(t, errors.As(err, &cause), err)
			must.Hold(t,
				cause.Cause == tt.cause && strings.Contains(cause.Todo, tt.todo) && (tt.todo != "") == (cause.Todo != ""),
				cause.Cause, cause.Todo)
			must.Hold(t, tt.is == nil || errors.Is(err, tt.is), err)
			must.Hold(t, !strings.Contains(err.Error(), "\n") && !strings.Contains(err.Error(), "secret"), err)
		})
	}
}

// A server that is lost stays the reason when the time ends during a later attempt, which says nothing of it.
func TestLostServerIsTheReasonWhenTimeEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		refuse(conn, &pgproto3.ErrorResponse{Severity: "FATAL", Code: "57P03", Message: "shutting down"})
		silent, err := listener.Accept()
		if err != nil {
			return
		}
		defer silent.Close()
		cancel()
		<-t.Context().Done()
	}()
	config := must.Get(configure("postgres://tonne@" + listener.Addr().String() + "/market?sslmode=disable"))
	pool := must.Get(pgxpool.NewWithConfig(ctx, config))
	t.Cleanup(pool.Close)
	d := &Database{pool: pool}
	must.Fail(t, d.Write(ctx, exchange.Rehearse), exchange.ErrUnreachable)
}

func TestErrorOfAnAddressHidesThePassword(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://tonne:secret@db1/market?sslmode=maybe", "postgres://tonne:sec/ret@db1/market",
		"postgres://tonne:secret@db1:port/market",
		"postgres://tonne:secret@db1/market?connect_timeout=soon", "postgres://tonne:sec%ret@db1/market",
		"postgres://tonne:secret@[::1/market",
	} {
		_, err := Open(t.Context(), address, false)
		must.Hold(t, err != nil && !strings.Contains(err.Error(), "sec") && !strings.Contains(err.Error(), "\n"), address,
			err)
	}
}
