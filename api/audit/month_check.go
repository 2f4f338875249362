package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"tonne/model"
	"tonne/model/spreadsheet"
)

// monthHash hashes the values of an answer that a month has, because they may be long.
func monthHash(status, total, retired string) [sha256.Size]byte {
	return sha256.Sum256([]byte(status + "\x00" + total + "\x00" + retired))
}

func (a *packCheck) compareMonth() error {
	// The rows are no longer needed.
	a.rows = nil
	var missing []string
	for _, ending := range formats {
		if a.files[monthFile+ending] == nil {
			missing = append(missing, monthFile+ending)
		}
	}
	switch {
	case len(missing) == len(formats):
		return nil
	case len(missing) > 0:
		return fmt.Errorf("%s is missing", missing[0])
	}
	text, err := readPacked(a.files[monthFile+".json"])
	if err != nil {
		return err
	}
	var m Month
	if err := json.Unmarshal(text, &m); err != nil {
		return unreadable(monthFile + ".json")
	}
	a.compareRequests(m)
	err = a.sameFile(monthFile+".csv", func(w io.Writer) error { return spreadsheet.WriteCSV(w, m.rows()) })
	return cmp.Or(err, a.sameFile(monthFile+".xlsx", m.workbook().Write))
}

func (a *packCheck) compareRequests(m Month) {
	var requested model.Grams
	var counts MonthCounts
	listed, leftOut := make(map[string]bool), make(map[string]bool)
	for _, l := range a.manifest.LeftOut {
		leftOut[l.ID] = true
	}
	for _, f := range m.Requests {
		*counts.of(f.State)++
		listed[f.ID] = true
		if total := model.Grams(f.Total); total.Known() {
			requested = requested.AddUpTo(total)
		}
		answer, answered := a.answers[f.ID]
		switch {
		case !answered && !leftOut[f.ID]:
			a.differ("%s.json has %s, which is not in the evidence", monthFile, f.ID)
		case answered && answer != monthHash(f.Status, model.Grams(f.Total).String(), string(f.Retired)):
			a.differ("%s.json and the API response of %s differ", monthFile, f.ID)
		case answered && !a.doubtedAs(f):
			a.differ("%s.json and %s differ in the failed checks of %s", monthFile, manifestFile, f.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.answers)) {
		if !listed[id] {
			a.differ("%s.json lacks %s, which is in the evidence", monthFile, id)
		}
	}
	for _, state := range []FilingState{Filed, Doubtful, Empty, Waiting} {
		if n, has := *m.Counts.of(state), *counts.of(state); n != has {
			a.differ("%s.json counts %d requests that are %s, but has %d", monthFile, n, state, has)
		}
	}
	if model.Grams(m.Sums.Requested) != requested {
		a.differ("the sums of %s.json do not match its requests", monthFile)
	}
}

func (a *packCheck) doubtedAs(f MonthRequest) bool {
	var names []string
	for _, d := range a.doubts[f.ID] {
		if d.Check != "" {
			names = append(names, d.Check)
		}
	}
	if f.State == Filed && len(names) > 0 || f.State == Doubtful && len(names) == 0 {
		return false
	}
	return slices.Equal(names, f.FailedChecks())
}
