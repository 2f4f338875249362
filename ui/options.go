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
	"tonne/model/advice"
	"tonne/model/file/localfile"
	"tonne/ui/inventory"
	"tonne/ui/keymap"
	"tonne/ui/market"
	"tonne/ui/retire"
	"tonne/ui/retirement"
	"tonne/ui/tab"
)

// Feed is the part of an api/session session that the dashboard uses.
type Feed interface {
	// Next waits for events and returns them.
	Next(ctx context.Context) ([]session.Event, error)
	ShowInventory(q api.InventoryQuery)
	HideInventory()
	Refresh()
	Pause(paused bool)
	Focus(focused bool)
	market.Session
	retirement.Session
}

// Options configures a dashboard. Feed and Host are required.
type Options struct {
	Feed Feed
	// Host is the name of the service in the header.
	Host string
	// Label names the tenant or profile in the header. Alarm marks it as production.
	Label string
	Alarm bool
	// KeyFrom is the source of the API key, shown if the service refuses the key. It may be empty.
	KeyFrom string
	// Options are the options of the Retirements tab. All tabs use its Safe.
	retirement.Options

	// Profiles returns the accounts that the user can switch to, if Prepare is not nil. Prepare checks whether an
	// account can be opened. Then Run returns a *Switched with its result. Prepare may block.
	Profiles func() []Profile
	Prepare  func(ctx context.Context, name string) (any, error)
	// Greeting is the first message on the screen. It may be empty.
	Greeting string

	// Remote is the terminal of a remote user, who cannot open, save or start anything on this machine.
	Remote *Remote

	// Retire sends retirements, which cannot be undone. If it is nil, retiring is off.
	Retire retire.Workflow
	// Unfinished, if not nil, counts retirements with an unknown outcome if Retire is nil. It may block.
	Unfinished func(ctx context.Context) (int, error)

	// WithFlags, if not nil, adds the dashboard's flags to the commands in a text.
	WithFlags func(advice.Text) string

	// NoShell is why no command of a shell reads the marketplace of a demo. It is empty if commands do.
	NoShell string

	// Past reads recorded markets. Nil means that there are none.
	Past Past
	// Purchases compares purchases with recorded markets. Its zero value compares none.
	Purchases inventory.Record

	// Theme is auto, dark, light or mono. Empty means auto, which queries the terminal.
	Theme string
	// Remap has the user's key bindings.
	Remap keymap.Remap
	// NoMouse starts with mouse support off.
	NoMouse bool

	// NoMotion turns off animation: changed values are not marked.
	NoMotion bool

	// Browse checks a URL from the service's data and opens it in a browser.
	Browse func(ctx context.Context, url string) error

	// Files gives access to files. Nil means the files of this machine.
	Files tab.Files

	// Getenv, Now, Location, Input and Output default to those of the process.
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
