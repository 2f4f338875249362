package spreadsheet

import (
	"fmt"
	"strings"
)

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
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, n+1, offices, n+1)
		if len(s.Columns) > 0 {
			fmt.Fprintf(&filters, `<definedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">'%s'!$A$1:$%s$%d</definedName>`,
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
		{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + offices + `">` +
			`<sheets>` + names.String() + `</sheets>` + filters.String() + `</workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packages + `relationships">` + relations.String() +
			fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, len(b.Sheets)+1, offices)},
		{"xl/styles.xml", stylesPart},
	}
}

// stylesPart has a row for each style, in their order.
const stylesPart = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
	`<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd hh:mm:ss"/></numFmts>` +
	`<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
