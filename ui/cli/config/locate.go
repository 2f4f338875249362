package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// settingsOf are the names that the TOML reader knows of a T.
func settingsOf[T any]() (names []string) {
	for f := range reflect.TypeFor[T]().Fields() {
		if name := f.Tag.Get("toml"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func unknownSetting(key toml.Key) string {
	last := key[len(key)-1]
	if isSecret(last) {
		return fmt.Sprintf("%q does not belong here: a key is stored with `tonne auth login` or passed in TONNE_API_KEY", last)
	}
	known := settingsOf[File]()
	if len(key) > 1 {
		known = settingsOf[Profile]()
	}
	return fmt.Sprintf("unknown setting %s%s", shown(last), permitted(known))
}

func isSecret(name string) bool { return slices.Contains([]string{"api_key", "key", "token"}, name) }

// expected is what the TOML reader is to find behind a name.
var expected = map[string]string{
	"profile": "the name of a profile in quotes", "theme": `text in quotes, such as "auto"`, "mouse": "true or false", "motion": "true or false",
	"timeout": `a duration in quotes, such as "10s"`, "certificates": "a directory in quotes",
	"base_url": `an address in quotes, such as "https://market.example"`, "label": "text in quotes", "production": "true or false",
	"allow_retire": "true or false",
}

// ownMark begins the mistakes that tonne finds itself, which the TOML reader
// passes on as text. What that reader finds is not told in its words: they
// quote the file, and a key may stand there.
const ownMark = "tonne: "

func own(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(ownMark+"%w", err)
}

func decodeError(path, text string, err error) *Error {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return typeError(path, err)
	}
	line := parse.Position.Line
	if mistake, ours := strings.CutPrefix(parse.Message, ownMark); ours {
		return &Error{Path: path, Line: line, Reason: mistake}
	}
	if strings.Contains(parse.Message, "already been defined") {
		return &Error{Path: path, Line: line, Reason: "this is set already, further up"}
	}
	return &Error{Path: path, Line: line, Reason: wanted(lineAt(text, line))}
}

func wanted(line string) string {
	name, _, assigns := strings.Cut(line, "=")
	key := keyOf(name)
	last := key[len(key)-1]
	switch phrase, known := expected[last]; {
	case assigns && isSecret(last):
		return unknownSetting(key)
	case assigns && known:
		return last + " is to be " + phrase
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

// typeError explains a value of the wrong type, whose place the TOML reader
// tells in its text alone.
func typeError(path string, err error) *Error {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	var line int
	var key string
	if _, scanned := fmt.Sscanf(text, "line %d (last key %q)", &line, &key); scanned != nil {
		return &Error{Path: path, Reason: "a value is of the wrong type"}
	}
	names := keyOf(key)
	if phrase, known := expected[names[len(names)-1]]; known {
		return &Error{Path: path, Line: line, Reason: key + " is to be " + phrase}
	}
	return &Error{Path: path, Line: line, Reason: key + " is of the wrong type"}
}

// lineOf returns the line on which a setting stands, or 0 if it is written
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

func keyOf(s string) toml.Key {
	var key toml.Key
	for part := range strings.SplitSeq(s, ".") {
		key = append(key, strings.Trim(strings.TrimSpace(part), `"'`))
	}
	return key
}
