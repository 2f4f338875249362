package attributes

import (
	"io"
	"strings"
	"time"

	"tonne/model/attribute"
	"tonne/ui/cli/command"
)

func readFacts(r io.Reader, now time.Time) (facts []attribute.Fact, wrong []string) {
	in := command.NewCSV(r)
	want := factColumns.Header()
	header, err := in.Read()
	if err == nil && strings.EqualFold(header[0], strings.ReplaceAll(want, ",", ";")) {
		// So spreadsheets write CSV where the comma is the mark of decimals.
		header = strings.Split(header[0], ";")
		in.Comma, in.FieldsPerRecord = ';', len(header)
	}
	if err != nil || !strings.EqualFold(strings.Join(header, ","), want) {
		return nil, []string{"the first line is not " + want}
	}
	return command.LinesBelow(in, func(cells []string) (attribute.Fact, error) { return factOf(cells, now) }, factKey, "line %d says again what line %d does")
}

func factOf(cells []string, now time.Time) (attribute.Fact, error) {
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.TrimPrefix(cell, "'"))
	}
	checked, _ := time.Parse(time.DateOnly, cells[5])
	f := attribute.Fact{
		Scope: attribute.Scope(strings.ToLower(cells[0])), ID: cells[1], Attribute: attribute.Attribute(strings.ToLower(cells[2])),
		Value: cells[3], Source: cells[4], Checked: checked,
	}
	if f.Attribute == attribute.CCP || f.Attribute == attribute.Removal {
		f.Value = strings.ToLower(f.Value)
	}
	return f, f.Check(now)
}
