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

func decodeError(path string, err error) *Error {
	parse, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return &Error{Path: path, Reason: "it is not a TOML file"}
	}
	// The message of the TOML reader is not shown: it quotes the file, which may
	// have a key.
	reason := `a line is to be NAME = "VALUE", with text in quotes, or [profiles.NAME]`
	key := toml.Key{parse.LastKey[strings.LastIndex(parse.LastKey, ".")+1:]}
	of := slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == key[0] && s.In != "" && s.Type != table })
	switch {
	case strings.Contains(parse.Message, "already been defined"):
		reason = "this is set already, further up"
	case isSecret(key[0]):
		reason = unknownSetting(key).Error()
	case of >= 0:
		reason = key[0] + " is to be " + string(Settings[of].Type)
	}
	return &Error{Path: path, Line: parse.Position.Line, Reason: reason}
}

// nowhere makes the TOML reader fail, and so report a line.
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
