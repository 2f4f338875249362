package retire

import (
	"context"
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"strings"

	"tonne/api/retire"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
)

// The service tells of one id whether it had an effect, and of no line. A line
// that was refused is sent with a new id, which another journal knows nothing
// of: it would send the first id, and retire the line again. So a batch that
// another journal serves is gone on with only if a person says so.

func (r *run) checkElsewhere(ctx context.Context, made []retire.Call) error {
	if r.TakeOver {
		return nil
	}
	for _, c := range made {
		if c.Elsewhere {
			return r.elsewhere(&c)
		}
	}
	return r.checkResults(ctx)
}

// alreadyRetired explains an *retire.ElsewhereError. Any other error stays.
func alreadyRetired(err error) error {
	elsewhere, ok := errors.AsType[*retire.ElsewhereError](err)
	if !ok {
		return err
	}
	return &command.Failure{
		What: elsewhere.Error() + "; nothing more was sent", Status: command.StatusUnreachable, Code: "already_retired",
		Todo: "compare them with your books: `tonne retirement " + strings.Join(elsewhere.Requests, " ") + "`; what is missing is another retirement, with another --reference and its own quantity",
	}
}

func (r *run) elsewhere(c *retire.Call) error {
	return command.Failed(takeOverAdvice, "%s was retired before by a journal other than %s: request %s, call %s; nothing is sent behind it",
		c.Reference, retiring.Path(r.permitted.App), c.RequestID, c.ExternalID)
}

const takeOverAdvice = "run it where the batch was begun, or, if that is over, compare the requests with the lines, correct the batch, and add --take-over"

func (r *run) checkResults(ctx context.Context) error {
	if r.results == "" {
		return nil
	}
	file, err := os.Open(r.results)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	defer file.Close()
	in := csv.NewReader(file)
	header, err := in.Read()
	if err != nil || strings.Join(header, ",") != resultColumns.Header() {
		return command.Usage("name another file with --results, or move this one away", "%s is there and holds no results of a batch", r.results)
	}
	rows, err := in.ReadAll()
	if err != nil {
		return command.Usage("move it away, or name another file with --results", "%s cannot be read: %v", r.results, err)
	}
	for _, row := range rows {
		id, status := row[1], callStatus(row[2])
		if status == callNotSent || status == callPlanned {
			continue
		}
		switch call, err := r.flow.Call(ctx, id); {
		case errors.Is(err, retire.ErrNoCall):
			return command.Failed(takeOverAdvice, "%s tells of the call %s, which is not in the journal %s of this machine and profile; nothing was sent", r.results, id, retiring.Path(r.permitted.App))
		case err != nil:
			return err
		case call.Batch != r.Batch:
			return command.Usage("name another file with --results", "%s holds the results of the batch %s", r.results, call.Batch)
		}
	}
	return nil
}
