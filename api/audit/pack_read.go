package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// texts finds texts in a workbook from tonne, whose parts are not compressed. A text that
// is not found is empty, so that the comparison of the workbook fails.
type texts struct {
	io.Closer
	tags *bufio.Scanner
}

// longestText limits the length of a text, in bytes.
const longestText = 16 << 20

func openTexts(packed *packFile, sheet int) texts {
	file, err := packed.Open()
	if err != nil {
		file = io.NopCloser(strings.NewReader(""))
	}
	t := texts{file, bufio.NewScanner(file)}
	t.tags.Buffer(nil, longestText)
	t.tags.Split(splitTags)
	part := fmt.Appendf(nil, "xl/worksheets/sheet%d.xml", sheet)
	for found := false; t.tags.Scan(); {
		if found && bytes.HasPrefix(t.tags.Bytes(), []byte("?xml ")) {
			break
		}
		found = bytes.HasSuffix(t.tags.Bytes(), part)
	}
	return t
}

func splitTags(text []byte, atEOF bool) (advance int, token []byte, err error) {
	if at := bytes.IndexByte(text, '<'); at >= 0 {
		return at + 1, text[:at], nil
	}
	if atEOF && len(text) > 0 {
		return len(text), text, nil
	}
	return 0, nil, nil
}

func (t texts) next(cell string) string {
	start, text := []byte(`c r="`+cell+`" `), []byte(`t xml:space="preserve">`)
	for found := false; t.tags.Scan(); {
		found = found || bytes.HasPrefix(t.tags.Bytes(), start)
		if value, is := bytes.CutPrefix(t.tags.Bytes(), text); found && is {
			return strings.ReplaceAll(html.UnescapeString(string(value)), "_x005F_x", "_x")
		}
	}
	return ""
}

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
	if err == nil && token.Kind() != kind {
		err = errNoRows
	}
	return err
}
