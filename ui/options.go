package ui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/localfile"
	"tonne/ui/keymap"
	"tonne/ui/market"
	"tonne/ui/retire"
	"tonne/ui/retirement"
	"tonne/ui/tab"
)

// Feed is what the dashboard needs of a session.
type Feed interface {
	// Next returns what is new, and waits until there is something.
	Next(ctx context.Context) ([]session.Event, error)
	ShowInventory(q api.InventoryQuery)
	HideInventory()
	Refresh()
	Pause(paused bool)
	Focus(focused bool)
	market.Session
	retirement.Session
}

// Options say what the dashboard shows. Feed and Host are required; the rest may be zero.
type Options struct {
	Feed Feed
	// Host is how the header calls the service.
	Host string
	// Label names the tenant or profile in the header; Alarm makes it stand out as production.
	Label string
	Alarm bool
	// KeyFrom says where the API key was found, for a key that is refused; it may be empty.
	KeyFrom string
	// Options are those of the Retirements tab. Safe is used everywhere.
	retirement.Options

	// Remote is the terminal of a person at another machine, who opens, saves and starts nothing on this one.
	Remote *Remote

	// Retire sends what cannot be undone; nil, unless retiring was switched on, sends nothing.
	Retire retire.Workflow
	// Unfinished counts calls with an unknown outcome, for a dashboard that cannot retire. It may be nil, and wait.
	Unfinished func(ctx context.Context) (int, error)

	// WithFlags adds the flags of the dashboard to the commands that a text names; nil adds none.
	WithFlags func(text string) string

	// Theme is auto (asks the terminal), dark, light or mono. Empty is auto.
	Theme string
	// Remap holds the keys that the person chose.
	Remap keymap.Remap
	// NoMouse leaves the mouse to the terminal from the start.
	NoMouse bool

	// NoMotion leaves out what moves or fades: the marks of changed values.
	NoMotion bool

	// Browse opens a URL that came from data, after checking it.
	Browse func(ctx context.Context, url string) error

	// Files are those of the person's machine; nil is this one.
	Files tab.Files

	// Getenv, Now, Location, Input and Output default to the process's own.
	Getenv   func(string) string
	Now      func() time.Time
	Location *time.Location
	Input    io.Reader
	Output   io.Writer
}

func (o Options) withDefaults() Options {
	if o.Remote != nil {
		o = o.withoutMachine()
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Location = cmp.Or(o.Location, time.Local)
	if o.Safe == nil {
		o.Safe = func(string) (string, error) { return "", errNoBrowser }
	}
	if o.Browse == nil {
		o.Browse = func(context.Context, string) error { return errNoBrowser }
	}
	if o.Files == nil {
		o.Files = localfile.Machine{}
	}
	return o
}

var errNoBrowser = errors.New("there is no browser here")
