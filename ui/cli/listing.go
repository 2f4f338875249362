package cli

import (
	"time"

	"github.com/spf13/cobra"

	"tonne/ui/cli/output"
)

// listing is what the flags say of a command that prints what stands on pages,
// or what changes there.
type listing struct {
	page, perPage int
	watch         bool
	every         time.Duration
	format        output.Format
}

// The times between two polls if nothing else is asked for.
const (
	marketPace    = 5 * time.Second
	inventoryPace = 15 * time.Second
	shortestPoll  = time.Second
)

// incompleteHelp says what happens if a listing ends early.
const incompleteHelp = "If the service lists more projects than could be read, those that were read are printed,\n" +
	"\"complete\" is false in JSON, and the exit status is 5."

// watchHelp explains the flag.
const watchHelp = "--watch prints what changes, a line for each change, until it is ended. It also records\n" +
	"prices for trends and charts, and tells on standard error when a rule of the watch list\n" +
	"begins to hold. `tonne watch` prints the rules alone."

func (l *listing) addFlags(cmd *cobra.Command, pace time.Duration) {
	outputFlag(cmd, &l.format)
	f := cmd.Flags()
	f.IntVar(&l.page, "page", 0, "print page `N` alone")
	f.IntVar(&l.perPage, "per-page", 0, "print one page of `N` projects")
	f.BoolVar(&l.watch, "watch", false, "keep polling and print what changes, one change per line")
	f.DurationVar(&l.every, "every", pace, "time between two polls of --watch")
}

func (l *listing) checkFlags(cmd *cobra.Command) error {
	for name, n := range map[string]int{"page": l.page, "per-page": l.perPage} {
		if cmd.Flags().Changed(name) && n < 1 {
			return usage("pages and their sizes count from 1", "--%s %d is not a page", name, n)
		}
	}
	switch {
	case !l.watch:
		return nil
	case l.format == output.JSON || l.format == output.CSV:
		return usage("use --watch with -o jsonl, or with no -o at all", "--watch prints lines, and -o %s has none", l.format)
	case l.every < shortestPoll:
		return usage("give --every at least "+shortestPoll.String(), "--every %s would not leave the service a pause", l.every)
	}
	return nil
}

func (l *listing) noneOf(all string) string {
	if l.allPages() {
		return all
	}
	return "there is nothing on this page"
}

func (l *listing) allPages() bool { return l.page == 0 && l.perPage == 0 }
