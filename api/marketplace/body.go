package marketplace

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"

	"tonne/api/wire"
	"tonne/model/retirement"
)

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

type bodyReader struct {
	faults
	body wire.Request
}

func (b *bodyReader) text(name string) string {
	text, err := b.body.Text(name)
	if err != nil {
		b.add(name + " " + err.Error())
		return ""
	}
	if of := retirement.TextOf(name); of.TooLong(text) {
		b.add(fmt.Sprintf("%s must be at most %d characters long", name, of.Most))
	} else if why := textFault(text); why != "" {
		b.add(name + " " + why)
	}
	return text
}

func (b *bodyReader) required(name string) string {
	before := len(b.broken)
	text := b.text(name)
	if len(b.broken) == before && strings.TrimSpace(text) == "" {
		b.add(name + " must not be empty")
	}
	return text
}

func (b *bodyReader) flag(name string) bool {
	set, err := b.body.Flag(name)
	if err != nil {
		b.add(name + " " + err.Error())
	}
	return set
}

func checkMediaType(r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return errMediaType
	}
	header := r.Header.Get("Content-Type")
	if header == "" {
		return nil
	}
	kind, parameters, err := mime.ParseMediaType(header)
	charset := parameters["charset"]
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return errMediaType
	}
	return nil
}
