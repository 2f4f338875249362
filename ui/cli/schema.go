package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/field"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/output"
)

func schemaCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Describe every command, flag, output field and exit status",
		Long: "Describes the command line to a program: what each command takes, prints and changes,\n" +
			"how it reports a failure, and what each exit status means.",
		Example: a.Examples(a.Local("%s schema | jq '.commands[] | select(.effect == \"reads\") | .command'")),
		RunE: command.Do(func(_ context.Context, cmd *cobra.Command, _ []string) error {
			return output.Object(a.TextOut(), schemaOf(a, cmd.Root()))
		}),
	}
	command.FormatFlag(cmd, new(output.Format), output.JSON)
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON}, Fields: command.FieldsOf[schema]("")},
	}})
}

type schema struct {
	Program     string              `json:"program"`
	Commands    []commandSchema     `json:"commands"`
	Effects     []command.NamedText `json:"effects"`
	ExitStatus  []statusText        `json:"exit_status"`
	Failure     failureSchema       `json:"failure"`
	Environment []command.NamedText `json:"environment"`
	Files       []command.NamedText `json:"files"`
}

type statusText struct {
	Status      int    `json:"status"`
	Description string `json:"description"`
}

type failureSchema struct {
	Fields       []field.Path          `json:"fields"`
	Codes        []command.FailureCode `json:"codes"`
	NoticeFields []field.Path          `json:"notice_fields"`
	Notices      []command.NamedText   `json:"notices"`
}

type commandSchema struct {
	Command     string               `json:"command"`
	Usage       string               `json:"usage"`
	Short       string               `json:"short"`
	Description string               `json:"description"`
	Effect      command.Effect       `json:"effect"`
	Arguments   []command.Argument   `json:"arguments"`
	Flags       []flagSchema         `json:"flags"`
	Outputs     []command.OutputForm `json:"outputs"`
	Examples    []string             `json:"examples"`
}

type flagSchema struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand"`
	Type      string `json:"type"`
	// Value is the placeholder in usage lines; a boolean flag has none.
	Value       string `json:"value"`
	Default     string `json:"default"`
	Description string `json:"description"`
	// Inherited reports that the flag also belongs to the parent command.
	Inherited bool `json:"inherited"`
}

func schemaOf(a *command.App, root *cobra.Command) schema {
	s := schema{
		Program: root.Name(), Effects: command.Effects, ExitStatus: exitStatuses, Environment: variables(), Files: fileTexts,
		Failure: failureSchema{
			Fields: command.FieldsOf[command.FailureJSON](""), Codes: command.FailureCodes,
			NoticeFields: command.FieldsOf[command.Notice](""), Notices: command.NoticeCodes,
		},
	}
	s.add(a, root)
	if a.Guest != nil {
		s.Environment, s.Files = []command.NamedText{}, []command.NamedText{}
		s.ExitStatus = slices.DeleteFunc(slices.Clone(s.ExitStatus), func(one statusText) bool {
			return one.Status > 128 && one.Status != command.StatusInterrupted
		})
	}
	return s
}

func (s *schema) add(a *command.App, cmd *cobra.Command) {
	if !cmd.Hidden {
		s.Commands = append(s.Commands, describeCommand(a, cmd))
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			s.add(a, sub)
		}
	}
}

func describeCommand(a *command.App, cmd *cobra.Command) commandSchema {
	d := a.Descriptions[cmd]
	c := commandSchema{
		Command: cmd.CommandPath(), Usage: cmd.UseLine(), Short: cmd.Short,
		Description: strings.ReplaceAll(cmd.Long, "\n", " "),
		Effect:      d.Effect, Arguments: append([]command.Argument{}, d.Arguments...),
		Outputs: append([]command.OutputForm{}, d.Outputs...),
		Flags:   []flagSchema{}, Examples: []string{},
	}
	if a.Guest != nil {
		c.Outputs = slices.DeleteFunc(c.Outputs, func(form command.OutputForm) bool { return a.Guest.Hides(form, cmd) })
	}
	cmd.InitDefaultHelpFlag()
	c.addFlags(cmd.NonInheritedFlags(), false)
	c.addFlags(cmd.InheritedFlags(), true)
	for line := range strings.Lines(cmd.Example) {
		c.Examples = append(c.Examples, strings.TrimSpace(line))
	}
	return c
}

func (c *commandSchema) addFlags(flags *pflag.FlagSet, inherited bool) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			value, description := pflag.UnquoteUsage(f)
			c.Flags = append(c.Flags, flagSchema{f.Name, f.Shorthand, f.Value.Type(), value, f.DefValue, description, inherited})
		}
	})
}

var exitStatuses = []statusText{
	{command.StatusDone, "everything requested was done"},
	{command.StatusFailed, "any other failure"},
	{command.StatusUsage, "wrong usage or unreadable configuration"},
	{command.StatusRefused, "the service refused the key (401) or the role (403)"},
	{command.StatusNotFound,
		"an id or what was searched for was not found, an id is not valid (422), or less is for sale than requested"},
	{command.StatusUnreachable,
		"the service could not be reached, timed out or answered 5xx or 429 until the retries ended, or its response was " +
			"not from the API, incomplete or unreadable"},
	{129, "ended by HUP"},
	{command.StatusInterrupted, "ended by INT"},
	{131, "ended by QUIT; the stack traces are in tonne-stacks-*.txt in the directory for temporary files"},
	{134, "ended by ABRT; the stack traces are in tonne-stacks-*.txt in the directory for temporary files"},
	{143, "ended by TERM"},
}

func variables() (all []command.NamedText) {
	for _, s := range config.Settings {
		if s.Env != "" {
			all = append(all, command.NamedText{Name: s.Env, Description: s.Text()})
		}
	}
	return append(all, otherVariables...)
}

var otherVariables = []command.NamedText{
	{Name: "NO_COLOR", Description: "no colours, if it is set"},
	{Name: "ACCESSIBLE", Description: "plain lines for a screen reader instead of the dashboard, if it is set"},
	{Name: "NOTIFY_SOCKET",
		Description: "socket of systemd, on which tonne serve and tonne share report that they are ready"},
	{Name: "TERM", Description: "type of the terminal; with dumb, tonne prints the market instead of the dashboard"},
	{Name: "VISUAL", Description: "editor of tonne config edit (default EDITOR, then vi)"},
	{Name: "EDITOR", Description: "editor of tonne config edit if VISUAL is not set"},
	{Name: "HOME", Description: "parent of the default directories below"},
	{Name: "XDG_CONFIG_HOME", Description: "parent of the configuration directory (default ~/.config)"},
	{Name: "XDG_DATA_HOME",
		Description: "parent of the directory of API keys, journal and the service's database (default ~/.local/share)"},
	{Name: "XDG_STATE_HOME", Description: "parent of the directory of ledger, rules and prices (default ~/.local/state)"},
}

// fileTexts are the files that the program keeps. The directories are the XDG
// defaults of Linux.
var fileTexts = []command.NamedText{
	{Name: "~/.config/tonne/config.toml",
		Description: "the configuration: profiles, theme, keys; tonne config init creates it"},
	{Name: "~/.local/share/tonne/credentials/keys.json",
		Description: "the accounts with stored keys, and the keys themselves if there is no keyring; only its owner " +
			"may read it"},
	{Name: "~/.local/share/tonne/certificates",
		Description: "copies of certificates that were packed but not saved elsewhere"},
	{Name: "~/.local/share/tonne/marketplace.db", Description: "the database of tonne serve, unless --db names another"},
	{Name: "~/.local/state/tonne/tonne.db",
		Description: "the local store: prices, watch list, rules, retirement requests, project details"},
}
