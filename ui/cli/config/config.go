// Package config reads and edits tonne's configuration file: the profiles of marketplaces
// and the settings of the dashboard. The table of all settings is in setting.go. The
// package does not decide between flags, environment and file: ui/cli/command does.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"tonne/model/file/atomicfile"
	"tonne/model/file/localfile"
)

// File is a configuration. The zero value is an empty one.
type File struct {
	// Keys are the user's keys, by the name of the binding.
	Keys map[string][]string

	path, text string
	// values has the values of settings, and profiles those of each profile.
	values   map[string]string
	profiles map[string]map[string]string
}

// Profile is one tenant of one marketplace.
type Profile struct {
	BaseURL BaseURL
	// Label is the name in the header. The default is the profile's name.
	Label string
	// Production marks the address as PRODUCTION, with every profile.
	Production bool
	// AllowRetire permits retiring, which cannot be undone.
	AllowRetire bool
}

// Error is an error in a configuration file, with its position.
type Error struct {
	Path string
	// Line counts from 1. It is 0 for the whole file.
	Line int
	// Reason is a phrase: unknown setting "them".
	Reason string
	// Err is the error of reading the file, or nil if its contents are invalid.
	Err error
}

// Unwrap returns the error of reading the file.
func (e *Error) Unwrap() error { return e.Err }

// Error returns path, line and reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Path, e.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason)
}

// Read reads a configuration file. A missing one is empty unless it is required. The error is an *Error.
func Read(path string, required bool) (*File, error) {
	text, err := localfile.Settings(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return &File{path: path}, nil
	}
	if err == nil {
		err = cmp.Or(localfile.CheckMode(path), localfile.CheckDirOf(path))
	}
	if loose, ok := errors.AsType[*localfile.ModeError](err); ok {
		return nil, &Error{Path: path, Reason: loose.Error(), Err: err}
	}
	if err != nil {
		return nil, &Error{Path: path, Reason: "cannot be read: " + err.Error(), Err: err}
	}
	return Parse(path, string(text))
}

// Parse reads a configuration from the text of a file. The error is an *Error.
func Parse(path, text string) (*File, error) {
	if err := checkLines(path, text); err != nil {
		return nil, err
	}
	f := &File{path: path, text: text, values: make(map[string]string), profiles: make(map[string]map[string]string),
		Keys: make(map[string][]string)}
	var tree map[string]any
	meta, err := toml.Decode(text, &tree)
	if err != nil {
		return nil, decodeError(path, err)
	}
	for _, key := range meta.Keys() {
		table := tree
		for _, name := range key[:len(key)-1] {
			table, _ = table[name].(map[string]any)
		}
		if err := f.read(key, table[key[len(key)-1]]); err != nil {
			return nil, &Error{Path: path, Line: lineOf(text, key), Reason: err.Error()}
		}
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	return f, nil
}

const (
	// longestLine limits a line in bytes. Values are short.
	longestLine = 4 << 10
	// mostDots limits the dots in a key or a table's name, and deepest the brackets that are open:
	// the parser needs memory for each level of each line.
	mostDots = 8
	deepest  = 8
)

// checkLines refuses a text that the parser would read with much memory. It also counts the
// brackets and dots of texts: no setting needs so many.
func checkLines(path, text string) error {
	open, n := 0, 0
	for line := range strings.Lines(text) {
		n++
		if strings.HasPrefix(strings.TrimSpace(line), "#") && len(line) <= longestLine {
			continue
		}
		key, _, _ := strings.Cut(line, "=")
		open = max(open+strings.Count(line, "[")+strings.Count(line, "{")-strings.Count(line, "]")-strings.Count(line, "}"),
			0)
		reason := ""
		switch {
		case len(line) > longestLine:
			reason = fmt.Sprintf("the line is longer than %d bytes", longestLine)
		case strings.Count(key, ".") > mostDots:
			reason = "the key has too many dots"
		case open > deepest:
			reason = "too many brackets are open"
		}
		if reason != "" {
			return &Error{Path: path, Line: n, Reason: reason}
		}
	}
	return nil
}

func (f *File) read(key toml.Key, value any) (err error) {
	_, isTable := value.(map[string]any)
	inProfile := len(key) == 3 && key[0] == "profiles"
	switch {
	case (key[0] == "profiles" && len(key) < 3 || key[0] == "keys" && len(key) == 1) && !isTable:
		return fmt.Errorf("%s is of the wrong type", key)
	case key[0] == "profiles" && len(key) == 2:
		f.profiles[key[1]] = make(map[string]string)
		return nil
	case key[0] == "keys" && len(key) == 2:
		f.Keys[key[1]], err = parseStrokes(value)
		return err
	case len(key) == 1 && isTable && (key[0] == "profiles" || key[0] == "keys" || len(namesIn(key[0])) > 0):
		return nil
	}
	in, values := top, f.values
	if inProfile {
		in, values = profile, f.profiles[key[1]]
	}
	name := strings.Join(key, ".")
	if inProfile {
		name = key[2]
	}
	i := slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == name && s.In == in })
	if i < 0 {
		return unknownSetting(key)
	}
	values[name], err = Settings[i].inFile(value)
	return err
}

// Path returns the path of the file, which need not exist.
func (f *File) Path() string { return f.path }

// Value returns the value of a setting or of a profile's setting, or "" if it is not set.
func (f *File) Value(of Setting, profileName string) string {
	switch {
	case of.Name == "profiles":
		return strings.Join(f.Names(), ", ")
	case of.Name == "keys":
		var keys []string
		for _, name := range slices.Sorted(maps.Keys(f.Keys)) {
			keys = append(keys, name+" = "+strings.Join(f.Keys[name], " or "))
		}
		return strings.Join(keys, ", ")
	case of.In == profile:
		return f.profiles[profileName][of.Name]
	}
	return f.values[of.Name]
}

// Lookup returns the profile with the name.
func (f *File) Lookup(name string) (Profile, bool) {
	p, ok := f.profiles[name]
	return Profile{BaseURL(p["base_url"]), p["label"], p["production"] == "true", p["allow_retire"] == "true"}, ok
}

// Names returns the names of the profiles, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.profiles)) }

// At returns the names of the profiles with an address, sorted.
func (f *File) At(base BaseURL) []string {
	return slices.DeleteFunc(f.Names(),
		func(name string) bool { return !BaseURL(f.profiles[name]["base_url"]).Same(base) })
}

// Production returns the name of a profile that marks an address as production, or "". The address may name
// the service in another way: by another name of this machine, or with more or less of its path.
func (f *File) Production(base BaseURL) string {
	for _, name := range f.Names() {
		if of := f.profiles[name]; of["production"] == "true" && BaseURL(of["base_url"]).reaches(base) {
			return name
		}
	}
	return ""
}

func (f *File) check() error {
	for _, name := range f.Names() {
		if f.profiles[name]["base_url"] == "" {
			at := lineOf(f.text, toml.Key{"profiles", name})
			return &Error{Path: f.path, Line: at, Reason: fmt.Sprintf("profile %s has no base_url", shown(name))}
		}
	}
	if name := f.values["profile"]; name != "" && f.profiles[name] == nil {
		return &Error{Path: f.path, Line: lineOf(f.text, toml.Key{"profile"}),
			Reason: "unknown profile " + shown(name) + permitted(f.Names())}
	}
	return nil
}

func permitted(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return "; permitted: " + strings.Join(values, ", ")
}

func unknownSetting(key toml.Key) error {
	last := key[len(key)-1]
	if isSecret(last) {
		return fmt.Errorf("%q does not belong here: a key is stored with `tonne auth login` or passed in TONNE_API_KEY", last)
	}
	in := top
	if len(key) > 1 {
		in = profile
	}
	known := namesIn(key[0])
	if len(known) == 0 {
		known = namesOf(in)
	}
	return fmt.Errorf("unknown setting %s%s", shown(last), permitted(known))
}

func namesOf(in Section) (names []string) {
	for _, s := range Settings {
		if s.In == in {
			names = append(names, s.Name)
		}
	}
	return names
}

// namesIn returns the names of the settings in a table.
func namesIn(table string) (names []string) {
	for _, s := range Settings {
		if name, ok := strings.CutPrefix(s.Name, table+"."); ok {
			names = append(names, name)
		}
	}
	return names
}

func isSecret(name string) bool { return slices.Contains([]string{"api_key", "key", "token"}, name) }

func decodeError(path string, err error) *Error {
	parse, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return &Error{Path: path, Reason: "not a TOML file"}
	}
	// The message of the TOML reader is not shown, because it quotes the file, which may
	// contain a key.
	reason := `a line is to be NAME = "VALUE", with text in quotes, or [profiles.NAME]`
	key := toml.Key{parse.LastKey[strings.LastIndex(parse.LastKey, ".")+1:]}
	of := slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == key[0] && s.In != "" && s.Type != table })
	switch {
	case strings.Contains(parse.Message, "already been defined"):
		reason = "this is already set above"
	case isSecret(key[0]):
		reason = unknownSetting(key).Error()
	case of >= 0:
		reason = key[0] + " is to be " + string(Settings[of].Type)
	}
	return &Error{Path: path, Line: parse.Position.Line, Reason: reason}
}

// nowhere makes the TOML reader fail, so that it reports a line.
type nowhere struct{}

// UnmarshalTOML fails.
func (nowhere) UnmarshalTOML(any) error { return errors.New("read nowhere") }

func lineOf(text string, key toml.Key) int {
	var at toml.Primitive
	meta, err := toml.Decode(text, &at)
	for _, name := range key {
		var table map[string]toml.Primitive
		if err == nil {
			err = meta.PrimitiveDecode(at, &table)
		}
		at = table[name]
	}
	var parse toml.ParseError
	if err != nil || !errors.As(meta.PrimitiveDecode(at, nowhere{}), &parse) {
		return 0
	}
	return parse.Position.Line
}

// Template returns a configuration file with every setting as a comment.
func Template() string {
	text := "# Settings of tonne. Flags and TONNE_* variables override this file.\n" +
		"# API keys do not belong here: tonne auth login stores them.\n"
	section := func(in Section) {
		for _, s := range Settings {
			if s.In == in && s.Type != table {
				text += fmt.Sprintf("\n# %s\n# %s = %s\n", s.Text(), s.Name, s.Example)
			}
		}
	}
	section(top)
	text += "\n# A marketplace, and a tenant of it.\n# [profiles.acme]\n"
	section(profile)
	keys := Find("keys")
	return text +
		fmt.Sprintf("\n# Keys of the dashboard by the names in its help.\n# [keys]\n# \"market.quote\" = %s\n", keys.Example)
}

// AddProfile adds a profile to the end of the file. The first profile becomes the default.
func (f *File) AddProfile(name string, base BaseURL) error {
	if name == "" || len(name) > 64 || strings.Trim(name, letters+digits+"-_") != "" {
		return fmt.Errorf("%q is not a valid profile name: use letters, digits, - and _", name)
	}
	if _, taken := f.profiles[name]; taken {
		return fmt.Errorf("the profile %q already exists", name)
	}
	text := f.text
	if len(f.profiles) == 0 && f.values["profile"] == "" {
		text = fmt.Sprintf("profile = %q\n", name) + text
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return f.replace(text + fmt.Sprintf("\n[profiles.%s]\nbase_url = %q\n", name, base))
}

// Init writes the template if the file does not exist.
func Init(path string) error {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s already exists", path)
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return (&File{path: path}).replace(Template())
}

func (f *File) replace(text string) error {
	next, err := Parse(f.path, text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(f.path, []byte(text), 0o600); err != nil {
		return err
	}
	*f = *next
	return nil
}
