package exchange

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/retirement"
)

// Registered is a registry's record of a retirement.
type Registered struct {
	// Serials are in the format of ParseRange. If there are none, the service invents
	// serial numbers for demo data.
	Serials []string
	// Certificate is a PDF; if it is nil, the service prints one.
	Certificate []byte
}

// SerialError is returned for serial numbers that do not fit the retirement.
type SerialError struct{ Why string }

// Error returns a sentence without a full stop.
func (e *SerialError) Error() string { return e.Why }

func serialFault(format string, args ...any) error { return &SerialError{fmt.Sprintf(format, args...)} }

// ParseRange reads a serial number of a registry. A serial number in an unknown format must
// be followed by = and its tonnes. The error is a *SerialError.
func ParseRange(text string) (SerialRange, error) {
	serial, digits, stated := text, "", false
	if i := strings.LastIndexByte(text, '='); i >= 0 {
		serial, digits, stated = strings.TrimSpace(text[:i]), text[i+1:], true
	}
	known, ok := retirement.ParseSerial(serial)
	if !stated {
		if !ok {
			return SerialRange{}, serialFault("the format of %s is unknown: add its tonnes, as in SERIAL=40", text)
		}
		return SerialRange{serial, known.Tonnes}, nil
	}
	tonnes, err := model.ParseDigits(digits)
	switch {
	case err != nil || tonnes == 0 || serial == "":
		return SerialRange{}, serialFault("%s must be a serial number followed by = and its tonnes", text)
	case ok && tonnes != known.Tonnes:
		return SerialRange{}, serialFault("%s covers %d tonnes, not %d", serial, known.Tonnes, tonnes)
	}
	return SerialRange{serial, tonnes}, nil
}

// ErrSerialsNeeded is returned for a retirement without serial numbers if it is not demo data.
var ErrSerialsNeeded = errors.New("the registry's serial numbers are missing: the service invents them only " +
	"for demo data")

// CompleteAs completes a retirement request with the registry's record. It fails with
// ErrUnknownRequest, ErrNotInProgress, ErrSerialsNeeded or a *SerialError.
func CompleteAs(c *Change, id string, by Registered) {
	ranges := make([]SerialRange, len(by.Serials))
	for i, text := range by.Serials {
		var err error
		ranges[i], err = ParseRange(text)
		c.Fail(err)
	}
	r := findRequest(c, "WHERE id = $1", id)
	switch {
	case r.Number == 0:
		c.Fail(ErrUnknownRequest)
	case r.Status != retirement.InProgress:
		c.Fail(ErrNotInProgress)
	case len(ranges) > 0:
		c.Fail(checkRanges(c, r, ranges))
		finish(c, r, ranges)
	case exists(c, "SELECT 1 FROM demo_vintages LIMIT 1"):
		complete(c, r)
	default:
		c.Fail(ErrSerialsNeeded)
	}
	if by.Certificate != nil {
		c.Do("INSERT INTO certificate_files (request, pdf) VALUES ($1, $2)", r.Number, by.Certificate)
	}
}

func checkRanges(c *Change, r Request, ranges []SerialRange) error {
	left := r.Total.Tonnes()
	for _, s := range ranges {
		if s.Tonnes > left {
			return serialFault("the serial numbers cover more than the %d tonnes of the request", r.Total.Tonnes())
		}
		left -= s.Tonnes
	}
	if left > 0 {
		return serialFault("the serial numbers cover %d tonnes, the request has %d", r.Total.Tonnes()-left, r.Total.Tonnes())
	}
	of := issuance(c, r.Vintage)
	for _, s := range ranges {
		if err := of.checkOwn(s.Serial); err != nil {
			return err
		}
	}
	return checkUnused(c, r.Vintage, ranges)
}

func (of Issuance) checkOwn(serial string) error {
	s, ok := retirement.ParseSerial(serial)
	switch {
	case !ok:
	case of.Project != "" && s.Project != "" && s.Project != of.Project:
		return serialFault("%s is of project %s, the request is of %s", serial, s.Project, of.Project)
	case !s.Covers(of.Year):
		return serialFault("%s is not of vintage %d", serial, of.Year)
	}
	return nil
}

func checkUnused(c *Change, vintage int64, ranges []SerialRange) error {
	retired := collect(c, `SELECT s.serial FROM vintages a JOIN vintages v ON v.project = a.project
		JOIN retirement_requests r ON r.vintage = v.number JOIN serial_numbers s ON s.request = r.number
		WHERE a.number = $1 AND r.retired_at IS NOT NULL`, firstText, vintage)
	var before []retirement.Serial
	for _, text := range retired {
		if s, ok := retirement.ParseSerial(text); ok {
			before = append(before, s)
		}
	}
	seen := make(map[string]bool)
	for _, one := range ranges {
		s, ok := retirement.ParseSerial(one.Serial)
		if !ok {
			// Some registries print one text for several retirements from a batch.
			if seen[one.Serial] {
				return serialFault("%s is given twice: give it once, with the sum of its tonnes", one.Serial)
			}
			seen[one.Serial] = true
			continue
		}
		used := exists(c, "SELECT 1 FROM serial_numbers WHERE serial = $1 LIMIT 1", one.Serial)
		if used || slices.ContainsFunc(before, s.Overlaps) {
			return serialFault("credits of %s are already retired", one.Serial)
		}
		before = append(before, s)
	}
	return nil
}
