package marketplace

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"tonne/api/wire"
)

// requestBody reads the members of a JSON body of at most maxBody bytes.
func requestBody(r *http.Request) (wire.Request, error) {
	if err := checkMediaType(r); err != nil {
		return nil, err
	}
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	members, err := wire.ParseRequest(body)
	if err != nil {
		return nil, invalid("the body " + wire.ErrNotObject.Error())
	}
	return members, nil
}

// readBody reads a request's body. What goes wrong is the client's fault or
// that of the network between.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	var network net.Error
	switch {
	case err == nil || errors.As(err, &tooLarge):
		return body, err
	case errors.As(err, &network) && network.Timeout():
		return nil, errSlowBody
	}
	return nil, errBrokenBody
}

// bodyReader reads the members of a body and collects what is wrong with them.
type bodyReader struct {
	faults
	body wire.Request
}

// text returns a member that may be absent.
func (b *bodyReader) text(name string) string {
	text, err := b.body.Text(name)
	if err != nil {
		b.add(name + " " + err.Error())
		return ""
	}
	if why := textFault(text); why != "" {
		b.add(name + " " + why)
	}
	return text
}

// required returns a member that must hold more than blanks.
func (b *bodyReader) required(name string) string {
	before := len(b.broken)
	text := b.text(name)
	if len(b.broken) == before && strings.TrimSpace(text) == "" {
		b.add(name + " must not be empty")
	}
	return text
}

// flag returns a boolean that is false where it is absent.
func (b *bodyReader) flag(name string) bool {
	set, err := b.body.Flag(name)
	if err != nil {
		b.add(name + " " + err.Error())
	}
	return set
}
