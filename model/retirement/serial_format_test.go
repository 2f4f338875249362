package retirement

import (
	"strings"
	"testing"

	must "tonne/model/musttest"
)

func TestEveryFormatReadsItsExample(t *testing.T) {
	for i, f := range serialFormats {
		s, ok := ParseSerial(f.example)
		must.Need(t, ok, f.example)
		must.Equal(t, s.Registry, f.registry, f.example)
		must.Equal(t, s.Tonnes, f.tonnes, f.example)
		must.Equal(t, s.End-s.Start+1, f.tonnes, f.example)
		must.Hold(t, strings.Contains(f.source, "https://"), f.example)
		must.Hold(t, len(serialPatterns[i].parts) <= maxParts, f.pattern)
		for j := range serialPatterns {
			other, ok := serialPatterns[j].parse(plainSerial(f.example))
			must.Hold(t, !ok || other == s, f.example, serialFormats[j].pattern)
		}
	}
}

func TestSerialsAreWrittenInTheFormatOfTheirRegistry(t *testing.T) {
	got := WriteSerial(ACR, "FR", 1129, 2025, 2917, 30932, 35143)
	must.Equal(t, got, "ACR-FR-1129-2025-2917-30932 to 35143")
	must.Equal(t, WriteSerial("another", 1), "")
}
