package tabular

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// content is the content of a cell.
type content struct {
	Value   *string `xml:"v"`
	Formula *string `xml:"f"`
	Inline  struct {
		Text string `xml:"t"`
		Runs []struct {
			Text string `xml:"t"`
		} `xml:"r"`
	} `xml:"is"`
}

// cell reads a cell by its type.
func (b *workbook) cell(d *xml.Decoder, e xml.StartElement) (cell, error) {
	var c content
	if err := d.DecodeElement(&c, &e); err != nil {
		return cell{}, err
	}
	kind := attribute(e, "t")
	switch {
	case kind == "inlineStr":
		text := c.Inline.Text
		for _, run := range c.Inline.Runs {
			text += run.Text
		}
		return cell{text: unescape(text)}, nil
	case c.Value == nil && c.Formula != nil:
		return cell{text: "=" + *c.Formula, kind: broken}, nil
	case c.Value == nil || *c.Value == "":
		return cell{}, nil
	}
	switch text := *c.Value; kind {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= len(b.shared) {
			return cell{}, fmt.Errorf("the text of cell %s is missing", attribute(e, "r"))
		}
		return cell{text: b.shared[n]}, nil
	case "b":
		return cell{text: map[string]string{"1": "TRUE", "0": "FALSE"}[text]}, nil
	case "d":
		return cell{text: text, kind: date}, nil
	case "", "n":
		return b.number(text, attribute(e, "s"))
	default:
		return cell{text: unescape(text)}, nil
	}
}

// number reads a number, which its style may make a day. A spreadsheet shows 15 digits of it.
func (b *workbook) number(text, styled string) (cell, error) {
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return cell{}, fmt.Errorf("%q is not a number", text)
	}
	var is style
	if n, err := strconv.Atoi(styled); err == nil && n >= 0 && n < len(b.styles) {
		is = b.styles[n]
	}
	if is.day && value >= 1 && value < 2_958_466 {
		return cell{text: b.day(int(value)).Format(time.DateOnly), kind: date}, nil
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'e', maxExact-1, 64), 64)
	digits := strconv.FormatFloat(rounded, 'f', -1, 64)
	if pad := is.zeros - len(digits); pad > 0 && value >= 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	return cell{text: digits, kind: number}, nil
}

// day returns the day of a serial number. In the system of 1900, 60 is a day that never was.
func (b *workbook) day(serial int) time.Time {
	switch {
	case b.base1904:
		return time.Date(1904, 1, 1+serial, 0, 0, 0, 0, time.UTC)
	case serial < 60:
		return time.Date(1899, 12, 31+serial, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(1899, 12, 30+serial, 0, 0, 0, 0, time.UTC)
}
