package audit

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
)

// texts finds texts in a workbook from tonne, whose parts are not compressed. A text that
// is not found is empty, so that the comparison of the workbook fails.
type texts struct {
	io.Closer
	tags *bufio.Scanner
}

// longestText limits the length of a text, in bytes.
const longestText = 16 << 20

func openTexts(packed *zip.File, sheet int) texts {
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
