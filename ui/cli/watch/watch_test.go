package watch

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/terminal"
)

func TestExecTimeoutKillsCommandAndItsChildren(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	var stderr strings.Builder
	w := &run{app: command.NewApp(command.Process{Stderr: &stderr, Getenv: os.Getenv}, new(terminal.Terminal)), command: "sleep 1000 & sleep 1000", longest: time.Millisecond}
	if err := w.execute(t.Context(), store.Alert{}); err != nil || !strings.Contains(stderr.String(), "--exec took longer than 1ms and was stopped") {
		t.Errorf("%v, %q", err, stderr.String())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&terminal.SignalError{Signal: 15})
	w.longest = time.Hour
	if err := w.execute(ctx, store.Alert{}); err == nil || err.Error() != (&terminal.SignalError{Signal: 15}).Error() {
		t.Errorf("after a signal: %v", err)
	}
}

func TestStateAlertReportsSince(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 7, 12, 0, 0, 0, time.UTC)
	f := store.Alert{
		Rule:  alert.Rule{Request: "M1", Measure: alert.State, Status: retirement.Closed, For: 14 * 24 * time.Hour},
		At:    since.AddDate(0, 0, 14),
		Since: since,
		Facts: alert.FactsOf(retirement.Closed),
		Was:   alert.FactsOf(retirement.Closed),
	}
	w := &run{Connection: &listing.Connection{ProjectDetails: &listing.ProjectDetails{}}}
	if line := w.alertLine(f); !strings.HasSuffix(line, "now CLOSED, holds, seen so since "+since.Local().Format("2 Jan 15:04 MST")) {
		t.Errorf("line is %q", line)
	}
	var out strings.Builder
	if err := w.writeAlert(&out, f); err != nil || !strings.HasSuffix(out.String(), `"retirement_request_id":"M1","since":"2026-11-07T12:00:00Z"}`+"\n") {
		t.Errorf("object is %q, %v", out.String(), err)
	}
}
