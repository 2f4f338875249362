package exchange

import (
	"slices"
	"testing"
)

func TestSerialRangeEndsWithItsBatch(t *testing.T) {
	of := Issuance{Registry: ACR, Project: "1129", Country: "US", Year: 2021, Next: 901, BatchSize: 1000}
	want := []SerialRange{{"ACR-US-1129-2021-2901-901 to 1000", 100}, {"ACR-US-1129-2021-2902-1001 to 2000", 1000}, {"ACR-US-1129-2021-2903-2001 to 2001", 1}}
	if got := of.take(1101); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if of.Next != 2002 {
		t.Errorf("the next is %d", of.Next)
	}
	if got := of.take(0); got != nil || of.Next != 2002 {
		t.Errorf("nothing takes %v", got)
	}
}

func TestSerialFormats(t *testing.T) {
	for registry, want := range map[string]string{
		Verra:        "10001-5-9-VCS-VCU-221-VER-ET-3-1340-01012021-31122021-0",
		GoldStandard: "GS1-1-ET-GS1340-3-2021-30001-5-9",
		ACR:          "ACR-ET-1340-2021-2901-5 to 9",
		CAR:          "CAR-1-ET-1340-31-983-KS-2021-9201-5 to 9",
		ART:          "ART-ET-1340-2021-1-5 to 9",
		Puro:         "PURO_PR_CORC100+_ET_1340_2021_e024a631-536f-038a-fb5a-36e8f8fc2ff5_5-9",
		"SOMEBODY":   "5-9",
	} {
		of := Issuance{Registry: registry, Project: "1340", Country: "ET", Kind: "Cookstoves", Year: 2021, Next: 5, BatchSize: 1000}
		if got := of.take(5); len(got) != 1 || got[0].Serial != want {
			t.Errorf("%s: %v, want %s", registry, got, want)
		}
	}
}
