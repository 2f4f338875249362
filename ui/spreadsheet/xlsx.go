package spreadsheet

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// A workbook is a zip of XML parts (ECMA-376). These are the parts that one
// sheet needs. A library for all of spreadsheets costs every start of
// the program more than all the rest of it; the tests read the files with one.

// What Excel takes of a sheet.
const (
	maxSheetRows = 1 << 20
	maxCellUnits = 32_767 // of UTF-16
)

// Errors of what does not fit into a spreadsheet.
var (
	ErrSheetFull   = fmt.Errorf("a spreadsheet has %d rows at most; write .csv instead", maxSheetRows)
	ErrCellTooLong = fmt.Errorf("a cell of a spreadsheet has %d characters at most; write .csv instead", maxCellUnits)
)

const xmlHeader = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// sheetName stands for the name of the sheet in the parts.
const sheetName = "{sheet}"

// parts are the parts beside the sheet. Style 1 is "text": an id that is typed
// over stays text, too.
var parts = []struct{ name, content string }{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
		`</Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>` +
		`</Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="` + sheetName + `" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>` +
		`</Relationships>`},
	{"xl/styles.xml", `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
}

// The sheet around its rows; the row with the names stays when one scrolls.
const (
	sheetBegin = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
		`<sheetData>`
	sheetEnd = `</sheetData></worksheet>`
)

// WriteXLSX writes a workbook of one sheet. Text stays text: an id or a serial
// number must not become a number, nor a text a formula. The error is one of the
// above or of the writer.
func WriteXLSX(w io.Writer, s Sheet) error {
	if len(s.Rows) >= maxSheetRows {
		return ErrSheetFull
	}
	book := zip.NewWriter(w)
	for _, part := range parts {
		out, err := book.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, xmlHeader+strings.ReplaceAll(part.content, sheetName, s.Name)); err != nil {
			return err
		}
	}
	sheet, err := book.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return err
	}
	if err := writeSheet(sheet, s); err != nil {
		return err
	}
	return book.Close()
}

func writeSheet(w io.Writer, s Sheet) error {
	out := bufio.NewWriter(w)
	out.WriteString(xmlHeader + sheetBegin)
	if err := writeRow(out, 1, s.heading()); err != nil {
		return err
	}
	for i, row := range s.Rows {
		if err := writeRow(out, i+2, row); err != nil {
			return err
		}
	}
	out.WriteString(sheetEnd)
	return out.Flush()
}

func writeRow(out *bufio.Writer, number int, row []Cell) error {
	fmt.Fprintf(out, `<row r="%d">`, number)
	for c, cell := range row {
		name := columnName(c)
		if cell.number {
			fmt.Fprintf(out, `<c r="%s%d"><v>%s</v></c>`, name, number, cell.text)
			continue
		}
		fmt.Fprintf(out, `<c r="%s%d" s="1" t="inlineStr"><is><t xml:space="preserve">`, name, number)
		if err := writeText(out, cell.text); err != nil {
			return err
		}
		out.WriteString(`</t></is></c>`)
	}
	_, err := out.WriteString(`</row>`)
	return err
}

// columnName is the letters of a column, which is counted from 0: A to Z, AA.
func columnName(c int) string {
	name := string(rune('A' + c%26))
	if c >= 26 {
		return columnName(c/26-1) + name
	}
	return name
}

// writeText writes text as XML. A spreadsheet reads _x0041_ as the character
// of that code, so the underscore before an x is written by its own.
func writeText(w io.Writer, text string) error {
	if len(text) > maxCellUnits && len(utf16.Encode([]rune(text))) > maxCellUnits {
		return ErrCellTooLong
	}
	return xml.EscapeText(w, []byte(strings.ReplaceAll(text, "_x", "_x005F_x")))
}
