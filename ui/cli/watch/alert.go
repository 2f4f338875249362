package watch

import (
	"context"
	"fmt"
	"strings"

	"tonne/model"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/output"
)

const (
	alertHeader = "at,rule,project_id,vintage_id,value,was"
	// requestAlertHeader has the request behind what all alerts have.
	requestAlertHeader = alertHeader + ",retirement_request_id"
	// alertSince is behind both where it is known since when a rule may have held.
	alertSince = ",since"
)

func (w *run) tell(ctx context.Context, held ...heldRule) error {
	w.Progress.Clear()
	var projects []string
	for _, h := range held {
		if id := w.keyOf(h.Fired).ProjectID; id != "" && w.format != output.JSONL {
			projects = append(projects, id)
		}
	}
	w.ProjectDetails.Need(ctx, projects)
	for _, h := range held {
		var err error
		if w.format == output.JSONL {
			err = w.writeAlert(w.Data(), h.Fired)
		} else {
			_, err = fmt.Fprintln(w.Data(), w.alertLine(h.Fired))
		}
		if err == nil && w.command != "" && h.fresh {
			err = w.execute(ctx, h.Fired)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keyOf names what a rule is about: of a request that nobody has answered yet,
// nothing is known.
func (w *run) keyOf(f store.Fired) model.VintageKey {
	if f.Request != "" {
		return w.ofRequest[f.Request]
	}
	return f.Vintage
}

func (w *run) writeAlert(to interface{ Write([]byte) (int, error) }, f store.Fired) error {
	header, key := alertHeader, w.keyOf(f)
	record := []output.Value{output.Text(command.Rfc3339(f.At)), output.Text(f.Rule.String()), output.Text(key.ProjectID), output.Text(key.VintageID),
		watchedValue(f.Rule, f.Facts), watchedValue(f.Rule, f.Was)}
	if f.Request != "" {
		header = requestAlertHeader
		record = []output.Value{output.Text(command.Rfc3339(f.At)), output.Text(f.Rule.String()), output.Optional(key.ProjectID), output.Optional(key.VintageID),
			output.Text(string(f.Facts.Status)), output.Optional(string(f.Was.Status)), output.Text(f.Request)}
	}
	if !f.Since.IsZero() {
		header, record = header+alertSince, append(record, output.Text(command.Rfc3339(f.Since)))
	}
	rows := output.NewRows(to, output.JSONL, header)
	rows.Write(record...)
	return rows.Flush()
}

func watchedValue(r model.Rule, f model.Facts) output.Value {
	if r.Measure == model.Available {
		return output.Grams(f.Available)
	}
	return output.Price(f.BestAsk)
}

func (w *run) alertLine(f store.Fired) string {
	key := w.keyOf(f)
	what, now, was := w.ProjectDetails.Known.Name(key.ProjectID), watchedText(f.Rule, f.Facts), watchedText(f.Rule, f.Was)
	if f.Request != "" {
		what = strings.TrimSpace(what + " " + f.Request)
	} else {
		what += " " + key.VintageID
	}
	switch {
	case f.Already:
		was = "holds already"
	case was == "" || was == now:
		was = "holds"
	default:
		was = "was " + was
	}
	return fmt.Sprintf("%s  %s  %s  now %s, %s", command.Clock(f.At), what, f.Rule, now, was) + sinceText(f)
}

func sinceText(f store.Fired) string {
	since := f.Since.Local().Format("2 Jan 15:04 MST")
	switch {
	case f.Since.IsZero():
		return ""
	case f.Request != "":
		return ", seen so since " + since
	}
	return ", some time since " + since
}

func watchedText(r model.Rule, f model.Facts) string {
	switch r.Measure {
	case model.State:
		return string(f.Status)
	case model.Available:
		return f.Available.FormatTonnes()
	}
	return command.Dollars(f.BestAsk)
}
