package listing

import (
	"time"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// PagingFlags is what the flags say of a command that prints what stands on pages,
// or what changes there.
type PagingFlags struct {
	Page, PerPage int
	Watch         bool
	Every         time.Duration
	Format        output.Format
}

// The times between two polls if nothing else is asked for, and the shortest that may be.
const (
	MarketPace    = 5 * time.Second
	InventoryPace = 15 * time.Second
	ShortestPoll  = time.Second
)

// IncompleteHelp says what happens if a listing ends early.
const IncompleteHelp = "If the service lists more projects than could be read, those that were read are printed,\n" +
	"\"complete\" is false in JSON, and the exit status is 5."

// WatchHelp explains the flag.
const WatchHelp = "--watch prints what changes, a line for each change, until it is ended. It also records\n" +
	"prices for trends and charts, and tells on standard error when a rule of the watch list\n" +
	"begins to hold. `tonne watch` prints the rules alone."

// AddFlags adds the flags of formats, pages and --watch, with the time between two
// polls.
func (l *PagingFlags) AddFlags(a *command.App, cmd *cobra.Command, pace time.Duration) {
	a.ListFlags(cmd, &l.Format)
	f := cmd.Flags()
	f.IntVar(&l.Page, "page", 0, "print page `N` alone")
	f.IntVar(&l.PerPage, "per-page", 0, "print one page of `N` projects")
	f.BoolVar(&l.Watch, "watch", false, "keep polling and print what changes, one change per line")
	f.DurationVar(&l.Every, "every", pace, "time between two polls of --watch")
}

// CheckFlags returns wrong usage of the flags.
func (l *PagingFlags) CheckFlags(cmd *cobra.Command) error {
	for name, n := range map[string]int{"page": l.Page, "per-page": l.PerPage} {
		if cmd.Flags().Changed(name) && n < 1 {
			return command.Usage("pages and their sizes count from 1", "--%s %d is not a page", name, n)
		}
	}
	switch {
	case !l.Watch:
		return nil
	case l.Format == output.JSON || l.Format == output.CSV:
		return command.Usage("use --watch with -o jsonl, or with no -o at all", "--watch prints lines, and -o %s has none", l.Format)
	case l.Every < ShortestPoll:
		return command.Usage("give --every at least "+ShortestPoll.String(), "--every %s would not leave the service a pause", l.Every)
	}
	return nil
}

// NoneOf returns the message if nothing is on the chosen pages; all is that of all
// pages.
func (l *PagingFlags) NoneOf(all string) string {
	if l.AllPages() {
		return all
	}
	return "there is nothing on this page"
}

// AllPages reports whether no page was chosen.
func (l *PagingFlags) AllPages() bool { return l.Page == 0 && l.PerPage == 0 }
