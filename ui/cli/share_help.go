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

// streamUsage says what the flags that name a file mean for a guest.
var streamUsage = map[string]string{
	"file":     "`-` reads ids from the lines of standard input",
	"evidence": "`-` prints audit evidence in place of the data, as csv or json",
}

// narrow leaves out of help, schema and advice what is refused. It stays where it
// is, so that what is typed is refused for what it is.
func (g *guest) narrow(root *cobra.Command, branches []branch) {
	for _, b := range branches {
		if !slices.Contains(guestCommands, "tonne "+b.name) {
			g.refused = append(g.refused, b.name)
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
		if usage := streamUsage[f.Name]; usage != "" {
			f.Usage = usage
		}
	})
	cmd.Long, cmd.Example = g.sentences(cmd.Long), g.examples(cmd.Example)
	for _, sub := range cmd.Commands() {
		g.narrowOne(sub)
	}
}

// named finds the flags, commands and variables that a text names: a flag may have
// a value.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`--([a-z][a-z-]*)(?:[ =](-(?:\s|$)|[^-\s]\S*))?|\btonne ([a-z]+)|\b(TONNE_)`)
})

func (g *guest) refuses(text string) bool {
	return slices.ContainsFunc(named().FindAllStringSubmatch(text, -1), func(found []string) bool {
		flag, value, command, variable := found[1], strings.TrimSpace(found[2]), found[3], found[4]
		file := slices.Contains(streamFlags, flag) && value != "" && value != "-"
		return file || variable != "" || flag != "" && !slices.Contains(guestFlags, flag) || slices.Contains(g.refused, command)
	})
}

// longestHelp is how wide help is, in cells.
const longestHelp = 88

// sentences leaves out of paragraphs the sentences that name what is refused, and
// the paragraphs that are about it: those that begin so.
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

// overSSH writes a command line of a shell as it is typed at another machine, whose
// shell takes quotes away.
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

// inPlaceOfTonne is what is typed at another machine: behind a host, the client
// takes --help for an option of its own.
var inPlaceOfTonne = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("`tonne --help`", "`ssh DESK help`", "`tonne ", "`ssh DESK ")
})

// advice leaves out of what to do what a guest cannot, and writes commands as they
// are typed at another machine.
func (g *guest) advice(todo string) string {
	ways := slices.DeleteFunc(strings.Split(todo, ", or "), g.refuses)
	if len(ways) == 0 {
		return "tell whoever runs the desk"
	}
	return inPlaceOfTonne().Replace(strings.Join(ways, ", or "))
}

func (g *guest) narrowSchema(s *schema) {
	s.Environment, s.Files = []namedText{}, []namedText{}
	s.ExitStatus = slices.DeleteFunc(slices.Clone(s.ExitStatus), func(one statusText) bool {
		return one.Status > 128 && one.Status != statusInterrupted
	})
	for i, c := range s.Commands {
		s.Commands[i].Outputs = slices.DeleteFunc(c.Outputs, func(form outputForm) bool { return g.refuses(form.With) })
	}
}
