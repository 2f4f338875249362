package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// settings are the permitted names by the depth at which they stand.
var (
	settings        = []string{"profile", "theme", "mouse", "timeout", "certificates", "profiles", "keys"}
	profileSettings = []string{"base_url", "label", "production"}
)

func unknownSetting(key toml.Key) string {
	last := key[len(key)-1]
	if slices.Contains([]string{"api_key", "key", "token"}, last) {
		return fmt.Sprintf("%q does not belong here: a key is stored with `tonne auth login` or passed in TONNE_API_KEY", last)
	}
	known := settings
	if len(key) > 1 {
		known = profileSettings
	}
	return fmt.Sprintf("unknown setting %q%s", last, permitted(known))
}

func decodeError(path string, err error) *Error {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return typeError(path, err)
	}
	reason := parse.Message
	if inner := errors.Unwrap(parse); reason == "" && inner != nil {
		reason = inner.Error()
	}
	if reason == "" {
		reason = parse.Error()
	}
	return &Error{path, parse.Position.Line, reason}
}

// typeError explains a value of the wrong type, whose place the TOML reader
// tells in its text alone.
func typeError(path string, err error) *Error {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	var line int
	var key string
	if _, scanned := fmt.Sscanf(text, "line %d (last key %q)", &line, &key); scanned != nil {
		return &Error{Path: path, Reason: text}
	}
	_, reason, _ := strings.Cut(text, "): ")
	return &Error{path, line, fmt.Sprintf("%s: %s", key, reason)}
}

// lineOf returns the line on which a setting stands, or 0 where it is written
// in a form that a glance at the lines does not find. The TOML reader does
// not tell the places of settings that it left out.
func lineOf(text string, key toml.Key) int {
	var table toml.Key
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(line, "["); ok {
			inner, _, _ = strings.Cut(inner, "]")
			table = keyOf(inner)
			if slices.Equal(table, key) {
				return n
			}
			continue
		}
		name, _, ok := strings.Cut(line, "=")
		if ok && slices.Equal(append(slices.Clone(table), keyOf(name)...), key) {
			return n
		}
	}
	return 0
}

// keyOf splits a dotted key.
func keyOf(s string) toml.Key {
	var key toml.Key
	for part := range strings.SplitSeq(s, ".") {
		key = append(key, strings.Trim(strings.TrimSpace(part), `"'`))
	}
	return key
}
