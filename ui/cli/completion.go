package cli

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
)

func completionCommand(a *command.App) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Example: "  tonne completion bash > /etc/bash_completion.d/tonne\n" +
			"  tonne completion zsh > \"${fpath[1]}/_tonne\"\n" +
			"  tonne completion fish > ~/.config/fish/completions/tonne.fish\n" +
			"  tonne completion powershell | Out-String | Invoke-Expression",
		ValidArgs: shells,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: command.Do(func(_ context.Context, cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return bashCompletion(root, a.Stdout)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			}
			return root.GenPowerShellCompletionWithDesc(a.Stdout)
		}),
	}
	return a.Describe(cmd, command.Description{
		Effect: command.Reads, Arguments: []command.Argument{{Name: "SHELL", Description: "bash, zsh, fish or powershell", Required: true}},
	})
}

const (
	packagedWords = `    _get_comp_words_by_ref "$@" cur prev words cword`
	// ownWords splits the line at blanks where bash-completion, which would
	// split it at quotes too, is not installed.
	ownWords = `    if declare -F _get_comp_words_by_ref >/dev/null; then
    ` + packagedWords + `
        return
    fi
    local line=${COMP_LINE:0:COMP_POINT}
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cword=$((${#words[@]} - 1))
    cur=${words[cword]} prev=${words[cword - 1]}`
)

func bashCompletion(root *cobra.Command, w io.Writer) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.Replace(script.String(), packagedWords, ownWords, 1))
	return err
}
