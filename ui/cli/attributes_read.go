package cli

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"tonne/model"
)

// readFacts reads a file of attributes as of a time, and returns what is wrong
// with it, by its lines.
func readFacts(r io.Reader, now time.Time) (facts []model.BuyerFact, wrong []string) {
	text := bufio.NewReader(r)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(3)
	}
	in := csv.NewReader(text)
	header, err := in.Read()
	if err == nil && strings.EqualFold(header[0], strings.ReplaceAll(factHeader, ",", ";")) {
		// So spreadsheets write CSV where the comma is the mark of decimals.
		header = strings.Split(header[0], ";")
		in.Comma, in.FieldsPerRecord = ';', len(header)
	}
	if err != nil || !strings.EqualFold(strings.Join(header, ","), factHeader) {
		return nil, []string{"the first line is not " + factHeader}
	}
	first := make(map[[3]string]int)
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return facts, wrong
		}
		line := lineOf(err, in)
		fact, why := factOf(cells, err, now)
		switch before, twice := first[factKey(fact)]; {
		case why != nil:
			wrong = append(wrong, fmt.Sprintf("line %d: %v", line, why))
		case twice:
			wrong = append(wrong, fmt.Sprintf("line %d says again what line %d does", line, before))
		}
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			// What follows a quote that does not end is no line.
			return facts, wrong
		}
		first[factKey(fact)] = line
		facts = append(facts, fact)
	}
}

// lineOf is the line of an error, or that of the record that was read last. A
// record that could not be read may have no field to ask.
func lineOf(err error, in *csv.Reader) int {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return parse.StartLine
	}
	if err != nil {
		return 0
	}
	line, _ := in.FieldPos(0)
	return line
}

func factOf(cells []string, err error, now time.Time) (model.BuyerFact, error) {
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		return model.BuyerFact{}, parse.Err
	case err != nil:
		return model.BuyerFact{}, err
	}
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.TrimPrefix(cell, "'"))
	}
	checked, _ := time.Parse(time.DateOnly, cells[5])
	f := model.BuyerFact{
		Scope: model.FactScope(strings.ToLower(cells[0])), ID: cells[1], Attribute: model.Attribute(strings.ToLower(cells[2])),
		Value: cells[3], Source: cells[4], Checked: checked,
	}
	switch f.Attribute {
	case model.CCP, model.Removal:
		f.Value = strings.ToLower(f.Value)
	}
	return f, f.Check(now)
}
