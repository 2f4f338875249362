package style

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Unicode reports whether a terminal supports more than ASCII, according to its locale and type.
func Unicode(getenv func(string) string) bool {
	switch term, _, _ := strings.Cut(getenv("TERM"), "-"); term {
	case "dumb", "vt52", "vt100", "vt102", "vt220", "ansi", "cons25":
		return false
	}
	return UnicodeLocale(getenv)
}

// UnicodeLocale reports whether the locale supports more than ASCII.
func UnicodeLocale(getenv func(string) string) bool {
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// twins maps the symbols of the program to ASCII characters, one cell each.
var twins = strings.NewReplacer(
	"─", "-", "━", "-", "┄", ".", "│", "|", "┃", "|", "╭", "+", "╮", "+", "╰", "+", "╯", "+",
	"┼", "+", "├", "+", "┤", "+", "┬", "+", "┴", "+", "╵", "|", "╷", "|",
	"●", "o", "○", "o", "◌", "o", "◆", "*", "◔", ".", "◑", ":", "◕", "%", "•", "*", "★", "*",
	"▲", "^", "▼", "v", "◂", "<", "▸", ">", "↑", "^", "↓", "v", "←", "<", "→", ">", "❯", ">",
	"✓", "+", "✗", "x", "⚠", "!", "≠", "#", "‖", "=", "Δ", "d", "×", "x", "…", "~", "·", "-", "—", "-", "–", "-", "−", "-",
	"▁", "_", "▂", ".", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "#", "▀", "\"",
	"█", "#", "▉", "#", "▊", "#", "▋", "#", "▌", "#", "▍", "-", "▎", "-", "▏", "-",
	"“", "\"", "”", "\"", "‘", "'", "’", "'", "≤", "<", "≥", ">",
)

// spelled maps symbols of the program in sentences to ASCII text.
var spelled = strings.NewReplacer(
	"…", "...", "≤", "<=", "≥", ">=", "≠", "!=", "×", "x", "—", "-", "–", "-", "−", "-", "·", "-", "→", "->", "↵", "Enter",
	"“", "\"", "”", "\"", "‘", "'", "’", "'", "✓", "ok", "✗", "failed", "⚠", "!", "¢", "c", "⁶", "^6", "³", "^3", "²",
	"^2",
)

// TextWriter writes text in ASCII, except for the text of others, which it keeps.
type TextWriter struct {
	io.Writer
	// Aligned reports that the text is in columns: each symbol becomes one character.
	Aligned bool
}

// Write writes text with the symbols of the program in ASCII.
func (w TextWriter) Write(text []byte) (int, error) {
	symbols := spelled
	if w.Aligned {
		symbols = twins
	}
	_, err := io.WriteString(w.Writer, twins.Replace(symbols.Replace(string(text))))
	return len(text), err
}

// Unwrap returns the stream.
func (w TextWriter) Unwrap() io.Writer { return w.Writer }

// ASCII converts finished lines to ASCII of the same width. Symbols become their twins, other characters
// question marks. The key ↵ is spelled out if there is room after it.
func ASCII(lines string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		line, end := strings.TrimSuffix(line, "\n"), strings.HasSuffix(line, "\n")
		asciiLine(&out, spellEnter(line))
		if end {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

const enter, spelt = "↵", "Enter"

// spellEnter takes the cells for the name of the key from the next gap that is wide enough.
func spellEnter(line string) string {
	gap := strings.Repeat(" ", len(spelt)-1)
	before, rest, found := strings.Cut(line, enter)
	if !found {
		return line
	}
	if space := strings.Index(rest, gap+" "); space >= 0 {
		return before + spelt + spellEnter(rest[:space]+rest[space+len(gap):])
	}
	return before + "<" + spellEnter(rest)
}

func asciiLine(out *strings.Builder, line string) {
	const mark = "▎"
	first := true
	for line != "" {
		if line[0] == '\x1b' {
			_, _, size, _ := ansi.DecodeSequence(line, 0, nil)
			out.WriteString(line[:size])
			line = line[size:]
			continue
		}
		text, cells := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		line = line[len(text):]
		if first && text == mark {
			text = ">"
		}
		if text = twins.Replace(text); len(text) != cells || text[0] >= utf8.RuneSelf {
			text = strings.Repeat("?", cells)
		}
		out.WriteString(text)
		first = false
	}
}
