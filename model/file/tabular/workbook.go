package tabular

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// perCell is the number of bytes of the limit for each cell of a sheet, with the empty ones before the
// last of each row.
const perCell = 16

// maxColumns is the number of columns of a sheet in Excel.
const maxColumns = 16_384

func isArchive(raw string) bool {
	return strings.HasPrefix(raw, "PK\x03\x04") || strings.HasPrefix(raw, "PK\x05\x06")
}

// workbook is an XLSX file (ECMA-376): a zip of XML parts.
type workbook struct {
	archive *zip.Reader
	limit   int64
	// left is how many bytes may still be unpacked.
	left     int64
	shared   []string
	styles   []style
	base1904 bool
}

func readWorkbook(raw, sheet string, limit int64) (*Table, error) {
	archive, err := zip.NewReader(strings.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, formatError("it is a damaged workbook or archive: %v", err)
	}
	b := &workbook{archive: archive, limit: limit, left: limit}
	t, err := b.table(sheet)
	if format, ok := errors.AsType[*FormatError](err); ok {
		return nil, format
	}
	if err != nil {
		return nil, formatError("the workbook is damaged: %v", err)
	}
	return t, nil
}

func (b *workbook) table(sheet string) (*Table, error) {
	const main = "xl/workbook.xml"
	if _, err := b.find(main); err != nil {
		return nil, formatError("it is an archive without a workbook of Excel (.xlsx); save it as .xlsx or CSV")
	}
	name, part, count, err := b.sheet(main, sheet)
	if err != nil {
		return nil, err
	}
	if err := b.readStyles(); err != nil {
		return nil, err
	}
	if err := b.readShared(); err != nil {
		return nil, err
	}
	t := &Table{sheet: true}
	if count > 1 {
		t.notes = append(t.notes, fmt.Sprintf("sheet %q, one of %d", name, count))
	}
	t.book, err = b.rows(part)
	return t, err
}

func (b *workbook) find(name string) (*zip.File, error) {
	for _, f := range b.archive.File {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("the part %s is missing", name)
}

// open opens a part, which counts towards the limit.
func (b *workbook) open(name string) (io.ReadCloser, *xml.Decoder, error) {
	file, err := b.find(name)
	if err != nil {
		return nil, nil, err
	}
	r, err := file.Open()
	if err != nil {
		return nil, nil, err
	}
	return r, xml.NewDecoder(&unpacking{r, b}), nil
}

// unpacking counts the bytes that a workbook unpacks.
type unpacking struct {
	r io.Reader
	b *workbook
}

// Read reads from a part.
func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if u.b.left -= int64(n); u.b.left < 0 {
		return 0, formatError("it is larger than %d MiB when unpacked", u.b.limit>>20)
	}
	return n, err
}

// each calls do for the elements of a part with one of the names.
func (b *workbook) each(part string, do func(d *xml.Decoder, e xml.StartElement) error) error {
	r, d, err := b.open(part)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := do(d, e); err != nil {
				return err
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// sheet returns the name and the part of a sheet, which is the first visible one unless it is named.
func (b *workbook) sheet(main, want string) (name, part string, count int, err error) {
	relation := ""
	var names []string
	err = b.each(main, func(_ *xml.Decoder, e xml.StartElement) error {
		switch {
		case e.Name.Local == "workbookPr":
			on := attribute(e, "date1904")
			b.base1904 = on == "1" || on == "true"
		case e.Name.Local == "sheet":
			hidden := attribute(e, "state") != "" && attribute(e, "state") != "visible"
			if names = append(names, attribute(e, "name")); want == "" && (hidden || relation != "") {
				return nil
			}
			if want == "" || strings.EqualFold(attribute(e, "name"), want) {
				name, relation = attribute(e, "name"), attribute(e, "id")
			}
		}
		return nil
	})
	if err != nil {
		return "", "", 0, err
	}
	if relation == "" {
		return "", "", 0, formatError("it has no sheet %q; the sheets are %q", want, names)
	}
	err = b.each("xl/_rels/workbook.xml.rels", func(_ *xml.Decoder, e xml.StartElement) error {
		if attribute(e, "Id") == relation {
			part = strings.TrimPrefix(path.Join("/xl", attribute(e, "Target")), "/")
			if target := attribute(e, "Target"); strings.HasPrefix(target, "/") {
				part = target[1:]
			}
		}
		return nil
	})
	return name, part, len(names), err
}

// style is what the format of a cell says of a number.
type style struct {
	// day is set if the number is a date, zeros the number of digits that it is padded to.
	day   bool
	zeros int
}

func (b *workbook) readStyles() error {
	if _, err := b.find("xl/styles.xml"); err != nil {
		return nil
	}
	codes := make(map[string]string)
	cells := false
	return b.each("xl/styles.xml", func(_ *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			codes[attribute(e, "numFmtId")] = attribute(e, "formatCode")
		case "cellXfs", "cellStyleXfs", "dxfs", "cellStyles":
			cells = e.Name.Local == "cellXfs"
		case "xf":
			if cells {
				id := attribute(e, "numFmtId")
				b.styles = append(b.styles, styleOf(id, codes[id]))
			}
		}
		return nil
	})
}

// styleOf recognises formats of dates: those that are built in, and codes with a year or a day.
func styleOf(id, code string) style {
	n, _ := strconv.Atoi(id)
	if code == "" {
		return style{day: n >= 14 && n <= 17 || n == 22 || n >= 27 && n <= 36 || n >= 50 && n <= 58}
	}
	if strings.Trim(code, "0") == "" && len(code) > 1 {
		return style{zeros: len(code)}
	}
	quoted, bracket := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '[' || c == ']':
			bracket = c == '['
		case !bracket && strings.IndexByte("yYdD", c) >= 0:
			return style{day: true}
		case c == ';':
			return style{}
		}
	}
	return style{}
}

func (b *workbook) readShared() error {
	if _, err := b.find("xl/sharedStrings.xml"); err != nil {
		return nil
	}
	return b.each("xl/sharedStrings.xml", func(d *xml.Decoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := richText(d)
		b.shared = append(b.shared, text)
		return err
	})
}

// richText reads the text of an element to its end, without phonetic hints.
func richText(d *xml.Decoder) (string, error) {
	var text strings.Builder
	depth, hidden, in := 1, 0, false
	for depth > 0 {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			in = e.Name.Local == "t" && hidden == 0
			if e.Name.Local == "rPh" {
				hidden = depth
			}
		case xml.EndElement:
			if depth == hidden {
				hidden = 0
			}
			depth--
			in = false
		case xml.CharData:
			if in {
				text.Write(e)
			}
		}
	}
	return unescape(text.String()), nil
}

// unescape replaces codes such as _x000D_, with which workbooks write control characters.
func unescape(text string) string {
	at := strings.Index(text, "_x")
	if at < 0 {
		return text
	}
	if len(text) >= at+7 && text[at+6] == '_' {
		if n, err := strconv.ParseUint(text[at+2:at+6], 16, 16); err == nil {
			return text[:at] + string(rune(n)) + unescape(text[at+7:])
		}
	}
	return text[:at+2] + unescape(text[at+2:])
}

// rows reads the rows of a sheet that have text.
func (b *workbook) rows(part string) (rows []row, err error) {
	count, most := 0, int(b.limit/perCell)
	err = b.each(part, func(d *xml.Decoder, e xml.StartElement) (err error) {
		switch {
		case e.Name.Local == "row":
			rows, err = addRow(rows, attribute(e, "r"))
		case e.Name.Local == "c" && len(rows) > 0:
			r := &rows[len(rows)-1]
			at := columnOf(attribute(e, "r"), len(r.cells))
			if count += max(at+1-len(r.cells), 0); at >= maxColumns || count > most {
				return formatError("its sheet has too many cells")
			}
			for len(r.cells) <= at {
				r.cells = append(r.cells, cell{})
			}
			r.cells[at], err = b.cell(d, e)
		}
		return err
	})
	return cutBlank(rows), err
}

// addRow adds a row with a number, after the last with text.
func addRow(rows []row, number string) ([]row, error) {
	r := row{line: 1}
	if len(rows) > 0 {
		r.line = rows[len(rows)-1].line + 1
	}
	if n, err := strconv.Atoi(number); err == nil {
		r.line = n
	}
	if len(rows) > MaxRows+maxAbove {
		return rows, formatError("it has more than %d rows; split it", MaxRows)
	}
	return append(cutBlank(rows), r), nil
}

// cutBlank removes the last row if it is blank.
func cutBlank(rows []row) []row {
	if len(rows) > 0 && rows[len(rows)-1].blank() {
		return rows[:len(rows)-1]
	}
	return rows
}

// columnOf returns the column of a name such as B3, or next if there is none.
func columnOf(name string, next int) int {
	n := 0
	for i := 0; i < len(name) && name[i] >= 'A' && name[i] <= 'Z' && n < maxColumns; i++ {
		n = n*26 + int(name[i]-'A') + 1
	}
	if n == 0 {
		return next
	}
	return max(n-1, 0)
}
