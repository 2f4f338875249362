package cli

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/ui/style"
)

// narrow hides from help, schema and advice what is refused. The commands stay, so
// that the refusal can name them.
func (g *guest) narrow(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if !slices.Contains(guestCommands, cmd.CommandPath()) {
			g.refused = append(g.refused, cmd.Name())
		}
	}
	g.narrowOne(root)
	root.Example = "  ssh DESK market -o csv > market.csv"
}

func (g *guest) narrowOne(cmd *cobra.Command) {
	if !slices.Contains(guestCommands, cmd.CommandPath()) {
		cmd.Hidden, cmd.GroupID = true, ""
		// Its help is refused with it.
		cmd.DisableFlagParsing = cmd.HasParent()
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		f.Hidden = f.Hidden || !slices.Contains(guestFlags, f.Name)
		if usage := streamFlags[f.Name]; usage != "" {
			f.Usage = usage
		}
	})
	cmd.Long, cmd.Example = g.sentences(cmd.Long), g.examples(cmd.Example)
	for _, sub := range cmd.Commands() {
		g.narrowOne(sub)
	}
}

// named finds the flags, with their values, the commands and the variables that a
// text names.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`--([a-z][a-z-]*)(?:[ =](-(?:\s|$)|[^-\s]\S*))?|\btonne ([a-z]+)|\b(TONNE_)`)
})

func (g *guest) refuses(text string) bool {
	return slices.ContainsFunc(named().FindAllStringSubmatch(text, -1), func(found []string) bool {
		flag, value, command, variable := found[1], strings.TrimSpace(found[2]), found[3], found[4]
		file := streamFlags[flag] != "" && value != "" && value != "-"
		return file || variable != "" || flag != "" && !slices.Contains(guestFlags, flag) || slices.Contains(g.refused, command)
	})
}

// longestHelp is how wide help is, in cells.
const longestHelp = 88

// sentences removes the sentences that name what is refused, and the paragraphs
// that begin with one.
func (g *guest) sentences(text string) string {
	var kept []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		all := strings.SplitAfter(strings.ReplaceAll(paragraph, "\n", " "), ". ")
		if !g.refuses(all[0]) {
			left := inPlaceOfTonne().Replace(strings.Join(slices.DeleteFunc(all, g.refuses), ""))
			kept = append(kept, strings.Join(style.Wrap(left, longestHelp), "\n"))
		}
	}
	return strings.Join(kept, "\n\n")
}

func (g *guest) examples(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), g.refuses)
	for i, line := range lines {
		lines[i] = overSSH(line)
	}
	return strings.Join(lines, "\n")
}

// overSSH writes a command line as it is typed at another machine, whose shell
// removes one level of quotes.
func overSSH(line string) string {
	before, command, there := strings.Cut(line, "tonne ")
	if !there {
		return line
	}
	end := len(command)
	for _, sign := range []string{" | ", " > "} {
		if at := strings.Index(command, sign); at >= 0 {
			end = min(end, at)
		}
	}
	command, after := command[:end], command[end:]
	if strings.Contains(command, "'") {
		command = `"` + command + `"`
	}
	return before + "ssh DESK " + command + after
}

// inPlaceOfTonne writes commands as they are typed at another machine. After a
// host, OpenSSH's client takes --help for its own option.
var inPlaceOfTonne = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("`tonne --help`", "`ssh DESK help`", "`tonne ", "`ssh DESK ")
})

func (g *guest) advice(todo string) string {
	ways := slices.DeleteFunc(strings.Split(todo, ", or "), g.refuses)
	if len(ways) == 0 {
		return "tell whoever runs the desk"
	}
	return inPlaceOfTonne().Replace(strings.Join(ways, ", or "))
}

func narrowSchema(s *schema, g *guest) {
	s.Environment, s.Files = []namedText{}, []namedText{}
	s.ExitStatus = slices.DeleteFunc(slices.Clone(s.ExitStatus), func(one statusText) bool {
		return one.Status > 128 && one.Status != statusInterrupted
	})
	for i, c := range s.Commands {
		s.Commands[i].Outputs = slices.DeleteFunc(c.Outputs, func(form outputForm) bool { return g.refuses(form.With) })
	}
}
