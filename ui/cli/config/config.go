// Package config reads tonne's configuration file: profiles of marketplaces
// and how the dashboard looks.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"tonne/model/localfile"
)

// File is a configuration. The zero value is an empty one.
type File struct {
	// Profile is the profile that is used when nothing else names one.
	Profile string `toml:"profile"`
	// Theme is how the dashboard is coloured; empty asks the terminal.
	Theme Theme `toml:"theme"`
	// Mouse says whether the dashboard takes the mouse; nil is yes.
	Mouse *bool `toml:"mouse"`
	// Motion says whether the dashboard marks changes for a moment; nil is yes.
	Motion *bool `toml:"motion"`
	// Timeout is how long one try of a request may take; 0 is the default.
	Timeout Duration `toml:"timeout"`
	// Certificates is the directory where the dashboard saves certificates.
	Certificates string `toml:"certificates"`
	// Profiles are the marketplaces and tenants by name.
	Profiles map[string]Profile `toml:"profiles"`
	// Keys are the keys that the person chose, by the name of the binding.
	Keys map[string]Strokes `toml:"keys"`

	path, text string
}

// Profile is one tenant of one marketplace.
type Profile struct {
	BaseURL BaseURL `toml:"base_url"`
	// Label is what the header calls it; empty is the profile's name.
	Label string `toml:"label"`
	// Production marks the address, which is then shown as PRODUCTION everywhere,
	// whatever profile is in use.
	Production bool `toml:"production"`
	// AllowRetire switches retiring on, which cannot be undone.
	AllowRetire bool `toml:"allow_retire"`
}

// Error says what is wrong with a configuration file, and where.
type Error struct {
	Path string
	// Line counts from 1; it is 0 if the whole file is meant.
	Line int
	// Reason is a phrase: unknown setting "them".
	Reason string
	// Err is why the file could not be read at all; it is nil if what it
	// says is wrong.
	Err error
}

// Unwrap returns why the file could not be read.
func (e *Error) Unwrap() error { return e.Err }

// Error returns path, line and reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Path, e.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason)
}

// Read reads the configuration file at path. A file that is not there is an
// empty configuration unless it is required. The error is an *Error.
func Read(path string, required bool) (*File, error) {
	text, err := localfile.Settings(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return &File{path: path}, nil
	}
	if err != nil {
		return nil, &Error{Path: path, Reason: "cannot be read: " + err.Error(), Err: err}
	}
	return Parse(path, string(text))
}

// Parse reads a configuration from text that came from path. The error is an
// *Error.
func Parse(path, text string) (*File, error) {
	f := &File{path: path, text: text}
	meta, err := toml.Decode(text, f)
	if err != nil {
		return nil, decodeError(path, text, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		key := unknown[0]
		return nil, &Error{Path: path, Line: lineOf(text, key), Reason: unknownSetting(key)}
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	return f, nil
}

// Path is where the configuration was read from, whether the file was there
// or not.
func (f *File) Path() string { return f.path }

// Lookup returns the profile with the name.
func (f *File) Lookup(name string) (Profile, bool) {
	p, ok := f.Profiles[name]
	return p, ok
}

// Names returns the names of the profiles, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.Profiles)) }

// At returns the names of the profiles with an address, sorted.
func (f *File) At(base BaseURL) []string {
	return slices.DeleteFunc(f.Names(), func(name string) bool { return !f.Profiles[name].BaseURL.Same(base) })
}

// Production returns the name of a profile that marks an address as one of
// production; it is empty if none does.
func (f *File) Production(base BaseURL) string {
	for _, name := range f.At(base) {
		if f.Profiles[name].Production {
			return name
		}
	}
	return ""
}

func (f *File) check() error {
	for _, name := range f.Names() {
		if f.Profiles[name].BaseURL == "" {
			at := lineOf(f.text, toml.Key{"profiles", name})
			return &Error{Path: f.path, Line: at, Reason: fmt.Sprintf("profile %s has no base_url", shown(name))}
		}
	}
	if _, ok := f.Profiles[f.Profile]; f.Profile != "" && !ok {
		return &Error{Path: f.path, Line: lineOf(f.text, toml.Key{"profile"}), Reason: "there is no profile " + shown(f.Profile) + permitted(f.Names())}
	}
	return nil
}

func permitted(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return "; permitted: " + strings.Join(values, ", ")
}

// Try returns the timeout of one try, or otherwise if none is set.
func (f *File) Try(otherwise time.Duration) time.Duration {
	if f.Timeout == 0 {
		return otherwise
	}
	return time.Duration(f.Timeout)
}
