package reconcile

import (
	"errors"
	"fmt"
	"strings"

	"tonne/model"
)

// unstated is the amount or quantity of an empty cell.
const unstated = -1

// quantities reads the quantities, UnknownGrams for an empty cell.
func (t *table) quantities() []model.Grams {
	all := make([]model.Grams, len(t.rows))
	if t.has(GramsColumn) {
		t.each(GramsColumn, func(i int, cell string) error {
			n, err := model.ParseNumber(cell)
			all[i] = model.Grams(n)
			return err
		}, func(i int) { all[i] = unstated })
		return all
	}
	mark := t.decimalMark(TonnesColumn)
	t.each(TonnesColumn, func(i int, cell string) (err error) {
		if all[i], err = model.ParseTonnes(withPoint(cell, mark)); errors.Is(err, model.ErrNotDigits) {
			err = errors.New("is not a number of tonnes with at most 6 decimals")
		}
		return err
	}, func(i int) { all[i] = unstated })
	return all
}

// costs reads the amounts, in cents.
func (t *table) costs() []model.Cents {
	all := make([]model.Cents, len(t.rows))
	parse := func(cell string) (model.Cents, error) {
		n, err := model.ParseNumber(cell)
		return model.Cents(n), err
	}
	if t.has(CostColumn) && !strings.HasSuffix(plainTitle(t.titles[t.at[CostColumn]]), "cents") {
		mark := t.decimalMark(CostColumn)
		dollars := t.inDollars(mark)
		parse = func(cell string) (model.Cents, error) {
			n, err := model.ParseDollars(withPoint(cell, mark))
			if err == nil && n > 0 && !dollars {
				err = errors.New("may be dollars or cents: call the column cost_usd or cost_cents")
			}
			return model.Cents(n), err
		}
	}
	t.each(CostColumn, func(i int, cell string) (err error) {
		if all[i], err = parse(cell); errors.Is(err, model.ErrNotDigits) {
			err = errors.New("is not an amount")
		}
		return err
	}, func(i int) { all[i] = unstated })
	return all
}

// inDollars reports whether the title or a cell shows that the column is in dollars.
func (t *table) inDollars(mark rune) bool {
	if title := t.titles[t.at[CostColumn]]; strings.HasSuffix(plainTitle(title), "usd") || strings.Contains(title, "$") {
		return true
	}
	for _, cell := range t.cells(CostColumn) {
		if strings.Contains(cell, "$") || mark != 0 && strings.ContainsRune(cell, mark) {
			return true
		}
	}
	return false
}

// each calls read for each cell of a column that is not empty, and keeps its errors. It calls
// empty for the others.
func (t *table) each(c Column, read func(i int, cell string) error, empty func(i int)) {
	for i, cell := range t.cells(c) {
		if cell == "" {
			empty(i)
		} else if err := read(i, cell); err != nil {
			t.wrongCell(i, c, cell, err)
		}
	}
}

func withPoint(cell string, mark rune) string {
	if mark == ',' {
		return strings.NewReplacer(",", ".", ".", ",").Replace(cell)
	}
	return cell
}

// decimalMark returns the decimal mark of a column, or 0 if no cell needs one. The cells must
// agree: "1,234.5" and "0.25" have a point, "1.234,5" and "0,25" a comma. "1,234" and "1.234"
// are ambiguous without such a cell, unless commas separate the cells: then a comma is no mark.
func (t *table) decimalMark(c Column) (mark rune) {
	first := 0
	var ambiguous []int
	cells := t.cells(c)
	for i, cell := range cells {
		has, sure := markOf(cell)
		switch {
		case !sure && has != 0:
			ambiguous = append(ambiguous, i)
		case has != 0 && mark == 0:
			mark, first = has, i
		case has != 0 && has != mark:
			t.wrongCell(i, c, cell, fmt.Errorf("has another decimal mark than line %d", t.lines[first]))
		}
	}
	if mark != 0 || len(ambiguous) == 0 || t.comma == ',' {
		if mark == 0 && len(ambiguous) > 0 {
			mark = '.'
		}
		return mark
	}
	for _, i := range ambiguous {
		t.wrongCell(i, c, cells[i], errors.New("is ambiguous: thousands or decimals"))
	}
	return 0
}

// markOf returns the decimal mark that a number has. It is not sure if the mark may separate
// thousands.
func markOf(cell string) (mark rune, sure bool) {
	cell = strings.TrimPrefix(cell, "$")
	points, commas := strings.Count(cell, "."), strings.Count(cell, ",")
	at := strings.LastIndexAny(cell, ".,")
	switch {
	case at < 0:
		return 0, true
	case points > 0 && commas > 0:
		return rune(cell[at]), true
	case points > 1:
		return ',', true
	case commas > 1:
		return '.', true
	}
	head, tail := cell[:at], cell[at+1:]
	return rune(cell[at]), len(tail) != 3 || len(head) > 3 || head == "" || head[0] == '0'
}
