// Package advice has the texts of the program that name its commands, as values. The same
// advice names other commands to a guest of a shared desk, and repeats the flags of the run.
package advice

import (
	"fmt"
	"slices"
	"strings"
)

// Command is a command of tonne, as its words without the name of the program.
type Command []string

// Tonne returns a command such as "retire resume", with further words.
func Tonne(line string, words ...string) Command { return append(strings.Fields(line), words...) }

// String returns the command in quotes, as texts have it.
func (c Command) String() string { return "`tonne " + strings.Join(c, " ") + "`" }

// Text is a text that may name commands, in one or more alternatives. The zero value is empty.
type Text struct{ ways []way }

type way struct {
	format string
	args   []any
	needs  []string
}

// Format returns a text. Arguments may be a Command, or a Text with one alternative.
func Format(format string, args ...any) Text { return Text{[]way{{format: format, args: args}}} }

// Plain returns a text without commands.
func Plain(text string) Text {
	if text == "" {
		return Text{}
	}
	return Format("%s", text)
}

// Or returns the text with another alternative.
func (t Text) Or(format string, args ...any) Text {
	return Text{append(slices.Clip(t.ways), way{format: format, args: args})}
}

// Needs returns the text whose last alternative needs something that not every user has: a
// flag of a command, such as "timeout", or a variable of the environment.
func (t Text) Needs(names ...string) Text {
	ways := slices.Clone(t.ways)
	ways[len(ways)-1].needs = names
	return Text{ways}
}

// Join returns the texts with a separator between them, without empty ones.
func Join(separator string, texts ...Text) Text {
	texts = slices.DeleteFunc(slices.Clone(texts), Text.IsEmpty)
	args := make([]any, len(texts))
	for i, t := range texts {
		args[i] = t
	}
	if len(texts) == 0 {
		return Text{}
	}
	return Format(strings.Join(slices.Repeat([]string{"%s"}, len(texts)), strings.ReplaceAll(separator, "%", "%%")),
		args...)
}

// IsEmpty reports whether there is no text.
func (t Text) IsEmpty() bool { return len(t.ways) == 0 }

// Reader is for whom a text is written.
type Reader struct {
	// Command writes a command.
	Command func(Command) string
	// Can reports whether the reader may run a command. Has reports whether the reader has
	// what an alternative needs. If nil, the reader may do everything.
	Can func(Command) bool
	Has func(need string) bool
}

// String returns the text for a user of this machine.
func (t Text) String() string { return t.For(Reader{Command: Command.String}) }

// MarshalText writes the text as String does.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a text, without its commands.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Plain(string(text))
	return nil
}

// Strings returns the texts as String does.
func Strings(texts []Text) []string {
	all := make([]string, len(texts))
	for i, t := range texts {
		all[i] = t.String()
	}
	return all
}

// For returns the text for a reader, without the alternatives that the reader cannot follow.
func (t Text) For(r Reader) string {
	var texts []string
	for _, w := range t.ways {
		if text, ok := w.text(r); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", or ")
}

func (w way) text(r Reader) (text string, ok bool) {
	args := slices.Clone(w.args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case Command:
			if r.Can != nil && !r.Can(arg) {
				return "", false
			}
			args[i] = r.Command(arg)
		case Text:
			if args[i] = arg.For(r); args[i] == "" {
				return "", false
			}
		}
	}
	refused := func(need string) bool { return r.Has != nil && !r.Has(need) }
	return fmt.Sprintf(w.format, args...), !slices.ContainsFunc(w.needs, refused)
}

// ShellWord quotes a word for a shell if necessary.
func ShellWord(s string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
