package demo

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"tonne/api/retire"
	"tonne/model/dbfile/dbfiletest"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/terminal"
)

func TestDemoKeepRejectsExistingFile(t *testing.T) {
	t.Parallel()
	for name, stranger := range dbfiletest.Strangers() {
		dir := t.TempDir()
		stranger.Make(t, filepath.Join(dir, "demo.db"))
		dbfiletest.Untouched(t, dir, func() {
			if path, err := (&options{keep: dir}).databasePath(); err == nil {
				t.Errorf("%s: the demo uses %s", name, path)
			}
		})
	}
}

func TestPractisingTouchesOnlyKeptDatabase(t *testing.T) {
	t.Parallel()
	for name, stranger := range dbfiletest.Strangers() {
		dir := t.TempDir()
		stranger.Make(t, filepath.Join(dir, "journal.db"))
		d := &options{dash: dashboard.Dashboard{App: command.NewApp(command.Process{Now: time.Now, Getenv: func(string) string { return "" }}, new(terminal.Terminal))}, keep: dir}
		var o ui.Options
		dbfiletest.Untouched(t, dir, func() {
			_, leave, err := d.practise(&o, &syntheticMarket{baseURL: baseURL, key: newPendingKey()})
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			if _, err := o.Retire.Abandon(t.Context(), "tonne-none"); !errors.Is(err, retire.ErrNoCall) {
				t.Errorf("%s: the journal of the demo: %v", name, err)
			}
		})
	}
}
