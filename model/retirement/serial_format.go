package retirement

import (
	"fmt"
	"slices"
	"strings"
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
