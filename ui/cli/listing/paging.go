package listing

import (
	"time"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// PagingFlags are the flags of a command that prints pages of a listing
// or its changes.
type PagingFlags struct {
	Page, PerPage int
	Watch         bool
	Every         time.Duration
	Format        output.Format
}

// The default intervals between two polls, and the shortest allowed one.
const (
	MarketPace    = 5 * time.Second
	InventoryPace = 15 * time.Second
	ShortestPoll  = time.Second
)

// IncompleteHelp explains what happens if a listing ends early.
const IncompleteHelp = "If not all projects of the service can be read, the command prints those that it read, sets\n" +
	"\"complete\" to false in JSON and exits with status 5."

// WatchHelp explains the flag.
const WatchHelp = "--watch prints one line per change until interrupted. It also records prices for trends and\n" +
	"charts, and reports on standard error when a rule of the watch list fires. `tonne watch`\n" +
	"reports only the rules."

// AddFlags adds the flags of formats, pages and --watch, with the time between two
// polls.
func (l *PagingFlags) AddFlags(a *command.App, cmd *cobra.Command, pace time.Duration) {
	a.ListFlags(cmd, &l.Format)
	f := cmd.Flags()
	f.IntVar(&l.Page, "page", 0, "print only page `N`")
	f.IntVar(&l.PerPage, "per-page", 0, "print one page of `N` projects")
	f.BoolVar(&l.Watch, "watch", false, "keep polling and print one line per change")
	f.DurationVar(&l.Every, "every", pace, "time between two polls of --watch")
}

// CheckFlags returns wrong usage of the flags.
func (l *PagingFlags) CheckFlags(cmd *cobra.Command) error {
	for name, n := range map[string]int{"page": l.Page, "per-page": l.PerPage} {
		if cmd.Flags().Changed(name) && n < 1 {
			return command.Usage("pages and page sizes start at 1", "--%s %d is not a page", name, n)
		}
	}
	switch {
	case !l.Watch:
		return nil
	case l.Format == output.JSON || l.Format == output.CSV:
		return command.Usage("use --watch with -o jsonl, or with no -o at all", "--watch prints lines and does not support -o %s", l.Format)
	case l.Every < ShortestPoll:
		return command.Usage("give --every at least "+ShortestPoll.String(), "--every %s is too short for the service", l.Every)
	}
	return nil
}

// NoneOf returns the message if nothing is on the chosen pages; all is that of all
// pages.
func (l *PagingFlags) NoneOf(all string) string {
	if l.AllPages() {
		return all
	}
	return "this page is empty"
}

// AllPages reports whether no page was chosen.
func (l *PagingFlags) AllPages() bool { return l.Page == 0 && l.PerPage == 0 }
