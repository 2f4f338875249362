package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

func unknownSetting(key toml.Key) error {
	last := key[len(key)-1]
	if isSecret(last) {
		return fmt.Errorf("%q does not belong here: a key is stored with `tonne auth login` or passed in TONNE_API_KEY", last)
	}
	var known []string
	for _, s := range Settings {
		if s.In == profile && len(key) > 1 || s.In == top && len(key) == 1 {
			known = append(known, s.Name)
		}
	}
	return fmt.Errorf("unknown setting %s%s", shown(last), permitted(known))
}

func isSecret(name string) bool { return slices.Contains([]string{"api_key", "key", "token"}, name) }

func decodeError(path, text string, err error) *Error {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return &Error{Path: path, Reason: "it is not a TOML file"}
	}
	// The message of the TOML reader is not shown: it quotes the file, which may
	// have a key.
	line := parse.Position.Line
	if strings.Contains(parse.Message, "already been defined") {
		return &Error{Path: path, Line: line, Reason: "this is set already, further up"}
	}
	return &Error{Path: path, Line: line, Reason: wanted(lineAt(text, line))}
}

func wanted(line string) string {
	name, _, assigns := strings.Cut(line, "=")
	key := keyOf(name)
	last := key[len(key)-1]
	of := slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == last && s.In != "" && s.Type != table })
	switch {
	case assigns && isSecret(last):
		return unknownSetting(key).Error()
	case assigns && of >= 0:
		return last + " is to be " + string(Settings[of].Type)
	case strings.HasPrefix(strings.TrimSpace(line), "["):
		return "a table is to begin as [profiles.acme] does"
	}
	return `a line is to be NAME = "VALUE", with text in quotes`
}

func lineAt(text string, line int) string {
	n := 0
	for content := range strings.Lines(text) {
		if n++; n == line {
			return content
		}
	}
	return ""
}

func lineOf(text string, key toml.Key) int {
	for ; len(key) > 0; key = key[:len(key)-1] {
		var table string
		n := 0
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimSpace(line)
			if inner, ok := strings.CutPrefix(line, "["); ok {
				inner, _, _ = strings.Cut(inner, "]")
				if table = strings.Join(keyOf(inner), "."); table == strings.Join(key, ".") {
					return n
				}
				table += "."
				continue
			}
			name, _, ok := strings.Cut(line, "=")
			if ok && table+strings.Join(keyOf(name), ".") == strings.Join(key, ".") {
				return n
			}
		}
	}
	return 0
}

func keyOf(s string) toml.Key {
	var key toml.Key
	for part := range strings.SplitSeq(s, ".") {
		key = append(key, strings.Trim(strings.TrimSpace(part), `"'`))
	}
	return key
}
