package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
)

// retiring is what a command has at hand that may retire: it was switched on.
type retiring struct {
	*app
	allow, yes, dryRun bool
	// sameTenant says that calls of another key were made for the tenant of this one.
	sameTenant bool
	settings   *settings
	client     *api.Client
	flow       *retire.Workflow
	progress   *progress
	// commandLine is the command as it was typed.
	commandLine string
}

func (r *retiring) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&r.allow, "allow-retire", false, "switch retiring on for this command, as allow_retire = true in the profile does")
	f.BoolVar(&r.yes, "yes", false, "do not ask: retire at once")
	f.BoolVar(&r.sameTenant, "same-tenant", false, "ask again for calls that another API key of the same tenant made")
}

func (r *retiring) open(ctx context.Context, cmd *cobra.Command) (err error) {
	r.commandLine = typedCommand(cmd)
	if r.settings, err = r.withKey(); err != nil {
		return err
	}
	if !r.allowed(cmd.Flags().Changed("allow-retire")) {
		return usage("set allow_retire = true in its profile in "+r.settings.file.Path()+", or add --allow-retire",
			"retiring is not switched on for %s", r.settings.place())
	}
	r.flow = r.workflow(r.settings)
	if err := r.openJournal(ctx, r.flow); err != nil {
		return err
	}
	r.warnOfStranded(ctx, r.flow, r.settings)
	if r.client, err = clientThatRetires(r.clientOptions(r.settings, retries)); err != nil {
		return errors.Join(err, r.flow.Close(patience))
	}
	r.flow.Client, r.flow.SameTenant, r.flow.Ledger = r.client, r.sameTenant, referenceLedger{r.app, string(r.settings.baseURL)}
	r.progress = r.newProgress()
	return nil
}

func (r *retiring) report(p retire.Progress) {
	if p.Tries > 0 {
		r.progress.tell("asking again after try %d: %v", p.Tries, p.Err)
	}
}

func clientThatRetires(o api.Options) (*api.Client, error) {
	o.MayRetire = true
	return api.New(o)
}

func (r *retiring) allowed(flagged bool) bool {
	if flagged {
		return r.allow
	}
	return r.settings.profile.AllowRetire
}

func (r *retiring) close() {
	if r.client != nil {
		r.progress.clear()
		r.client.Close()
		_ = r.flow.Close(patience)
	}
}

func (a *app) account(s *settings) retire.Account {
	return retire.NewAccount(string(s.baseURL), s.profileName, s.key)
}

func (a *app) workflow(s *settings) *retire.Workflow {
	return &retire.Workflow{Path: a.journalPath(), Account: a.account(s), By: a.madeBy(), Now: a.Now}
}

// warnOfStranded warns of calls to this address that are not settled and belong
// to an account that no flag selects: that of a profile with another address, or
// of no profile although one profile has the address.
func (a *app) warnOfStranded(ctx context.Context, w *retire.Workflow, s *settings) {
	warn := func(profile, of, with string) {
		calls, err := w.Calls(ctx, retire.UnsettledOf(retire.NewAccount(string(s.baseURL), profile, "")))
		calls = slices.DeleteFunc(calls, func(c retire.Call) bool { return s.key != "" && c.KeyMark == w.Account.KeyMark })
		if err == nil && len(calls) > 0 {
			a.warn("not settled, and not seen here with this key: %s to %s made %s; use the key that made them, or add --config with a file in which %s",
				model.Count(len(calls), "call", "calls"), s.baseURL, of, with)
		}
	}
	if s.displaced != "" {
		warn(s.displaced, "with the profile "+s.displaced, "that profile has this address")
	}
	if len(s.file.At(s.baseURL)) == 1 {
		warn("", "without a profile", "no profile has this address")
	}
}

func (a *app) journalPath() string { return filepath.Join(a.dataDir(), "journal.db") }

func (a *app) openJournal(ctx context.Context, w *retire.Workflow) error {
	return a.journalFailure(w.Open(ctx))
}

// journalFailure explains why the journal cannot be opened.
func (a *app) journalFailure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, retire.ErrEmptied):
		return a.unsent(err)
	case errors.Is(err, retire.ErrLocked):
		return failed("nothing is sent without it; close the program that has it open, then run this again", "%w", err)
	}
	return failed("nothing is sent without it; make the file usable again", "%w", err)
}

// callsOf reads calls of the journal. If there is none, none is made.
func (a *app) callsOf(ctx context.Context, account retire.Account, q retire.Query) ([]retire.Call, error) {
	w := &retire.Workflow{Path: a.journalPath(), Account: account}
	calls, err := w.Calls(ctx, q)
	return calls, errors.Join(a.journalFailure(err), w.Close(patience))
}

func (r *retiring) canConfirm() error {
	if r.yes || isTerminal(r.Stdin) {
		return nil
	}
	return usage("look at the plan with --dry-run, then add --yes", "retiring is confirmed at a terminal, and standard input is none")
}

func (r *retiring) confirm(ctx context.Context, calls []*retire.Call) error {
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
		r.clean(r.settings.place()), costs, toType(quantity), retire.FormatQuantity(quantity)))
}

func toType(quantity model.Grams) string {
	return strings.TrimSuffix(retire.FormatQuantity(quantity), " t")
}

// typed asks a person to type a quantity, and is a failure if they do not.
func (r *retiring) typed(ctx context.Context, quantity model.Grams, question string) error {
	r.endTelling()
	r.forgetTyped()
	fmt.Fprint(r.Stderr, "\n"+question)
	line, err := r.answer(ctx, func() (string, error) { return bufio.NewReader(r.Stdin).ReadString('\n') })
	if ctx.Err() != nil {
		return err
	}
	got, err := retire.ParseQuantity(line)
	if err != nil || got != quantity {
		return failed("run it again and type "+toType(quantity), "nothing was sent: the quantity was not confirmed")
	}
	return nil
}

// forgetTyped drops what was typed before there was anything to confirm: the
// lines that somebody pasted, or the answer to the plan before this one.
func (r *retiring) forgetTyped() {
	file, ok := r.Stdin.(*os.File)
	if !ok || !isTerminal(file) {
		return
	}
	if conn, err := file.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = dropTyped(fd) })
	}
}
