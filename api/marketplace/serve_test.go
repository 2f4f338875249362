package marketplace

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections live in memory, so that time can be
// the test's own.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// serving calls test with a running service in a synctest bubble, and then stops
// it.
func serving(t *testing.T, test func(t *testing.T, d *fixture, l *pipes, stop func() error)) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture(t)
		l := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- d.Serve(ctx, l) }()
		test(t, d, l, func() error {
			cancel()
			return <-done
		})
	})
}

func TestSlowHeadersAreCutOff(t *testing.T) {
	t.Parallel()
	serving(t, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		conn := l.dial()
		start := time.Now()
		cut := make(chan time.Duration, 1)
		go func() {
			_, err := io.Copy(io.Discard, conn)
			cut <- time.Since(start)
			_ = err
		}()
		for _, b := range []byte("GET /api/market HTTP/1.1\r\nHost: x\r\n") {
			if _, err := conn.Write([]byte{b}); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		if took := <-cut; took > readHeaderTimeout+time.Second {
			t.Errorf("one byte a second was endured for %s", took)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestSlowBodiesAreCutOff(t *testing.T) {
	t.Parallel()
	serving(t, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		conn := l.dial()
		start := time.Now()
		fmt.Fprintf(conn, "POST /api/retirement HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", d.key)
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > readTimeout+time.Second {
			t.Errorf("a body that never came was awaited for %s", took)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestClientsThatDoNotReadAreCutOff(t *testing.T) {
	t.Parallel()
	serving(t, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		conn := l.dial()
		fmt.Fprintf(conn, "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
		time.Sleep(writeTimeout + time.Second)
		synctest.Wait()
		body, err := io.ReadAll(conn)
		if err != nil || strings.Contains(string(body), "securitySchemes") {
			t.Errorf("the answer still arrived: %d bytes, %v", len(body), err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestLargeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	serving(t, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		for _, size := range []struct{ cookie, status int }{
			{maxHeader / 2, http.StatusUnauthorized},
			{maxHeader, http.StatusRequestHeaderFieldsTooLarge},
			{10 * maxHeader, http.StatusRequestHeaderFieldsTooLarge},
		} {
			conn := l.dial()
			go fmt.Fprintf(conn, "GET /api/market HTTP/1.1\r\nHost: x\r\nCookie: %s\r\n\r\n", strings.Repeat("a", size.cookie))
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || answer.StatusCode != size.status {
				t.Errorf("a cookie of %d bytes: %+v %v", size.cookie, answer, err)
			}
			conn.Close()
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestDrainLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	serving(t, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		conn := l.dial()
		fmt.Fprintf(conn, "POST /api/retirement HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 16\r\n\r\n", d.key)
		// Without this the connection may not have been taken yet.
		synctest.Wait()
		stopped := make(chan error, 1)
		go func() { stopped <- stop() }()
		synctest.Wait()
		if !d.draining.Load() {
			t.Error("it does not drain")
		}
		select {
		case err := <-stopped:
			t.Fatalf("it stopped with a request under way: %v", err)
		default:
		}
		go io.WriteString(conn, `{"id":"00mnope"}`)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("%+v %v", answer, err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Error(err)
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

func TestDrainEndsAfterTenSeconds(t *testing.T) {
	t.Parallel()
	serving(t, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		conn := l.dial()
		fmt.Fprintf(conn, "POST /api/retirement HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 16\r\n\r\n", d.key)
		start := time.Now()
		if err := stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > drainTimeout+time.Second {
			t.Errorf("it drained for %s", took)
		}
	})
}

// The end of a month comes without anybody asking.
func TestServeClosesTheMonth(t *testing.T) {
	t.Parallel()
	serving(t, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		d.fraction("a", 1_500_000, d.sell(d.vintages[0], 10, 620))
		d.clock.set(testNow.AddDate(0, 1, 0))
		time.Sleep(monthCheck + time.Second)
		synctest.Wait()
		if n := d.query("SELECT count(*) FROM retirement_requests WHERE status = 'CLOSED'"); n != 1 {
			t.Error("the month is still open")
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
