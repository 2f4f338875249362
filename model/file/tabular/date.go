package tabular

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tonne/model/fold"
)

// forms are the forms of dates.
type forms struct {
	// isoDay is a day of ISO 8601: calendar, ordinal or week date, extended or basic. isoTime is a
	// time, with or without an offset.
	isoDay, isoTime *regexp.Regexp
	// clock is a time of day after another form of date.
	clock *regexp.Regexp
	// numeric is a date in three numbers. named has the name of a month, american begins with it.
	numeric, named, american *regexp.Regexp
	// serial is the number of a day in a spreadsheet.
	serial *regexp.Regexp
}

var dateForms = sync.OnceValue(func() forms {
	return forms{
		isoDay:   regexp.MustCompile(`^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d)|-?(\d{3})|-?W(\d\d)-?([1-7]))$`),
		isoTime:  regexp.MustCompile(`^(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)? ?(Z|[+-]\d\d(?::?\d\d)?)?$`),
		clock:    regexp.MustCompile(`(?i)^([01]?\d|2[0-4])[:.][0-5]\d([:.][0-5]\d([.,]\d+)?)?( ?[ap]\.?m\.?)?$`),
		numeric:  regexp.MustCompile(`^(\d{1,2}|\d{4})([/.-])(\d{1,2})([/.-])(\d{1,4})$`),
		named:    regexp.MustCompile(`^(\d{1,2})\.?[ /-]?(\pL{3,})\.?[ /,-]?(\d{2,4})$`),
		american: regexp.MustCompile(`^(\pL{3,})\.? (\d{1,2}),? (\d{4})$`),
		serial:   regexp.MustCompile(`^\d{5}([.,]\d+)?$`),
	}
})

// months are the names of the months in six languages, and abbreviations that do not begin them.
var months = [][]string{
	{"january", "januar", "jänner", "janvier", "enero", "gennaio", "januari"},
	{"february", "februar", "feber", "février", "febrero", "febbraio", "februari"},
	{"march", "märz", "mars", "marzo", "maart", "mrz", "mrt"},
	{"april", "avril", "abril", "aprile"}, {"may", "mai", "mayo", "maggio", "mei"},
	{"june", "juni", "juin", "junio", "giugno"}, {"july", "juli", "juillet", "julio", "luglio"},
	{"august", "août", "agosto", "augustus"},
	{"september", "septembre", "septiembre", "setiembre", "settembre", "sett"},
	{"october", "oktober", "octobre", "octubre", "ottobre"}, {"november", "novembre", "noviembre"},
	{"december", "dezember", "décembre", "diciembre", "dicembre"},
}

// monthOf returns the month whose name is, or begins with, the name, or 0.
func monthOf(name string) time.Month {
	name = fold.String(name)
	for m, names := range months {
		for _, full := range names {
			if strings.HasPrefix(fold.String(full), name) {
				return time.Month(m + 1)
			}
		}
	}
	return 0
}

// dayOf returns a day, which must exist.
func dayOf(year, month, day int) (time.Time, bool) {
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return at, year >= 1900 && at.Month() == time.Month(month) && at.Day() == day
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// parseISO parses a day, or a time, of ISO 8601. A time with an offset is its day in UTC.
func parseISO(text string) (time.Time, bool) {
	split := strings.IndexAny(text, "Tt ")
	rest := ""
	if split > 0 {
		text, rest = text[:split], strings.ToUpper(text[split+1:])
	}
	day, ok := isoDate(dateForms().isoDay.FindStringSubmatch(text))
	if !ok || split < 0 {
		return day, ok
	}
	m := dateForms().isoTime.FindStringSubmatch(rest)
	if m == nil {
		return day, false
	}
	hours, minutes, seconds := atoi(m[1]), atoi(m[2]), atoi(m[3])
	if hours > 24 || minutes > 59 || seconds > 60 || hours == 24 && minutes+seconds > 0 {
		return day, false
	}
	offset := strings.ReplaceAll(strings.TrimPrefix(m[4], "Z"), ":", "")
	at := day.Add(time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute)
	if offset != "" {
		shift := time.Duration(atoi(offset[1:3])) * time.Hour
		if len(offset) > 3 {
			shift += time.Duration(atoi(offset[3:])) * time.Minute
		}
		if offset[0] == '+' {
			shift = -shift
		}
		at = at.Add(shift)
	}
	return at.Truncate(24 * time.Hour), true
}

func isoDate(m []string) (time.Time, bool) {
	switch {
	case m == nil:
		return time.Time{}, false
	case m[2] != "":
		return dayOf(atoi(m[1]), atoi(m[2]), atoi(m[3]))
	case m[4] != "":
		return dayOf(atoi(m[1]), atoi(m[4]), atoi(m[5]))
	case m[6] != "":
		at := time.Date(atoi(m[1]), 1, atoi(m[6]), 0, 0, 0, 0, time.UTC)
		return at, atoi(m[6]) > 0 && at.Year() == atoi(m[1]) && at.Year() >= 1900
	}
	// 4 January is in the first week.
	first := time.Date(atoi(m[1]), 1, 4, 0, 0, 0, 0, time.UTC)
	monday := first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
	at := monday.AddDate(0, 0, (atoi(m[7])-1)*7+atoi(m[8])-1)
	year, week := at.ISOWeek()
	return at, year == atoi(m[1]) && week == atoi(m[7]) && year >= 1900
}

// dates decides how a column of dates is written.
type dates struct {
	title string
	// order is dmy or mdy, or empty while no cell decides it; by is the line that did.
	order string
	by    int
	// said is the order that the user gave.
	said      string
	matters   bool
	ambiguous []Fault
}

var (
	errDate     = errors.New("is not a date such as 2026-01-31")
	errTwoDigit = errors.New("has a year of two digits")
	errSerial   = errors.New("is the serial number of a day in a spreadsheet: format the column as dates")
)

// parse returns the readings of a cell as day-month and month-day, which are equal unless the order
// of numbers matters. A reading that is no day is zero.
func (d *dates) parse(text string) (dmy, mdy time.Time, err error) {
	if at, ok := parseISO(text); ok {
		return at, at, nil
	}
	forms := dateForms()
	if head, tail, found := strings.Cut(text, " "); found && forms.clock.MatchString(trim(tail)) {
		text = head
	} else if i := strings.LastIndex(text, " "); i > 0 && forms.clock.MatchString(text[i+1:]) {
		text = trim(text[:i])
	}
	if m := forms.named.FindStringSubmatch(text); m != nil {
		if len(m[3]) != 4 {
			return dmy, mdy, errTwoDigit
		}
		return single(dayOf(atoi(m[3]), int(monthOf(m[2])), atoi(m[1])))
	}
	if m := forms.american.FindStringSubmatch(text); m != nil {
		return single(dayOf(atoi(m[3]), int(monthOf(m[1])), atoi(m[2])))
	}
	m := forms.numeric.FindStringSubmatch(text)
	switch {
	case forms.serial.MatchString(text):
		return dmy, mdy, errSerial
	case m == nil || m[2] != m[4], len(m[1]) == 4 && len(m[5]) > 2:
		return dmy, mdy, errDate
	case len(m[1]) == 4:
		return single(dayOf(atoi(m[1]), atoi(m[3]), atoi(m[5])))
	case len(m[5]) != 4:
		return dmy, mdy, errTwoDigit
	case m[2] == "." && d.said == "":
		return single(dayOf(atoi(m[5]), atoi(m[3]), atoi(m[1])))
	}
	return d.slashed(atoi(m[1]), atoi(m[3]), atoi(m[5]))
}

func (d *dates) slashed(a, b, year int) (dmy, mdy time.Time, err error) {
	if at, ok := dayOf(year, b, a); ok && d.said != "mdy" && d.said != "ymd" {
		dmy = at
	}
	if at, ok := dayOf(year, a, b); ok && d.said != "dmy" && d.said != "ymd" {
		mdy = at
	}
	if dmy.IsZero() && mdy.IsZero() {
		err = errDate
		if d.said != "" {
			err = fmt.Errorf("is not a date in the order %s", d.said)
		}
	}
	return dmy, mdy, err
}

func single(at time.Time, ok bool) (dmy, mdy time.Time, err error) {
	if !ok {
		return dmy, mdy, errDate
	}
	return at, at, nil
}

// look learns from a cell, and returns what is wrong with it.
func (d *dates) look(line int, c cell) error {
	text := tidy(c.text)
	if c.kind == number {
		return errSerial
	}
	dmy, mdy, err := d.parse(text)
	switch {
	case err != nil || dmy.Equal(mdy):
		return err
	case mdy.IsZero():
		return d.decide("dmy", line)
	case dmy.IsZero():
		return d.decide("mdy", line)
	}
	d.matters = true
	if d.order == "" {
		why := fmt.Sprintf("has %s %q, which is %s or %s",
			clip(d.title), text, dmy.Format(time.DateOnly), mdy.Format(time.DateOnly))
		d.ambiguous = append(d.ambiguous[:min(len(d.ambiguous), maxFaults-1)], Fault{line, why})
	}
	return nil
}

func (d *dates) decide(order string, line int) error {
	if d.order == "" {
		d.order, d.by = order, line
	}
	d.matters = true
	if d.order != order {
		return fmt.Errorf("has another order of day and month than line %d", d.by)
	}
	return nil
}

// read reads a cell after the column is decided.
func (d *dates) read(c cell) time.Time {
	dmy, mdy, _ := d.parse(tidy(c.text))
	if d.order == "mdy" {
		return mdy
	}
	return dmy
}

func (d *dates) end(e *FaultsError) {
	for _, f := range d.ambiguous {
		if d.order == "" {
			e.Add(f.Line, "%s", f.Why)
			e.decide(DateFlag)
		}
	}
}

func (d *dates) decisions() []string {
	words := map[string]string{"dmy": "day/month/year", "mdy": "month/day/year"}
	if d.said != "" || d.order == "" || !d.matters {
		return nil
	}
	return []string{fmt.Sprintf("%q is %s", d.title, words[d.order])}
}
