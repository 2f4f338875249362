package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// useOtherMachine switches to an empty journal and another results file, like a second
// machine with the same batch.
func (r *retirer) useOtherMachine(flags []string) (other []string, results string) {
	r.env["XDG_DATA_HOME"] = filepath.Join(r.env["HOME"], "elsewhere")
	results = filepath.Join(r.env["HOME"], "elsewhere.csv")
	return []string{flags[0], flags[1], flags[2], results}, results
}

// refuseOnce makes the service refuse the n-th retirement call since the start.
func (r *retirer) refuseOnce(n int64) {
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost || r.sent.Load() != n {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"statusCode":422,"error":"SELL_ORDER_NOT_LIVE","message":"No"}`))
		return true
	}
}

// Only one journal knows the new id of a line that was refused and sent again. Another
// machine would send the first id and retire the line twice.
func TestBatchOfAnotherMachineIsNotContinued(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, results := r.batchOf(shortHeader + "a,004bale21,1000000\nb,004bale21,2000000\n")
	r.refuseOnce(2)
	if got := r.retire(flags...); got.status != command.StatusNotFound {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	if got := r.retire(flags...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	other, theirs := r.useOtherMachine(flags)
	for range 2 {
		got := r.retire(other...)
		if got.status != command.StatusFailed || !strings.Contains(got.stderr, "already retired by a journal other than") || !strings.Contains(got.stderr, "add --take-over.\n") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	}
	if rows := strings.Join(summary(r.rows(theirs)), "; "); rows != "a done 0 1 610; b not_sent 0 0 0" {
		t.Errorf("results %s", rows)
	}
	if bought, retired := r.totals(); bought != 3 || retired != 3e6 || r.sent.Load() != 4 {
		t.Errorf("bought %d t, retired %d g, %d sent", bought, retired, r.sent.Load())
	}
	if text := must(os.ReadFile(results)); !strings.Contains(string(text), "b,") {
		t.Errorf("%s", text)
	}
}

func TestResultsOfAnotherJournalStopBatch(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, results := r.batchOf(shortHeader + "a,004bale21,1000000\nb,004bale21,2000000\n")
	r.refuseOnce(1)
	r.retire(flags...)
	if got := r.retire(flags...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	before, sent := string(must(os.ReadFile(results))), r.sent.Load()
	r.useOtherMachine(flags)
	if got := r.retire(flags...); got.status != command.StatusFailed || !strings.Contains(got.stderr, "is not in the journal") || r.sent.Load() != sent {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
	}
	if after := string(must(os.ReadFile(results))); after != before {
		t.Errorf("the results changed to\n%s", after)
	}
}

func TestTakeOverContinuesBatchOfAnotherMachine(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "a,004bale21,1000000\nb,004bale21,2000000\n")
	r.refuseOnce(2)
	r.retire(flags...)
	other, theirs := r.useOtherMachine(flags)
	if got := r.retire(append(other, "--take-over")...); got.status != 0 {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
	if rows := r.rows(theirs); strings.Join(summary(rows), "; ") != "a done 0 1 600; b done 0 2 1220" || !strings.Contains(rows[0][9], "another journal") || rows[1][9] != "" {
		t.Errorf("results %v", rows)
	}
	if bought, retired := r.totals(); bought != 3 || retired != 3e6 {
		t.Errorf("bought %d t, retired %d g", bought, retired)
	}
}

func TestResultsDoNotReplaceOtherFile(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, results := r.batchOf(shortHeader + "a,004bale21,20\n")
	for _, text := range []string{"month,total\n2026-10,7\n", "", resultHeader + "\n\"a", resultHeader + "\na,b\n"} {
		r.write(filepath.Base(results), text)
		if got := r.retire(flags...); got.status != command.StatusUsage || r.sent.Load() != 0 || string(must(os.ReadFile(results))) != text {
			t.Errorf("%q: status %d, %d sent\n%s", text, got.status, r.sent.Load(), got.stderr)
		}
	}
}
