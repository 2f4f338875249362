package retirement

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"tonne/model"
)

// serialFormat is a format of a registry's serial numbers.
type serialFormat struct {
	registry string
	// pattern has literal text and fields in braces:
	//
	//	START, END   the first and the last credit
	//	n            a number
	//	x            any text without the separator that follows
	//	COUNTRY      an ISO 3166-1 alpha-2 code
	//	PROJECT      the registry's number of the project
	//	YEAR         the year of the credits
	//	FROM, TO     the first and the last day of the credits, as DDMMYYYY
	//	FROMYM, TOYM the first and the last month of the credits, as YYMM
	//	GSRN         18 digits
	//	UNIT, OCP, ACP, LULUCF  the numbers of a Kyoto unit: type, commitment periods, activity
	//
	// A field other than n and x that occurs twice has the same text in both places.
	pattern string
	// example is a public serial number, and tonnes the quantity that the registry states for it.
	example string
	tonnes  int64
	// source is where the example was published.
	source string
}

const (
	offsetsDB = "https://github.com/carbonplan/offsets-db-data (cdfd8f77), tests/data: exports of the registry"
	// The examples are made from the published order of the fields.
	landCarbon = "https://registry.spglobal.com/uklandcarbonregistry/, S&P Global: " +
		"CODE-UNIT-GB-project-from-to-start-end-MER-0-P"
	scraped = "https://github.com/raulpbarros/rb-carbon-scraper (e2f1ba8d), tests/fixtures: responses of the registry"
)

// serialFormats are the known formats. A format is here only if public data of the registry
// shows the range of a serial number next to its quantity. The exception is the UK Land Carbon
// Registry: its platform is that of Plan Vivo, and its order of the fields is published.
//
// Without a range, the quantity of a serial number is unknown, so these are not here:
// Cercarbono prints the same batch (CDC_1_1_1_321_14_1_2009) for each retirement from it, and
// Isometric identifies retirements (ret_…) of kilograms. No public data was found that shows
// identifiers of Article 6 with their quantity.
var serialFormats = [...]serialFormat{
	{
		Verra, "{n}-{START}-{END}-VCS-VCU-{n}-{x}-{COUNTRY}-{n}-{PROJECT}-{FROM}-{TO}-{n}",
		"19334-940082955-940097954-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1", 15_000, offsetsDB,
	},
	{
		Verra, "{n}-{START}-{END}-VCU-{n}-{x}-{COUNTRY}-{n}-{PROJECT}-{FROM}-{TO}-{n}",
		"8040-449402283-449402291-VCU-042-MER-PE-14-1360-01072013-30062014-1", 9,
		"https://github.com/stellarcarbon/sc-audit, tests: retirements of Verra's registry",
	},
	{
		Verra, "{n}-{START}-{END}-VCS-VCU-{n}-{x}-{COUNTRY}-{PROJECT}-{FROM}-{TO}-{n}",
		"0001-000001-000100-VCS-VCU-003-VER-US-0003-01012020-31122020-1", 100,
		"https://help.cloverly.com/knowledge/registry-serial-number-ranges",
	},
	{
		GoldStandard, "GS1-{n}-{COUNTRY}-GS{PROJECT}-{n}-{YEAR}-{n}-{START}-{END}",
		"GS1-1-KE-GS11603-16-2025-30256-110-5463", 5_354, offsetsDB,
	},
	{
		ACR, "ACR-{COUNTRY}-{PROJECT}-{YEAR}-{n}-{START} to {END}",
		"ACR-FR-1129-2025-2917-30932 to 35143", 4_212, offsetsDB,
	},
	{
		CAR, "CAR-{x}-{COUNTRY}-{PROJECT}-{n}-{n}-{x}-{YEAR}-{n}-{START} to {END}",
		"CAR-1-MX-1568-42-1130-QR-2025-9676-3792 to 23791", 20_000, offsetsDB,
	},
	{
		ART, "ART-{COUNTRY}-{PROJECT}-{YEAR}-{n}-{START} to {END}",
		"ART-GY-102-2019-3-2500001 to 2600000", 100_000, offsetsDB,
	},
	{
		ART, "FCPF-{COUNTRY}-{PROJECT}-{YEAR}-{n}-{START} to {END}",
		"FCPF-CI-130-2023-20-1 to 46404", 46_404, offsetsDB,
	},
	{
		Puro, "PURO_PR_{x}_{COUNTRY}_{x}_{YEAR}_{x}_{START}-{END}",
		"PURO_PR_CORC100+_FI_577166_2020_055a3fbe-eabc-4535-b9cf-1028e7d18f89_1-100", 100,
		"https://docs.api.puro.earth/mypuro/concepts/certificates",
	},
	{
		Puro, "PURO_PR_{x}_{COUNTRY}_{x}_{YEAR}_{x}_{GSRN}{START}-{GSRN}{END}",
		"PURO_PR_CORC_FR_181856_2021_8646834b-ea59-4167-996e-16d8a084cfc1_" +
			"643002406555908610000000273380-643002406555908610000000273384", 5, scraped,
	},
	{
		BioCarbon, "BCR-{COUNTRY}-{x}-{n}-{n}-{x}-{FROMYM}-{TOYM}-{START}-{END}",
		"BCR-CO-259-14-002-2-2401-2409-0043804-0043903", 100, scraped,
	},
	{
		BioCarbon, "PCR-{COUNTRY}-{x}-{n}-{n}-{x}-{FROMYM}-{TOYM}-{START}-{END}",
		"PCR-CO-BFX-14-002-3-2001-2012-0000001-0000632", 632, scraped,
	},
	{
		CDM, "{COUNTRY}-{UNIT}-{START}-{OCP}-{ACP}-{LULUCF}-{PROJECT} - " +
			"{COUNTRY}-{UNIT}-{END}-{OCP}-{ACP}-{LULUCF}-{PROJECT}",
		"RW-5-1459975-2-2-0-7014 - RW-5-1460107-2-2-0-7014", 133, offsetsDB,
	},
	{
		PlanVivo, "PV-{x}-{COUNTRY}-{PROJECT}-{FROM}-{TO}-{START}-{END}-{x}",
		"PV-rPVC-MZ-110200000000034-01052022-30042023-2905-3542-SPG", 638, scraped,
	},
	{
		PlanVivo, "PV-{x}-{COUNTRY}-{PROJECT}-{FROM}-{TO}-{START}-{END}-{x}-{n}-{x}",
		"PV-PVC-UG-100000000000171-01012011-31122011-2297219-2361687-MER-0-A", 64_469, scraped,
	},
	{
		UKLandCarbon, "WCC-{x}-{COUNTRY}-{PROJECT}-{FROM}-{TO}-{START}-{END}-{x}-{n}-{x}",
		"WCC-WCU-GB-104000000000001-01012012-31122021-1-250-MER-0-P", 250, landCarbon,
	},
	{
		UKLandCarbon, "PC-{x}-{COUNTRY}-{PROJECT}-{FROM}-{TO}-{START}-{END}-{x}-{n}-{x}",
		"PC-PCU-GB-104000000000002-01012015-31122019-251-260-MER-0-P", 10, landCarbon,
	},
	{
		SocialCarbon, "SCU-{x}-{n}-{x}-{YEAR}-{n}-{START}-{END}",
		"SCU-SOCIALCARBON-7-Brazil-2020-14052025145100-1-10121", 10_121, scraped,
	},
	{
		SocialCarbon, "SC-SCU - {x}-{x}-{n}-{x}-{YEAR}-{n}-{START}-{END}",
		"SC-SCU - Removal-SOCIALCARBON-9-India-2021-25112025081134-1-12683", 12_683, scraped,
	},
}

var serialPatterns = compiledPatterns()

func compiledPatterns() []serialPattern {
	patterns := make([]serialPattern, len(serialFormats))
	for i, f := range serialFormats {
		patterns[i] = compilePattern(f.registry, f.pattern)
	}
	return patterns
}

type serialPattern struct {
	registry string
	parts    []serialPart
}

// serialPart is a field or, if field is empty, literal text.
type serialPart struct {
	field, literal string
	// stop is the byte that ends the field, or 0 if it ends with the text.
	stop byte
	// again means that the field has the text of the earlier part of this index.
	again bool
	index int
}

func compilePattern(registry, pattern string) serialPattern {
	p := serialPattern{registry: registry}
	pattern = blanksAtSeparators.Replace(strings.ReplaceAll(pattern, " to ", "-"))
	for pattern != "" {
		literal, rest, _ := strings.Cut(pattern, "{")
		field, after, _ := strings.Cut(rest, "}")
		if literal != "" {
			p.parts = append(p.parts, serialPart{literal: literal})
		}
		if field != "" {
			part := serialPart{field: field}
			if field != "n" && field != "x" {
				part.index = slices.IndexFunc(p.parts, func(q serialPart) bool { return q.field == field })
				part.again = part.index >= 0
			}
			if after != "" && after[0] != '{' {
				part.stop = after[0]
			}
			p.parts = append(p.parts, part)
		}
		pattern = after
	}
	return p
}

// WriteSerial writes a serial number in the first format of a registry, with the values of the
// fields of its pattern in their order. It returns "" for an unknown registry.
func WriteSerial(registry string, fields ...any) string {
	i := slices.IndexFunc(serialFormats[:], func(f serialFormat) bool { return f.registry == registry })
	if i < 0 {
		return ""
	}
	var text strings.Builder
	pattern := serialFormats[i].pattern
	for _, value := range fields {
		literal, rest, _ := strings.Cut(pattern, "{")
		_, pattern, _ = strings.Cut(rest, "}")
		fmt.Fprint(&text, literal, value)
	}
	return text.String() + pattern
}

// ParseSerial parses a serial number in a known format, in any case, with any blanks and dashes.
// It returns false for any other text, for a range that does not fit into one request, and for
// numbers with leading zeros of different widths.
func ParseSerial(text string) (Serial, bool) {
	text = plainSerial(text)
	for i := range serialPatterns {
		if s, ok := serialPatterns[i].parse(text); ok {
			return s, true
		}
	}
	return Serial{}, false
}

// plainSerial returns text in capitals, without blanks at separators, and with hyphens for all
// dashes and for the word between two credits.
func plainSerial(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || 'a' <= r && r <= 'z' }) {
		return text
	}
	text = strings.ToUpper(strings.Join(strings.Fields(strings.Map(plainRune, text)), " "))
	for at := 0; ; at++ {
		found := strings.Index(text[at:], " TO ")
		if found < 0 {
			break
		}
		at += found
		if at > 0 && isDigit(text[at-1]) {
			text = text[:at] + "-" + text[at+len(" TO "):]
		}
	}
	return blanksAtSeparators.Replace(text)
}

var blanksAtSeparators = strings.NewReplacer(" - ", "-", " -", "-", "- ", "-", " _ ", "_", " _", "_", "_ ", "_")

func plainRune(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Pd, r), r == '\u2212': // the minus sign
		return '-'
	}
	return r
}

// serialReader reads the fields of one serial number.
type serialReader struct {
	Serial
	first, last string
	from        time.Time
	// block is the text without the range and the separator before it. literal is the text that
	// precedes the next field of the block.
	block   []byte
	literal string
}

func (p *serialPattern) parse(text string) (Serial, bool) {
	if !strings.HasPrefix(text, p.parts[0].literal) {
		return Serial{}, false
	}
	r := serialReader{Serial: Serial{Registry: p.registry}}
	var fields [maxParts]string
	for i, part := range p.parts {
		field, rest, ok := part.cut(text)
		fields[i] = field
		switch {
		case !ok:
			return Serial{}, false
		case part.again && field == fields[part.index]:
		case part.again, !r.read(part, field):
			return Serial{}, false
		}
		text = rest
	}
	if text != "" || !r.finish() {
		return Serial{}, false
	}
	return r.Serial, true
}

const (
	gsrnDigits = 18
	// maxParts is the number of parts of the longest pattern.
	maxParts = 27
)

// cut returns the text of the part at the beginning of text.
func (p serialPart) cut(text string) (field, rest string, ok bool) {
	switch {
	case p.field == "":
		rest, ok = strings.CutPrefix(text, p.literal)
		return p.literal, rest, ok
	case p.field == "GSRN":
		if len(text) < gsrnDigits {
			return "", "", false
		}
		return text[:gsrnDigits], text[gsrnDigits:], true
	case p.stop == 0:
		return text, "", true
	}
	n := strings.IndexByte(text, p.stop)
	if n < 0 {
		return "", "", false
	}
	return text[:n], text[n:], true
}

func (r *serialReader) read(p serialPart, text string) (ok bool) {
	switch p.field {
	case "":
		r.literal = text
		return true
	case "START":
		r.first = text
		return true
	case "END":
		r.last = text
		return true
	}
	plain, ok := r.value(p.field, text)
	r.block = append(append(r.block, r.literal...), plain...)
	r.literal = ""
	return ok
}

// value reads a field that is part of the block, and returns it without leading zeros.
func (r *serialReader) value(field, text string) (plain string, ok bool) {
	switch field {
	case "n", "UNIT", "OCP", "ACP", "LULUCF", "GSRN":
		text, ok = withoutZeros(text), isNumber(text)
	case "x":
		ok = text != ""
	case "COUNTRY":
		r.Country, ok = text, len(text) == 2 && isUpper(text[0]) && isUpper(text[1])
	case "PROJECT":
		text, ok = withoutZeros(text), isNumber(text)
		r.Project = text
	case "YEAR":
		r.FirstYear, ok = year("2006", text)
		r.LastYear = r.FirstYear
	case "FROM", "FROMYM":
		r.from, ok = day(field, text)
		r.FirstYear = r.from.Year()
	case "TO", "TOYM":
		var to time.Time
		to, ok = day(field, text)
		r.LastYear, ok = to.Year(), ok && !to.Before(r.from)
	}
	return text, ok
}

func (r *serialReader) finish() bool {
	var okStart, okEnd bool
	r.Start, okStart = number(r.first)
	r.End, okEnd = number(r.last)
	if !okStart || !okEnd || r.Start > r.End || r.End-r.Start == math.MaxInt64 || r.FirstYear > r.LastYear {
		return false
	}
	if (isPadded(r.first) || isPadded(r.last)) && len(r.first) != len(r.last) {
		return false
	}
	r.Tonnes = r.End - r.Start + 1
	_, err := model.WholeTonnes(r.Tonnes)
	r.Block = string(r.block)
	return err == nil
}

func number(s string) (int64, bool) {
	n, err := model.ParseDigits(s)
	return n, err == nil
}

func isNumber(s string) bool {
	_, ok := number(s)
	return ok
}

func withoutZeros(number string) string {
	if bare := strings.TrimLeft(number, "0"); bare != "" {
		return bare
	}
	return number[:min(len(number), 1)]
}

func isPadded(number string) bool { return len(number) > 1 && number[0] == '0' }

func day(field, s string) (time.Time, bool) {
	layout := "02012006"
	if strings.HasSuffix(field, "YM") {
		layout = "0601"
	}
	t, err := time.Parse(layout, s)
	return t, err == nil && len(s) == len(layout)
}

func year(layout, s string) (int, bool) {
	t, err := time.Parse(layout, s)
	return t.Year(), err == nil && len(s) == len(layout)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// PartOfSerial returns the serial number of a part of text, written as text is. It returns false
// if the credits are not in text, or if the format is unknown.
func PartOfSerial(text string, start, end int64) (string, bool) {
	whole, ok := ParseSerial(text)
	if !ok || start < whole.Start || end > whole.End || start > end {
		return "", false
	}
	runs := digitRuns(text)
	for n := range len(runs) * len(runs) {
		first, last := runs[n/len(runs)], runs[n%len(runs)]
		if last.from <= first.from {
			continue
		}
		digits := last.to - last.from
		// The number of digits of a credit with leading zeros, or 0 for one without.
		widths := [...]int{0, digits - gsrnDigits}
		if text[last.from] == '0' {
			widths[0] = digits
		}
		for _, width := range widths {
			part := text[:first.from] + first.replaced(text, start, width) + text[first.to:last.from] +
				last.replaced(text, end, width) + text[last.to:]
			if s, ok := ParseSerial(part); ok && s.Block == whole.Block && s.Start == start && s.End == end {
				return part, true
			}
		}
	}
	return "", false
}

type digitRun struct{ from, to int }

func digitRuns(text string) (runs []digitRun) {
	for at := 0; at < len(text); at++ {
		from := at
		for at < len(text) && isDigit(text[at]) {
			at++
		}
		if at > from {
			runs = append(runs, digitRun{from, at})
		}
	}
	return runs
}

// replaced returns the digits with n as the last of them. A width of 0 replaces all of them.
func (d digitRun) replaced(text string, n int64, width int) string {
	keep := d.to - d.from - width
	if width <= 0 || keep < 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s%0*d", text[d.from:d.from+keep], width, n)
}
