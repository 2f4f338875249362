package cli

import (
	"slices"

	"tonne/ui/cli/command"
)

func narrowSchema(s *schema, g *command.Guest) {
	s.Environment, s.Files = []command.NamedText{}, []command.NamedText{}
	s.ExitStatus = slices.DeleteFunc(slices.Clone(s.ExitStatus), func(one statusText) bool {
		return one.Status > 128 && one.Status != command.StatusInterrupted
	})
	for i, c := range s.Commands {
		s.Commands[i].Outputs = slices.DeleteFunc(c.Outputs, func(form command.OutputForm) bool { return g.Refuses(form.With) })
	}
}
