package style

import (
	"strings"
	"unicode/utf8"
)

// Unicode reports whether a terminal is expected to show more than ASCII, from
// the variables of its environment: one whose locale names another encoding, or
// whose type is older than Unicode, is not. Where nothing is said, it is.
func Unicode(getenv func(string) string) bool {
	switch term, _, _ := strings.Cut(getenv("TERM"), "-"); term {
	case "dumb", "vt52", "vt100", "vt102", "vt220", "ansi", "cons25":
		return false
	}
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// twins are the ASCII characters that stand for the signs of the program. Each
// takes one cell, as the sign does.
var twins = strings.NewReplacer(
	"─", "-", "━", "-", "┄", ".", "│", "|", "┃", "|", "╭", "+", "╮", "+", "╰", "+", "╯", "+",
	"┼", "+", "├", "+", "┤", "+", "┬", "+", "┴", "+", "╵", "|", "╷", "|",
	"●", "o", "○", "o", "◌", "o", "◆", "*", "◔", ".", "◑", ":", "◕", "%", "•", "*", "★", "*",
	"▲", "^", "▼", "v", "◂", "<", "▸", ">", "↑", "^", "↓", "v", "←", "<", "→", ">", "❯", ">",
	"✓", "+", "✗", "x", "⚠", "!", "‖", "=", "Δ", "d", "×", "x", "…", "~", "·", "-", "—", "-", "–", "-", "−", "-",
	"▁", "_", "▂", ".", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "#", "▀", "\"",
	"█", "#", "▉", "#", "▊", "#", "▋", "#", "▌", "#", "▍", "-", "▎", "-", "▏", "-",
	"“", "\"", "”", "\"", "‘", "'", "’", "'", "≤", "<", "≥", ">",
)

// ASCII returns finished lines in ASCII and of the same width: signs of the
// program by their twins, and each cell of any other character as a question
// mark. The key ↵ is written out where there is room behind it.
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

// spellEnter takes the cells for the name of the key from the next gap that has them.
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
	for first := true; line != ""; {
		p := next(line, unbounded)
		s := line[:p.size]
		line = line[p.size:]
		if p.kind == plain || p.kind == raw {
			asciiText(out, s, first)
			first = false
			continue
		}
		out.WriteString(s)
	}
}

func asciiText(out *strings.Builder, s string, first bool) {
	const mark = "▎"
	if size, _ := cluster(s, 0); first && s[:size] == mark {
		out.WriteByte('>')
		s = s[size:]
	}
	for s != "" {
		if n := ascii(s, 0); n > 0 {
			out.WriteString(s[:n])
			s = s[n:]
			continue
		}
		size, cells := cluster(s, 0)
		if size == 0 {
			_, size = utf8.DecodeRuneInString(s)
			cells = 1
		}
		twin := twins.Replace(s[:size])
		if len(twin) != cells || twin[0] >= utf8.RuneSelf {
			twin = strings.Repeat("?", cells)
		}
		out.WriteString(twin)
		s = s[size:]
	}
}
