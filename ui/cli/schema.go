package cli

import (
	"maps"
	"slices"
	"strings"
	"tonne/ui/cli/config"
	"tonne/ui/cli/output"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// schema describes the command line to a program.
type schema struct {
	Program     string          `json:"program"`
	Commands    []commandSchema `json:"commands"`
	Effects     []namedText     `json:"effects"`
	ExitStatus  []statusText    `json:"exit_status"`
	Failure     failureSchema   `json:"failure"`
	Environment []namedText     `json:"environment"`
	Files       []namedText     `json:"files"`
}

// namedText says what something means.
type namedText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type statusText struct {
	Status      int    `json:"status"`
	Description string `json:"description"`
}

// failureSchema describes the objects on standard error.
type failureSchema struct {
	Fields       []output.Field `json:"fields"`
	Codes        []failureText  `json:"codes"`
	NoticeFields []output.Field `json:"notice_fields"`
	Notices      []namedText    `json:"notices"`
}

type failureText struct {
	Code        string `json:"code"`
	Description string `json:"description"`
	Retryable   bool   `json:"retryable"`
}

type commandSchema struct {
	Command     string       `json:"command"`
	Usage       string       `json:"usage"`
	Short       string       `json:"short"`
	Description string       `json:"description"`
	Effect      effect       `json:"effect"`
	Arguments   []argument   `json:"arguments"`
	Flags       []flagSchema `json:"flags"`
	Outputs     []outputForm `json:"outputs"`
	Examples    []string     `json:"examples"`
}

type flagSchema struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand"`
	Type      string `json:"type"`
	// Value is what stands for the value in usage lines; a switch has none.
	Value       string `json:"value"`
	Default     string `json:"default"`
	Description string `json:"description"`
	// Inherited says that the flag belongs to the command above, too.
	Inherited bool `json:"inherited"`
}

func (a *app) schemaOf(root *cobra.Command) schema {
	s := schema{
		Program: root.Name(), Effects: effects, ExitStatus: exitStatuses, Environment: variables(), Files: fileTexts,
		Failure: failureSchema{
			Fields: fieldsOf[failureJSON](""), NoticeFields: fieldsOf[notice](""),
		},
	}
	for _, code := range slices.Sorted(maps.Keys(failureCodes)) {
		s.Failure.Codes = append(s.Failure.Codes, failureText{code, failureCodes[code].meaning, failureCodes[code].retryable})
	}
	for _, code := range slices.Sorted(maps.Keys(noticeCodes)) {
		s.Failure.Notices = append(s.Failure.Notices, namedText{code, noticeCodes[code]})
	}
	a.addCommands(&s, root)
	if a.guest != nil {
		narrowSchema(&s, a.guest)
	}
	return s
}

func (a *app) addCommands(s *schema, cmd *cobra.Command) {
	if !cmd.Hidden {
		s.Commands = append(s.Commands, a.describeCommand(cmd))
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			a.addCommands(s, sub)
		}
	}
}

func (a *app) describeCommand(cmd *cobra.Command) commandSchema {
	d := a.described[cmd]
	c := commandSchema{
		Command: cmd.CommandPath(), Usage: cmd.UseLine(), Short: cmd.Short, Description: strings.ReplaceAll(cmd.Long, "\n", " "),
		Effect: d.effect, Arguments: append([]argument{}, d.arguments...), Outputs: append([]outputForm{}, d.outputs...),
		Flags: []flagSchema{}, Examples: []string{},
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
			c.Flags = append(c.Flags, newFlagSchema(f, inherited))
		}
	})
}

func newFlagSchema(f *pflag.Flag, inherited bool) flagSchema {
	value, description := pflag.UnquoteUsage(f)
	return flagSchema{f.Name, f.Shorthand, f.Value.Type(), value, f.DefValue, description, inherited}
}

// exitStatuses are the statuses that a command ends with.
var exitStatuses = []statusText{
	{statusDone, "all asked for was done"},
	{statusFailed, "any other failure"},
	{statusUsage, "wrong usage or unreadable configuration"},
	{statusRefused, "the service refused the key (401) or the role (403)"},
	{statusNotFound, "an id or what was searched for was not found, an id is not valid (422), or less is for sale than was asked for"},
	{statusUnreachable, "the service could not be reached, timed out, answered 5xx or 429 to the end of the retries, or what it answered was not the API, was incomplete or could not be read"},
	{129, "ended by HUP"},
	{statusInterrupted, "ended by INT"},
	{131, "ended by QUIT; where the program was is in tonne-stacks-*.txt in the directory for temporary files"},
	{134, "ended by ABRT; where the program was is in tonne-stacks-*.txt in the directory for temporary files"},
	{143, "ended by TERM"},
}

func variables() (all []namedText) {
	for _, s := range config.Settings {
		if s.Env != "" {
			all = append(all, namedText{s.Env, s.Text()})
		}
	}
	return append(all, otherVariables...)
}

// otherVariables are the variables that are no settings.
var otherVariables = []namedText{
	{"NO_COLOR", "no colours, whatever its value"},
	{"ACCESSIBLE", "lines for a screen reader in place of the dashboard, whatever its value"},
	{"TERM", "the terminal; dumb has the market printed as a table in place of the dashboard"},
	{"VISUAL", "the editor of tonne config edit; without it EDITOR, then vi"},
	{"EDITOR", "the editor of tonne config edit if VISUAL is not set"},
	{"HOME", "where the directories stand that the next three do not name"},
	{"XDG_CONFIG_HOME", "where the directory of the configuration is"},
	{"XDG_DATA_HOME", "where the directory of stored keys and of the service's database is"},
	{"XDG_STATE_HOME", "where the directory of what tonne remembers is"},
}

// fileTexts are the files that the program keeps. The directories are the XDG
// defaults of Linux.
var fileTexts = []namedText{
	{"~/.config/tonne/config.toml", "the configuration: profiles, theme, keys; tonne config init writes one to start from"},
	{"~/.local/share/tonne/credentials/keys.json", "the accounts whose keys are stored, and the keys themselves where there is no keyring; only its owner may read it"},
	{"~/.local/share/tonne/certificates", "copies of the certificates that were packed and saved nowhere else"},
	{"~/.local/share/tonne/marketplace.db", "the database of tonne serve, unless --db names another"},
	{"~/.local/state/tonne/tonne.db", "what this machine remembers: prices, watch list, rules, retirement requests, project details"},
}
