package audit

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/model/retirement"
)

func retirements() []Request {
	return []Request{
		{Retirement: retirement.Request{
			ID: "0012345678901234567890", Status: retirement.Complete, TotalQuantity: 3_000_000, Type: retirement.Whole, ProjectID: "=1+1", VintageID: "V",
			SerialNumbers: []string{"ACR-FR-1129-2025-2917-1 to 2", "ACR-FR-1129-2025-2917-3 to 3"},
			Items:         []retirement.Item{{ID: "I", Quantity: 3_000_000, RetireeName: "Ann", RetireeTaxID: "GB 123 456 789"}},
		}},
		{Retirement: retirement.Request{ID: "R2", Status: retirement.Open, TotalQuantity: 20}},
	}
}

// write writes the evidence and returns its path.
func write(t *testing.T, name string, showTaxIDs bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	from := Source{CreatedAt: time.Unix(0, 0), Service: "https://market.example", Version: "v1", ShowTaxIDs: showTaxIDs}
	if err := Write(path, from, retirements()); err != nil {
		t.Fatal(err)
	}
	return path
}

func columnOf(t *testing.T, header []string, name string) int {
	t.Helper()
	i := slices.Index(header, name)
	if i < 0 {
		t.Fatalf("no column %s in %v", name, header)
	}
	return i
}

// checkRows checks the rows, which are the same in every format.
func checkRows(t *testing.T, rows [][]string) {
	t.Helper()
	if len(rows) != 4 {
		t.Fatalf("%d rows with the header, want one row per serial range and one for a request without any", len(rows))
	}
	if !slices.Equal(rows[0], namesOf(columns)) {
		t.Errorf("header %v", rows[0])
	}
	if got := rows[1][columnOf(t, rows[0], "retirement_request_id")]; got != "0012345678901234567890" {
		t.Errorf("the id is %q", got)
	}
	if got := rows[2][columnOf(t, rows[0], "serial_number")]; got != "ACR-FR-1129-2025-2917-3 to 3" {
		t.Errorf("the serial number is %q", got)
	}
	if got := rows[1][columnOf(t, rows[0], "beneficiary_tax_id")]; strings.Contains(got, "123") {
		t.Errorf("the tax id is not masked: %q", got)
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	f, err := os.Open(write(t, "e.csv", false))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, rows)
	if got := rows[1][columnOf(t, rows[0], "project_id")]; got != "'=1+1" {
		t.Errorf("formula not escaped: %q", got)
	}
}

func TestJSONKeepsTheOrderOfTheColumns(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(write(t, "e.json", false))
	if err != nil {
		t.Fatal(err)
	}
	var objects []map[string]string
	if err := json.Unmarshal(text, &objects); err != nil {
		t.Fatal(err)
	}
	rows := [][]string{namesOf(columns)}
	for _, o := range objects {
		var row []string
		for _, name := range rows[0] {
			row = append(row, o[name])
		}
		rows = append(rows, row)
	}
	checkRows(t, rows)
	last := -1
	for _, name := range rows[0] {
		at := strings.Index(string(text), `"`+name+`":`)
		if at < last {
			t.Errorf("%s is out of order", name)
		}
		last = at
	}
}

func TestManifestNamesTheSource(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"e.csv", "e.json", "e.XLSX"} {
		path := write(t, name, true)
		text, err := os.ReadFile(ManifestPath(path))
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		content, _ := os.ReadFile(path)
		hash := sha256.Sum256(content)
		want := map[string]any{
			"file": name, "sha256": hex.EncodeToString(hash[:]), "created_at": "1970-01-01T00:00:00Z", "service": "https://market.example",
			"version": "v1", "requests": 2.0, "rows": 3.0, "tax_ids_masked": false,
		}
		for key, value := range want {
			if m[key] != value {
				t.Errorf("%s: %s is %v, want %v", name, key, m[key], value)
			}
		}
	}
}

func TestUnknownExtensionIsRejected(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"evidence", "evidence.pdf", "evidence.csv.gz", ""} {
		if err := CheckPath(path); err == nil {
			t.Errorf("%q is accepted", path)
		}
	}
}
