package spreadsheet

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// A workbook is a zip of XML parts (ECMA-376). A library for all of spreadsheets costs every start of
// the program more than all the rest of it; the tests read the files with one.

// The limits of a sheet in Excel.
const (
	maxSheetRows = 1 << 20
	maxCellUnits = 32_767 // of UTF-16
)

// The errors of data that does not fit into a spreadsheet.
var (
	ErrSheetFull   = fmt.Errorf("a spreadsheet has %d rows at most; write .csv instead", maxSheetRows)
	ErrCellTooLong = fmt.Errorf("a cell of a spreadsheet has %d characters at most; write .csv instead", maxCellUnits)
)

const xmlHeader = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// Workbook is a file with a sheet or more.
type Workbook struct {
	Sheets []Sheet
	// Plain does not compress: the bytes are then the same in each version.
	Plain bool
}

// Write writes the workbook. Text stays text, titles stay when one scrolls, rows can be
// filtered, and columns fit their cells. The error is one of the above or of the writer.
func (b Workbook) Write(w io.Writer) error {
	book := zip.NewWriter(w)
	shapes := make([]shape, len(b.Sheets))
	for n, s := range b.Sheets {
		if shapes[n] = s.shape(); shapes[n].rows >= maxSheetRows-1 {
			return ErrSheetFull
		}
	}
	for _, part := range b.parts(shapes) {
		if err := b.write(book, part.name, func(out *bufio.Writer) error {
			_, err := out.WriteString(part.content)
			return err
		}); err != nil {
			return err
		}
	}
	for n, s := range b.Sheets {
		if err := b.write(book, sheetPath(n),
			func(out *bufio.Writer) error { return writeSheet(out, s, shapes[n]) }); err != nil {
			return err
		}
	}
	return book.Close()
}

func (b Workbook) write(book *zip.Writer, name string, content func(*bufio.Writer) error) error {
	method := zip.Deflate
	if b.Plain {
		method = zip.Store
	}
	part, err := book.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(part)
	out.WriteString(xmlHeader)
	if err := content(out); err != nil {
		return err
	}
	return out.Flush()
}

func writeSheet(out *bufio.Writer, s Sheet, is shape) error {
	out.WriteString(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<sheetViews><sheetView workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`)
	writeWidths(out, is.widths)
	out.WriteString(`<sheetData>`)
	if err := writeRow(out, 1, s.heading()); err != nil {
		return err
	}
	number := 2
	for row := range s.rows() {
		if err := writeRow(out, number, row); err != nil {
			return err
		}
		number++
	}
	if s.Totals != nil {
		if err := writeRow(out, number, s.Totals); err != nil {
			return err
		}
	}
	out.WriteString(`</sheetData>`)
	if len(s.Columns) > 0 {
		fmt.Fprintf(out, `<autoFilter ref="A1:%s%d"/>`, columnName(len(s.Columns)-1), is.rows+1)
	}
	_, err := out.WriteString(`</worksheet>`)
	return err
}

// The widths of columns, in characters.
const (
	narrowest = 8
	widest    = 48
	timeWidth = 20
)

type shape struct {
	rows   int
	widths []int
}

func (s Sheet) shape() shape {
	is := shape{widths: make([]int, len(s.Columns))}
	for c, title := range s.Columns {
		is.widths[c] = max(narrowest, len([]rune(title))+3) // the mark of the filter
	}
	for row := range s.rows() {
		is.rows++
		for c, cell := range row[:min(len(row), len(is.widths))] {
			switch width := is.widths[c]; {
			case cell.style == timeStyle:
				is.widths[c] = max(width, timeWidth)
			case len(cell.text) > width && width < widest:
				is.widths[c] = max(width, utf8.RuneCountInString(cell.text)+1)
			}
		}
	}
	return is
}

func writeWidths(out *bufio.Writer, widths []int) {
	if len(widths) == 0 {
		return
	}
	out.WriteString(`<cols>`)
	for c, width := range widths {
		fmt.Fprintf(out, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, c+1, c+1, min(width, widest))
	}
	out.WriteString(`</cols>`)
}

func writeRow(out *bufio.Writer, number int, row []Cell) error {
	fmt.Fprintf(out, `<row r="%d">`, number)
	for c, cell := range row {
		at := CellName(c, number-1)
		switch {
		case cell.sum:
			fmt.Fprintf(out, `<c r="%s" s="%d"><f>SUBTOTAL(109,%s2:%s%d)</f><v>%s</v></c>`,
				at, cell.style, columnName(c), columnName(c), number-1, cell.text)
		case cell.number:
			fmt.Fprintf(out, `<c r="%s" s="%d"><v>%s</v></c>`, at, cell.style, cell.text)
		case cell.style == timeStyle:
			fmt.Fprintf(out, `<c r="%s" s="%d"><v>%s</v></c>`, at, cell.style, days(cell.at))
		default:
			fmt.Fprintf(out, `<c r="%s" s="%d" t="inlineStr"><is><t xml:space="preserve">`, at, textStyle)
			if err := writeText(out, cell.text); err != nil {
				return err
			}
			out.WriteString(`</t></is></c>`)
		}
	}
	_, err := out.WriteString(`</row>`)
	return err
}

func days(at time.Time) string {
	const day = 24 * 60 * 60
	seconds := at.UTC().Unix() - time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	billionths := ((seconds%day)*1_000_000_000 + day/2) / day
	return fmt.Sprintf("%d.%09d", seconds/day, billionths)
}

// CellName is the name of a cell, B3 for column 1 and row 2.
func CellName(column, row int) string { return columnName(column) + strconv.Itoa(row+1) }

func columnName(c int) string {
	name := string(rune('A' + c%26))
	if c >= 26 {
		return columnName(c/26-1) + name
	}
	return name
}

// writeText writes text as XML, with the underscore of _x0041_ escaped: it is a code.
func writeText(w io.Writer, text string) error {
	if len(text) > maxCellUnits && len(utf16.Encode([]rune(text))) > maxCellUnits {
		return ErrCellTooLong
	}
	return xml.EscapeText(w, []byte(strings.ReplaceAll(text, "_x", "_x005F_x")))
}

// style is a row of the styles of a workbook.
type style int

// The styles. What is typed over text stays text, too.
const (
	plainStyle style = iota
	textStyle
	timeStyle
)

type part struct{ name, content string }

func sheetPath(n int) string { return fmt.Sprintf("xl/worksheets/sheet%d.xml", n+1) }

func (b Workbook) parts(shapes []shape) []part {
	const (
		packages = "http://schemas.openxmlformats.org/package/2006/"
		offices  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		kinds    = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	)
	var types, names, filters, relations strings.Builder
	for n, s := range b.Sheets {
		fmt.Fprintf(&types, `<Override PartName="/%s" ContentType="%sworksheet+xml"/>`, sheetPath(n), kinds)
		fmt.Fprintf(&names, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, s.Name, n+1, n+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, n+1,
			offices, n+1)
		if len(s.Columns) > 0 {
			fmt.Fprintf(&filters,
				`<definedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">'%s'!$A$1:$%s$%d</definedName>`,
				n, s.Name, columnName(len(s.Columns)-1), shapes[n].rows+1)
		}
	}
	if filters.Len() > 0 {
		names := filters.String()
		filters.Reset()
		filters.WriteString("<definedNames>" + names + "</definedNames>")
	}
	return []part{
		{"[Content_Types].xml", `<Types xmlns="` + packages + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + kinds + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + kinds + `styles+xml"/>` + types.String() + `</Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packages + `relationships">` +
			`<Relationship Id="rId1" Type="` + offices + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml",
			`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + offices + `">` +
				`<sheets>` + names.String() + `</sheets>` + filters.String() + `</workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packages + `relationships">` + relations.String() +
			fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, len(b.Sheets)+1,
				offices)},
		{"xl/styles.xml", stylesPart},
	}
}

// stylesPart has a row for each style, in their order.
const stylesPart = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
	`<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd hh:mm:ss"/></numFmts>` +
	`<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill>` +
	`<fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
