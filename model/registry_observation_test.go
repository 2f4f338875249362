package model_test

import (
	"testing"

	"tonne/model"
)

func TestASightingIsEvidenceOfTheCreditsThatWereSeenAlone(t *testing.T) {
	t.Parallel()
	source := evidenced()
	source.Retirement.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 1000", "ART-GY-102-2019-3-1001 to 5000", "an odd one"}
	const said = "2026-03-01T00:00:00Z Ann https://registry.example/1"
	for subject, want := range map[string][3]string{
		source.Retirement.ID:             {said, said, said},
		"ART-GY-102-2019-3-1 to 1000":    {said, "", ""},
		"ART-GY-102-2019-3-991 to 1010":  {said + " (991 to 1,000 of it)", said + " (1,001 to 1,010 of it)", ""},
		"ART-GY-102-2019-3-500 to 9999":  {said + " (500 to 1,000 of it)", said, ""},
		"ART-GY-102-2019-4-1 to 1000":    {},
		"ART-GY-102-2019-3-5001 to 5001": {},
		"an odd one":                     {"", "", said},
	} {
		source.Observations = []model.RegistryObservation{{Subject: subject, At: factDay, Who: "Ann", URL: "https://registry.example/1"}}
		for n, row := range model.Evidence(source, false) {
			if got := cell(t, row, "seen_on_registry"); got != want[n] {
				t.Errorf("%s, row %d: %q, want %q", subject, n, got, want[n])
			}
		}
	}
}
