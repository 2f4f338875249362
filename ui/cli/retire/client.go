package retire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// permitted is what a command has at hand that may retire: it was switched on.
type permitted struct {
	*command.App
	allow, yes, dryRun bool
	// sameTenant says that calls of another key were made for the tenant of this one.
	sameTenant bool
	settings   *command.Settings
	client     *api.Client
	flow       *retire.Workflow
	progress   *command.Progress
	// commandLine is the command as it was typed.
	commandLine string
}

func (r *permitted) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&r.allow, "allow-retire", false, "switch retiring on for this command, as allow_retire = true in the profile does")
	f.BoolVar(&r.yes, "yes", false, "do not ask: retire at once")
	f.BoolVar(&r.sameTenant, "same-tenant", false, "ask again for calls that another API key of the same tenant made")
}

func (r *permitted) open(ctx context.Context, cmd *cobra.Command) (err error) {
	r.commandLine = typedCommand(cmd)
	if r.settings, err = r.WithKey(); err != nil {
		return err
	}
	if !r.allowed(cmd.Flags().Changed("allow-retire")) {
		return command.Usage("set allow_retire = true in its profile in "+r.settings.File.Path()+", or add --allow-retire",
			"retiring is not switched on for %s", r.settings.Place())
	}
	if r.flow, err = retiring.Open(ctx, r.App, r.settings); err != nil {
		return err
	}
	if r.client, err = retiring.ClientThatRetires(r.ClientOptions(r.settings, command.Retries)); err != nil {
		return errors.Join(err, r.flow.Close(terminal.Patience))
	}
	r.flow.Client, r.flow.SameTenant, r.flow.Ledger = r.client, r.sameTenant, retiring.ReferenceLedger{App: r.App, Origin: string(r.settings.BaseURL)}
	r.progress = r.NewProgress()
	return nil
}

func (r *permitted) report(p retire.Progress) {
	if p.Tries > 0 {
		r.progress.Tell("asking again after try %d: %v", p.Tries, p.Err)
	}
}

func (r *permitted) allowed(flagged bool) bool {
	if flagged {
		return r.allow
	}
	return r.settings.Profile.AllowRetire
}

func (r *permitted) close() {
	if r.client != nil {
		r.progress.Clear()
		r.client.Close()
		_ = r.flow.Close(terminal.Patience)
	}
}

// canConfirm says with look how to see what would be confirmed.
func (r *permitted) canConfirm(look string) error {
	if r.yes || terminal.IsTerminal(r.Stdin) {
		return nil
	}
	return command.Usage(look+", then add --yes", "retiring is confirmed at a terminal, and standard input is none")
}

func (r *permitted) confirm(ctx context.Context, calls []*retire.Call) error {
	if r.yes {
		return nil
	}
	_, quantity, cost := sums(calls, isAny)
	most, _, err := atMost(calls, isAny)
	if err != nil {
		return planFailure(err)
	}
	costs := cost.FormatDollars()
	if most > cost {
		costs += ", at most " + most.FormatDollars() + " if the wallet is used elsewhere first"
	}
	return r.typed(ctx, quantity, fmt.Sprintf("This cannot be undone at %s. It costs %s.\nType %s to retire %s: ",
		r.Clean(r.settings.Place()), costs, toType(quantity), retire.FormatQuantity(quantity)))
}

func toType(quantity model.Grams) string {
	return strings.TrimSuffix(retire.FormatQuantity(quantity), " t")
}

// typed asks a person to type a quantity, and is a failure if they do not.
func (r *permitted) typed(ctx context.Context, quantity model.Grams, question string) error {
	r.End()
	r.forgetTyped()
	fmt.Fprint(r.Stderr, "\n"+question)
	line, err := r.Answer(ctx, func() (string, error) { return bufio.NewReader(r.Stdin).ReadString('\n') })
	if ctx.Err() != nil {
		return err
	}
	got, err := retire.ParseQuantity(line)
	if err != nil || got != quantity {
		return command.Failed("run it again and type "+toType(quantity), "nothing was sent: the quantity was not confirmed")
	}
	return nil
}

// forgetTyped drops what was typed before there was anything to confirm: the
// lines that somebody pasted, or the answer to the plan before this one.
func (r *permitted) forgetTyped() {
	file, ok := r.Stdin.(*os.File)
	if !ok || !terminal.IsTerminal(file) {
		return
	}
	if conn, err := file.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = terminal.DropTyped(fd) })
	}
}
