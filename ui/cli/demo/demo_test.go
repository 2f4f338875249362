package demo

import (
	"path/filepath"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model/file/dbfile/dbfiletest"
	must "tonne/model/musttest"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/terminal"
)

// Package dbfile has tests of all kinds of foreign files.
func TestKeptDemoTouchesNoForeignFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a text file", "a database without an id"} {
		dir := t.TempDir()
		for _, file := range []string{"demo.db", "journal.db"} {
			dbfiletest.Strangers()[name].Make(t, filepath.Join(dir, file))
		}
		d := &options{dash: dashboard.Dashboard{App: command.NewApp(
			command.Process{Now: time.Now, Getenv: func(string) string { return "" }}, new(terminal.Terminal))}, keep: dir}
		dbfiletest.Untouched(t, dir, func() {
			if path, err := d.databasePath(); err == nil {
				t.Errorf("%s: the demo uses %s", name, path)
			}
			var o ui.Options
			_, leave, err := d.practise(&o, &syntheticMarket{baseURL: baseURL, key: newPendingKey()})
			must.Succeed(t, err)
			defer leave()
			must.Fail(t, must.Err(o.Retire.Abandon(t.Context(), "tonne-none")), retire.ErrNoCall,
				name, "the journal of the demo")
		})
	}
}
