package audit

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

var errNoRows = errors.New("no rows of evidence")

func eachRow(r io.Reader, do func(titles, row []string) bool) error {
	d := jsontext.NewDecoder(r)
	if err := readKind(d, '['); err != nil {
		return err
	}
	var titles []string
	for d.PeekKind() == '{' {
		names, row, err := readObject(d)
		if err == nil && (len(names) == 0 || titles != nil && !slices.Equal(names, titles)) {
			err = errNoRows
		}
		if titles == nil {
			titles = names
		}
		if err != nil || !do(titles, row) {
			return err
		}
	}
	if err := readKind(d, ']'); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return cmp.Or(err, errNoRows)
	}
	return nil
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
		if names, values = append(names, pair[0]), append(values, pair[1]); len(names) > maxColumns {
			return nil, nil, errNoRows
		}
	}
	return names, values, readKind(d, '}')
}

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
