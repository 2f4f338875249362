package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Example: "  tonne man > tonne.1\n  tonne man | man -l -",
		Args:    cobra.NoArgs,
		RunE: do(func(_ context.Context, cmd *cobra.Command, _ []string) error {
			root := cmd.Root()
			root.Long = strings.ReplaceAll(root.Long, "\n", " ")
			page, err := mango.NewManPage(1, root)
			if err != nil {
				return err
			}
			page = page.WithSection("Exit status", manStatus).WithSection("Environment", manEnvironment)
			_, err = fmt.Fprint(a.Stdout, tidied(page.Build(roff.NewDocument())))
			return err
		}),
	}
}

// tidied takes today's date out of the page's heading, so that the same program
// prints the same page every day, and the marks that name the values of flags.
func tidied(page string) string {
	heading := regexp.MustCompile(`^(\.TH \S+ \d) "[^"]*"`)
	return heading.ReplaceAllString(strings.ReplaceAll(page, "`", ""), `$1 ""`)
}

const manStatus = `0: all asked for was done.
1: any other failure.
2: wrong usage or unreadable configuration.
3: the service refused the key or the role.
4: an id was not found or not valid.
5: the service could not be reached, or what it answered was not the API.
130, 143, 129: ended by INT, TERM, HUP.
131, 134: ended by QUIT, ABRT; where the program was is in tonne-stacks-*.txt in the directory for temporary files.
A dashboard that the language's runtime ends, which is a mistake of the program, leaves tonne-crash-*.txt there and the terminal as it is: type reset.`

const manEnvironment = `TONNE_BASE_URL: address of the marketplace.
TONNE_API_KEY: the API key.
TONNE_PROFILE: the profile of the configuration file to use.
TONNE_CONFIG: the configuration file.
NO_COLOR: no colours, whatever its value.
ACCESSIBLE: lines for a screen reader in place of the dashboard, whatever its value.`

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Example: "  tonne completion bash > /etc/bash_completion.d/tonne\n" +
			"  tonne completion zsh > \"${fpath[1]}/_tonne\"\n" +
			"  tonne completion fish > ~/.config/fish/completions/tonne.fish\n" +
			"  tonne completion powershell | Out-String | Invoke-Expression",
		ValidArgs: shells,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: do(func(_ context.Context, cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			}
			return root.GenPowerShellCompletionWithDesc(a.Stdout)
		}),
	}
}
