package marketplace

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"tonne/api/wire"
)

// unparsedListener rewrites the plain-text errors that net/http sends for requests that it
// cannot parse into the JSON form of all other errors.
type unparsedListener struct {
	net.Listener
	service *Marketplace
}

func (l unparsedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &unparsedConn{conn, l.service}, nil
}

type unparsedConn struct {
	net.Conn
	service *Marketplace
}

// CloseWrite lets net/http end the response before it closes the connection.
func (c *unparsedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *unparsedConn) Write(p []byte) (int, error) {
	reason := refusalOfUnparsed(p)
	if reason == nil {
		return c.Conn.Write(p)
	}
	id, status := rand.Text(), reason.status
	body := wire.AppendRefusal(nil, wire.Refusal{Status: status, Code: reason.code, Messages: reason.messages})
	_, err := fmt.Fprintf(c.Conn,
		"HTTP/1.1 %d %s\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: %d\r\n"+
			"Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: %s\r\n\r\n%s", status,
		reason.code, len(body), id, body)
	c.service.metrics.count("", "", status, 0)
	c.service.logRequest(&http.Request{RemoteAddr: c.RemoteAddr().String()},
		&recorder{status: status, bytes: int64(len(body))}, id, 0)
	return len(p), err
}

// refusalOfUnparsed returns the error of net/http in p, or nil. net/http writes such an error
// in a single write. The responses of a handler have other headers before these two.
func refusalOfUnparsed(p []byte) *refusal {
	line, found := bytes.CutPrefix(p, []byte("HTTP/1.1 "))
	if !found {
		return nil
	}
	line, rest, _ := bytes.Cut(line, []byte("\r\n"))
	text, found := bytes.CutPrefix(rest, []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"))
	status, err := strconv.Atoi(string(line[:min(len(line), 3)]))
	if !found || err != nil {
		return nil
	}
	if status == http.StatusRequestHeaderFieldsTooLarge {
		return named(status, "The headers of the request are larger than 16 KiB")
	}
	if _, detail, found := bytes.Cut(text, []byte(": ")); found {
		return named(status, "The request cannot be read: "+string(detail))
	}
	return named(status, "The request line or a header cannot be read")
}
