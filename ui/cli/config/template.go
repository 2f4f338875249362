package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tonne/model/atomicfile"
)

// Template returns the configuration file of `tonne config init`: every
// setting as a comment.
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
	return text + fmt.Sprintf("\n# Keys of the dashboard by the names in its help.\n# [keys]\n# \"market.quote\" = %s\n", keys.Example)
}

// AddProfile adds a profile to the end of the file and changes nothing
// else. The first profile becomes the default.
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
