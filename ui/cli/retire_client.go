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
	"tonne/api/retire/journal"
	"tonne/model"
)

// retiring is what a command has at hand that may retire: it was switched on.
type retiring struct {
	*app
	allow, yes bool
	// sameTenant says that calls of another key were made for the tenant of this one.
	sameTenant bool
	settings   *settings
	client     *api.Client
	journal    *journal.Journal
	sender     *retire.Sender
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

// open connects to the marketplace and opens the journal. If retiring is not
// switched on, no client that can retire is made.
func (r *retiring) open(ctx context.Context, cmd *cobra.Command) (err error) {
	r.commandLine = typedCommand(cmd)
	if r.settings, err = r.withKey(); err != nil {
		return err
	}
	if !r.allowed(cmd.Flags().Changed("allow-retire")) {
		return usage("set allow_retire = true in its profile in "+r.settings.file.Path()+", or add --allow-retire",
			"retiring is not switched on for %s", r.settings.place())
	}
	if r.journal, err = r.openJournal(ctx); err != nil {
		return err
	}
	r.warnOfStranded(r.journal, r.settings)
	if r.client, err = clientThatRetires(r.clientOptions(r.settings, retries)); err != nil {
		return errors.Join(err, r.journal.Close())
	}
	r.progress = r.newProgress()
	r.sender = &retire.Sender{Journal: r.journal, Account: r.account(r.settings), Client: r.client, SameTenant: r.sameTenant, Asking: func(tries int, err error) {
		r.progress.tell("asking again after try %d: %v", tries, err)
	}}
	return nil
}

// clientThatRetires returns a client that may retire, for commands and
// dashboards in which that was switched on.
func clientThatRetires(o api.Options) (*api.Client, error) {
	o.MayRetire = true
	return api.New(o)
}

// allowed reports whether retiring is switched on.
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
		_ = r.journal.Close()
	}
}

// account is in whose name calls are made.
func (a *app) account(s *settings) journal.Account {
	return journal.Account{Origin: string(s.baseURL), Profile: s.profileName, KeyMark: journal.KeyMark(s.key)}
}

// warnOfStranded warns of calls to this address that are not settled and belong
// to an account that no flag selects: that of a profile with another address, or
// of no profile although one profile has the address.
func (a *app) warnOfStranded(j *journal.Journal, s *settings) {
	warn := func(profile, of, with string) {
		account := a.account(s)
		account.Profile, account.KeyMark = profile, ""
		calls, err := j.Unsettled(account)
		calls = slices.DeleteFunc(calls, func(c journal.Call) bool { return s.key != "" && c.KeyMark == journal.KeyMark(s.key) })
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

func (a *app) openJournal(ctx context.Context) (*journal.Journal, error) {
	if err := os.MkdirAll(a.dataDir(), 0o700); err != nil {
		return nil, err
	}
	j, err := journal.Open(ctx, a.journalPath())
	if errors.Is(err, journal.ErrEmptied) {
		return nil, a.unsent(err)
	}
	if err != nil {
		todo := "nothing is sent without it; make the file usable again"
		if errors.Is(err, journal.ErrLocked) {
			todo = "nothing is sent without it; close the program that has it open, then run this again"
		}
		return nil, failed(todo, "%w", err)
	}
	return j, nil
}

// canConfirm is a failure if nobody can be asked, or nil.
func (r *retiring) canConfirm() error {
	if r.yes || isTerminal(r.Stdin) {
		return nil
	}
	return usage("look at the plan with --dry-run, then add --yes", "retiring is confirmed at a terminal, and standard input is none")
}

// confirm has a person type what calls of some statuses retire, unless they said
// yes before. They see what those cost, and what they cost at most.
func (r *retiring) confirm(ctx context.Context, calls []*retireCall, counts func(*retireCall) bool) error {
	if r.yes {
		return nil
	}
	_, quantity, cost := sums(calls, counts)
	most, _, err := atMost(calls, counts)
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

// toType is a quantity as a person types it to confirm.
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
