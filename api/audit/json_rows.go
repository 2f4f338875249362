package audit

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// cells returns a row of evidence after the other, the titles of its columns
// first. The error is io.EOF after the last.
type cells func() ([]string, error)

var errNoRows = errors.New("no rows of evidence")

// jsonCells reads a list of objects. The titles are the names of the members of
// the first: an empty list has none.
func jsonCells(r io.Reader) (cells, error) {
	d := jsontext.NewDecoder(r)
	if err := readKind(d, '['); err != nil {
		return nil, err
	}
	var titles, first []string
	ended := false
	return func() ([]string, error) {
		if first != nil {
			row := first
			first = nil
			return row, nil
		}
		if !ended && d.PeekKind() != '{' {
			if err := readKind(d, ']'); err != nil {
				return nil, err
			}
			ended = true
		}
		if ended {
			_, err := d.ReadToken()
			return nil, cmp.Or(err, errNoRows)
		}
		names, values, err := readObject(d)
		switch {
		case err != nil:
			return nil, err
		case len(names) == 0:
			return nil, errNoRows
		case titles == nil:
			titles, first = names, values
			return titles, nil
		case !slices.Equal(names, titles):
			return nil, errNoRows
		}
		return values, nil
	}, nil
}

func readObject(d *jsontext.Decoder) (names, values []string, err error) {
	if err := readKind(d, '{'); err != nil {
		return nil, nil, err
	}
	for d.PeekKind() == '"' {
		var pair [2]string
		for i := range pair {
			token, err := d.ReadToken()
			if err != nil || token.Kind() != '"' {
				return nil, nil, cmp.Or(err, errNoRows)
			}
			pair[i] = token.String()
		}
		names, values = append(names, pair[0]), append(values, pair[1])
	}
	return names, values, readKind(d, '}')
}

// readKind reads a token that must be of a kind. The error is never io.EOF.
func readKind(d *jsontext.Decoder, kind jsontext.Kind) error {
	token, err := d.ReadToken()
	switch {
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case err == nil && token.Kind() != kind:
		return errNoRows
	}
	return err
}
