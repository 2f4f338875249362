package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"tonne/model/atomicfile"
)

// Template is the configuration file that a person starts from.
const Template = `# Settings of tonne. Flags and TONNE_* variables win over this file.
# API keys do not belong here: tonne auth login stores them.

# The profile that is used when --profile and TONNE_PROFILE name none.
# profile = "acme"

# auto, dark, light or mono
# theme = "auto"

# false leaves the mouse to the terminal
# mouse = true

# How long one try of a request may take.
# timeout = "10s"

# Where the dashboard saves certificates.
# certificates = "/home/me/certificates"

# [profiles.acme]
# base_url = "https://market.example"
# label = "Acme"
# production = true
# true lets tonne retire buy and retire, which cannot be undone
# allow_retire = true

# Keys of the dashboard by the name that its help shows.
# [keys]
# "market.quote" = ["b", "ctrl+b"]
`

func isName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, letters+digits+"-_") == ""
}

// AddProfile adds a profile to the end of the file, and leaves what stands in
// it as it is. The first profile becomes the one that is used by default.
func (f *File) AddProfile(name string, p Profile) error {
	if !isName(name) {
		return fmt.Errorf("%q is not a name for a profile: letters, digits, - and _ are", name)
	}
	if _, taken := f.Profiles[name]; taken {
		return fmt.Errorf("there is a profile %q already", name)
	}
	var table strings.Builder
	enc := toml.NewEncoder(&table)
	enc.Indent = ""
	err := enc.Encode(map[string]any{"profiles": map[string]any{name: map[string]any{"base_url": string(p.BaseURL)}}})
	if err != nil {
		return err
	}
	text := f.text
	if len(f.Profiles) == 0 && f.Profile == "" {
		text = fmt.Sprintf("profile = %q\n", name) + text
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return f.replace(text + "\n" + strings.TrimPrefix(table.String(), "[profiles]\n"))
}

// Init writes the template if no file is.
func Init(path string) error {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s is there already", path)
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return (&File{path: path}).replace(Template)
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
