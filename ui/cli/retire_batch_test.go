package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

const shortHeader = "reference,vintage_id,quantity_grams\n"

// The columns of batches and of results.
const (
	batchHeader  = "reference,vintage_id,quantity_grams,sell_order_id,max_price_cents,customer_name,customer_tax_id,customer_country,customer_id"
	resultHeader = "reference,external_id,status,retirement_request_id,from_inventory_grams,bought_tonnes,sell_order_id,price_cents,cost_cents,error"
)

// batchOf writes a batch file and returns the flags for it and for its results.
func (r *retirer) batchOf(text string) (flags []string, results string) {
	r.t.Helper()
	results = filepath.Join(r.env["HOME"], "results.csv")
	return []string{"--file", r.write("october.csv", text), "--results", results}, results
}

// summary formats rows of results without the ids.
func summary(rows [][]string) (all []string) {
	for _, row := range rows {
		all = append(all, fmt.Sprintf("%s %s %s %s %s", row[0], row[2], row[4], row[5], row[8]))
	}
	return all
}

func TestRepeatedBatchSendsNothing(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, results := r.batchOf(shortHeader + "a,004bale21,20\nb,004bale21,40\nc,004bale21,4000000\n")
	for range 2 {
		if got := r.retire(flags...); got.status != 0 {
			t.Fatalf("status %d\n%s", got.status, got.stderr)
		}
		want := "a done 0 1 600; b done 40 0 0; c done 999940 4 2440"
		if got := strings.Join(summary(r.rows(results)), "; "); got != want {
			t.Errorf("results %s, want %s", got, want)
		}
	}
	if bought, retired := r.totals(); bought != 5 || retired != 4_000_060 || r.sent.Load() != 3 {
		t.Errorf("bought %d t, retired %d g, %d sent", bought, retired, r.sent.Load())
	}
}

func TestBatchIsValidatedBeforeFirstCall(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	for _, tt := range []struct{ name, text, want string }{
		{"no header", "a,004bale21,20\n", "the first line is not"},
		{"unknown column", "reference,vintage_id,quantity_grams,color\na,004bale21,20,red\n", "the first line is not"},
		{"no lines", shortHeader, " has no lines"},
		{"several wrong lines", shortHeader + "a,004bale21,0\nb,,5\nc,004bale21,1.5\n,004bale21,5\n", "line 2: |line 3: |line 4: |line 5: "},
		{"duplicate reference", shortHeader + "a,004bale21,5\na,004bale21,5\n", "line 3 has the same reference as line 2"},
		{"missing column", shortHeader + "a,004bale21\n", "line 2: "},
		{"unclosed quote", shortHeader + "\"a,004bale21,20\n", "line 2: "},
		{"fraction for a customer", batchHeader + "\na,004bale21,20,,,Ann,T1,GB,\n", "line 2: a customer's retirement is in whole tonnes"},
		{"customer without a country", batchHeader + "\na,004bale21,1000000,,,Ann,T1,,\n", "line 2: a customer has"},
		{"unknown country", batchHeader + "\na,004bale21,1000000,,,Ann,T1,QQ,\n", "line 2: the country"},
		{"invisible character", shortHeader + "a\u202eb,004bale21,20\n", "line 2: a text"},
		{"vintages without sell orders", shortHeader + "a,V8,20\nb,004bale21,20\nc,V9,20\n", "a: the vintage V8 is not for sale|c: the vintage V9 is not for sale"},
		{"more than the supply", shortHeader + "a,004bale21,30000000\nb,004bale21,30000000\n", "b: short by 12 t: neither"},
		{"price limit", shortHeader[:len(shortHeader)-1] + ",max_price_cents\na,004bale21,20,599\n", "a: the sell order 006a costs $6.00"},
	} {
		flags, results := r.batchOf(tt.text)
		got := r.retire(flags...)
		for want := range strings.SplitSeq(tt.want, "|") {
			if !strings.Contains(got.stderr, want) {
				t.Errorf("%s: standard error lacks %q:\n%s", tt.name, want, got.stderr)
			}
		}
		if got.status != command.StatusUsage && got.status != command.StatusNotFound {
			t.Errorf("%s: status %d", tt.name, got.status)
		}
		if _, err := os.Stat(results); err == nil && tt.name == "no lines" {
			t.Errorf("%s: results were written", tt.name)
		}
	}
	if r.sent.Load() != 0 {
		t.Errorf("%d calls sent", r.sent.Load())
	}
}

func TestMaxCostLimitsWholeBatch(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "a,004bale21,20\nb,004bale21,4000000\n")
	if got := r.retire(append(flags, "--max-cost", "3009")...); got.status != command.StatusNotFound || r.sent.Load() != 0 || !strings.Contains(got.stderr, "$30.40") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	if got := r.retire(append(flags, "--max-cost", "3040")...); got.status != 0 {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
}

func TestChangedBatchLineIsNamed(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "a,004bale21,20\nb,004bale21,40\n")
	if got := r.retire(flags...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	r.batchOf(shortHeader + "a,004bale21,20\nb,004bale21,41\nc,004bale21,5\n")
	if got := r.retire(flags...); got.status != command.StatusUsage || !strings.Contains(got.stderr, ": b; nothing was sent") || r.sent.Load() != 2 {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	r.batchOf(shortHeader + "a,004bale21,20\nb,004bale21,40\nc,004bale21,5\n")
	if got := r.retire(flags...); got.status != 0 || r.sent.Load() != 3 {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestInterruptedBatchStopsBetweenLinesAndResumes(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, results := r.batchOf(shortHeader + "a,004bale21,20\nb,004bale21,40\nc,004bale21,60\n")
	ctx, cancel := context.WithCancelCause(t.Context())
	r.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost && r.sent.Load() == 2 {
			cancel(&terminal.SignalError{Signal: syscall.SIGINT})
		}
		return false
	}
	got := r.runContext(ctx, append([]string{"retire", "--allow-retire", "--yes"}, flags...)...)
	if rows := strings.Join(summary(r.rows(results)), "; "); got.status != command.StatusInterrupted || rows != "a done 0 1 600; b done 40 0 0; c not_sent 0 0 0" {
		t.Errorf("status %d, results %s\n%s", got.status, rows, got.stderr)
	}
	if got := r.retire(flags...); got.status != 0 || r.sent.Load() != 3 {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestResultsPathIsValidated(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	batch := r.write("b.csv", shortHeader+"a,004bale21,20\n")
	for _, results := range []string{"", batch, r.env["HOME"], filepath.Join(r.env["HOME"], "missing", "r.csv"), "/proc/r.csv"} {
		if got := r.retire("--file", batch, "--results", results); got.status != command.StatusUsage || r.sent.Load() != 0 {
			t.Errorf("%q: status %d, %d sent\n%s", results, got.status, r.sent.Load(), got.stderr)
		}
	}
}

func TestBatchSendsCustomer(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, results := r.batchOf(batchHeader + "\n'=a,004bale21,2000000,006c,620,Ann,T1,GB,C-7\n")
	if got := r.retire(flags...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	row := r.rows(results)[0]
	if row[0] != "'=a" || row[6] != "006c" {
		t.Errorf("results %q", row)
	}
	out := r.must("retirement", row[3], "-o", "json")
	for _, want := range []string{`"Ann"`, `"T1"`, `"GB"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is missing in\n%s", want, out)
		}
	}
}

// A user who gives the batch of every month the same name must notice it.
func TestFinishedBatchReportsEarlierRetirement(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "a,004bale21,20\nb,004bale21,40\n")
	const notice = "of 2 lines 2 are already retired, the last at "
	if got := r.retire(flags...); got.status != 0 || strings.Contains(got.stderr, "already retired") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
	if got := r.retire(flags...); got.status != 0 || !strings.Contains(got.stderr, notice) || r.sent.Load() != 2 {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

// A renamed batch counts as a new one, so the plan warns about it.
func TestRenamedBatchIsReported(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	text := shortHeader + "a,004bale21,20\nb,004bale21,40\n"
	flags, results := r.batchOf(text)
	if got := r.retire(flags...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	renamed := []string{"--file", r.write("october (1).csv", text+"c,004bale21,5\n"), "--results", results + ".other"}
	got := r.retire(append(renamed, "--dry-run")...)
	if got.status != 0 || !strings.Contains(got.stderr, "of 3 lines 2 have the same reference and request as lines that the batch october.csv retired, or may have retired, at ") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
	renamed[3] = results
	if got := r.retire(renamed...); got.status != command.StatusUsage || !strings.Contains(got.stderr, "contains the results of the batch october.csv") || r.sent.Load() != 2 {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

// A script does not read warnings, so a renamed batch also needs --take-over.
func TestRenamedBatchNeedsTakeOver(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for name, unsure := range map[string]bool{"done": false, "unknown": true} {
			r := newRetirer(t)
			text := shortHeader + "a,004bale21,20\n"
			flags, results := r.batchOf(text)
			if unsure {
				r.leaveUnknown(flags, true)
			} else if got := r.retire(flags...); got.status != 0 {
				t.Fatalf("%s: status %d\n%s", name, got.status, got.stderr)
			}
			sent := r.sent.Load()
			// The check also applies after a first line under the new name.
			renamed := []string{"--file", r.write("november.csv", shortHeader+"z,004bale21,5\n"), "--results", results + ".other"}
			if got := r.retire(renamed...); got.status != 0 || r.sent.Load() != sent+1 {
				t.Fatalf("%s: status %d\n%s", name, got.status, got.stderr)
			}
			r.write("november.csv", shortHeader+"z,004bale21,5\na,004bale21,20\n")
			got := r.retire(renamed...)
			if got.status != command.StatusUsage || r.sent.Load() != sent+1 ||
				!strings.Contains(got.stderr, "that the batch october.csv retired") || !strings.Contains(got.stderr, "add --take-over.\n") {
				t.Errorf("%s: status %d, %d more sent\n%s", name, got.status, r.sent.Load()-sent, got.stderr)
			}
			if got := r.retire(append(renamed, "--take-over")...); got.status != 0 || r.sent.Load() != sent+2 {
				t.Errorf("%s: --take-over: status %d, %d more sent\n%s", name, got.status, r.sent.Load()-sent, got.stderr)
			}
			if got := r.retire(renamed...); got.status != 0 || r.sent.Load() != sent+2 {
				t.Errorf("%s: repeated: status %d, %d more sent\n%s", name, got.status, r.sent.Load()-sent, got.stderr)
			}
		}
	})
}

func TestWrongBatchHeaderIsExplained(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	for text, want := range map[string]string{
		"reference;vintage_id;quantity_grams\na;004bale21;20\n": `separated by ";" instead of ","`,
		"reference,vintage,quantity_grams\na,004bale21,20\n":    `unknown column "vintage"`,
		"reference,vintage_id\na,004bale21\n":                   "quantity_grams",
	} {
		flags, _ := r.batchOf(text)
		if got := r.retire(flags...); got.status != command.StatusUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("status %d, want %q\n%s", got.status, want, got.stderr)
		}
	}
}

// Input from a pipe has no useful name and is lost when the batch has to be resumed.
func TestBatchMustBeRegularFile(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	for _, file := range []string{os.DevNull, r.env["HOME"]} {
		got := r.retire("--file", file, "--results", filepath.Join(r.env["HOME"], "r.csv"))
		if _, todo := got.sentences(t); got.status != command.StatusUsage || !strings.Contains(todo, "to a file first") {
			t.Errorf("%s: status %d\n%s", file, got.status, got.stderr)
		}
	}
}

func TestPlanSumsFractions(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "a,004bale21,20\nb,004bale21,40\nc,004bale21,1000000\n")
	out := r.must(append([]string{"retire", "--allow-retire", "--dry-run"}, flags...)...)
	if strings.Count(out, "joins this month's request") != 1 || !strings.Contains(out, "004bale21  0.000060 t") {
		t.Error(out)
	}
}

// Lines after the limit would be ignored without notice.
func TestBatchSizeIsLimited(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "a,004bale21,20" + strings.Repeat(" ", 64<<20) + "\nb,004bale21,40\n")
	got := r.retire(flags...)
	if what, _ := got.sentences(t); got.status != command.StatusUsage || r.sent.Load() != 0 || !strings.Contains(what, "is longer than 64 MiB") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

// The call of a line that was removed from the file may still have taken effect.
func TestRemovedBatchLineWithPendingCallIsNamed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, results := r.batchOf(shortHeader + "a,004bale21,4000000\nb,004bale21,20\n")
		id := r.leaveUnknown(flags, true)
		r.batchOf(shortHeader + "b,004bale21,20\n")
		got := r.retire(flags...)
		if got.status != command.StatusUnreachable || !strings.Contains(got.stderr, "no longer in the file: a ("+id+")") || !strings.Contains(got.stderr, "tonne retire resume") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if rows := strings.Join(summary(r.rows(results)), "; "); rows != "b done 0 1 600" {
			t.Errorf("results %s", rows)
		}
		r.must("retire", "resume", "--allow-retire", "--yes")
		if got := r.retire(flags...); got.status != 0 {
			t.Errorf("after resume: status %d\n%s", got.status, got.stderr)
		}
	})
}
