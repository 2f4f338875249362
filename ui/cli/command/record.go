package command

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"tonne/api"
	"tonne/model/file/record"
)

// records are the record of markets, and the recorders that write to it. All copies of an App
// share them.
type records struct {
	app *App

	mu        sync.Mutex
	file      *record.File
	recorders map[string]*record.Recorder
	// problems are those that a drawn screen hid.
	problems []error
}

func newRecords(a *App) *records {
	return &records{app: a, recorders: make(map[string]*record.Recorder)}
}

// Record returns the record of markets: that of the desk, or the one of this machine.
func (a *App) Record() *record.File {
	if a.Desk != nil && a.Desk.Record != nil {
		return a.Desk.Record
	}
	r := a.records
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		path := filepath.Join(a.DataDir(), "orders.db")
		if a.Guest != nil {
			path = ""
		}
		r.file = record.Open(path)
	}
	return r.file
}

// UseRecord replaces the record of this machine, before its first use.
func (a *App) UseRecord(file *record.File) { a.records.file = file }

// Recording returns what records the reads of a marketplace, or nil if they are not recorded.
func (a *App) Recording(s *Settings) func(api.MarketRead) {
	if on, _ := a.Value("record_orders", s.File, ""); on == "false" {
		return nil
	}
	return func(read api.MarketRead) { a.recorder(string(s.BaseURL)).Add(record.Read(read)) }
}

func (a *App) recorder(origin string) *record.Recorder {
	file := a.Record()
	r := a.records
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recorders[origin] == nil {
		r.recorders[origin] = record.NewRecorder(file.Of(origin), r.report)
	}
	return r.recorders[origin]
}

// report says that a read was not recorded. While a screen is drawn, it waits for its end.
func (r *records) report(err error) {
	r.app.Log().Warn("the market was not recorded", "error", err)
	if r.app.Terminal != nil && r.app.Terminal.Screen.Load() != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.problems = append(r.problems, err)
		return
	}
	r.app.Warn("%s", notRecorded(err))
}

func notRecorded(err error) string {
	text := "the market was not recorded: " + err.Error()
	if file, ok := errors.AsType[*record.FileError](err); ok {
		text += "; " + file.Todo
	}
	return text
}

// CloseRecord waits until what was read is recorded, for up to 10 s.
func (a *App) CloseRecord() {
	r := a.records
	r.mu.Lock()
	recorders := slices.Collect(maps.Values(r.recorders))
	r.mu.Unlock()
	for _, recorder := range recorders {
		recorder.Close()
	}
	if r.file != nil {
		_ = r.file.Close()
	}
	if len(r.problems) > 0 {
		a.Warn("%s", notRecorded(r.problems[0]))
	}
}
