package tab

import (
	"strings"

	"tonne/model/advice"
	"tonne/ui/effect"
	"tonne/ui/table"
)

// Shell is the command that prints what is on the screen.
type Shell struct {
	// Words are the command and its arguments, without the name of the program.
	Words []string
	// Without names what is on the screen and no command prints or does.
	Without []string
}

// ListCommand returns the command of a name that prints the rows of a table, with its columns, sort and filter.
func ListCommand[K comparable, R any](name string, t *table.Table[K, R], filter string) Shell {
	s := Shell{Words: []string{name}}
	if filter = strings.TrimSpace(filter); filter != "" {
		s.Add("--filter", filter)
	}
	key, descending := t.Sorting()
	var shown []string
	for _, c := range t.Columns() {
		by := c.Name
		switch {
		case c.Key != key:
		case c.Name == "":
			s.Without = append(s.Without, "the sort by "+c.Title)
		default:
			if descending {
				by = "-" + by
			}
			s.Add("--sort", by)
		}
		switch {
		case c.Hidden || c.Auto || c.Title == "":
		case c.Name == "":
			s.Without = append(s.Without, c.Title)
		default:
			shown = append(shown, c.Name)
		}
	}
	if len(shown) > 0 {
		s.Add("--columns", strings.Join(shown, ","))
	}
	return s
}

// Add adds arguments.
func (s *Shell) Add(words ...string) { s.Words = append(s.Words, words...) }

// Copy returns the effect that copies the command, ready for a shell. On a shared desk, the command runs there.
func (s Shell) Copy(v *View) effect.Copy {
	quoted := make(advice.Command, len(s.Words))
	for i, word := range s.Words {
		quoted[i] = advice.ShellWord(word)
	}
	text := strings.Trim(v.Commands(advice.Format("%s", quoted)), "`")
	if v.Shared {
		text = "ssh DESK " + advice.ShellWord(strings.TrimPrefix(text, "tonne "))
	}
	what := "the command"
	if len(s.Without) > 0 {
		what += " (without " + strings.Join(s.Without, ", ") + ")"
	}
	return effect.Copy{Text: text, What: what}
}
