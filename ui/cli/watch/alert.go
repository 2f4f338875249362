package watch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/field"
	"tonne/model/file/store"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

type ruleAlert struct {
	store.Alert
	key model.VintageKey
}

func (a ruleAlert) watched(f alert.Facts) field.Value {
	switch price, quantity, state := a.Rule.Watched(f); {
	case price.Known():
		return field.Price(price)
	case quantity.Known():
		return field.Grams(quantity)
	default:
		return field.Optional(string(state))
	}
}

var alertColumns = field.Columns[ruleAlert]{
	{Name: "at", Value: func(a ruleAlert) field.Value { return field.Text(command.Rfc3339(a.At)) }},
	{Name: "rule", Value: func(a ruleAlert) field.Value { return field.Text(a.Rule.String()) }},
	{Name: "project_id", Value: func(a ruleAlert) field.Value { return field.Optional(a.key.ProjectID) }},
	{Name: "vintage_id", Value: func(a ruleAlert) field.Value { return field.Optional(a.key.VintageID) }},
	{Name: "value", Value: func(a ruleAlert) field.Value { return a.watched(a.Facts) }},
	{Name: "was", Value: func(a ruleAlert) field.Value { return a.watched(a.Was) }},
	{Name: "retirement_request_id", Is: "string|absent",
		Value: func(a ruleAlert) field.Value { return field.Optional(a.Request) }},
	{Name: "since", Is: "string|absent", Value: func(a ruleAlert) field.Value {
		return field.If(!a.Since.IsZero(), field.Text(command.Rfc3339(a.Since)))
	}},
}

func (w *run) tell(ctx context.Context, held ...heldRule) error {
	w.app.ClearProgress()
	var projects []string
	for _, h := range held {
		if id := w.keyOf(h.Alert).ProjectID; id != "" && w.format != output.JSONL {
			projects = append(projects, id)
		}
	}
	w.ProjectDetails.Need(ctx, projects)
	for _, h := range held {
		var err error
		if w.format == output.JSONL {
			err = w.writeAlert(w.app.Data(), h.Alert)
		} else {
			_, err = fmt.Fprintln(w.app.Data(), w.alertLine(h.Alert))
		}
		if err == nil && w.command != "" && h.fresh {
			var line bytes.Buffer
			if err = w.writeAlert(&line, h.Alert); err == nil {
				err = Hook{w.app, w.command, maxExec}.Run(ctx, &line)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keyOf returns the vintage of an alert. It is empty for a request without a response.
func (w *run) keyOf(f store.Alert) model.VintageKey {
	if f.Request != "" {
		return w.ofRequest[f.Request]
	}
	return f.Vintage
}

func (w *run) writeAlert(to io.Writer, f store.Alert) error {
	return output.Object(to, alertColumns.JSON(ruleAlert{f, w.keyOf(f)}))
}

func (w *run) alertLine(f store.Alert) string {
	key := w.keyOf(f)
	what, now, was := w.ProjectDetails.Known.Name(key.ProjectID), command.Watched(f.Rule, f.Facts),
		command.Watched(f.Rule, f.Was)
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
	rule := f.Rule.String()
	if f.Request == "" {
		rule = f.WithPrice(f.Facts.LastPaid)
	}
	return fmt.Sprintf("%s  %s  %s  now %s, %s", command.Clock(f.At), what, rule, now, was) + sinceText(f)
}

func sinceText(f store.Alert) string {
	since := f.Since.Local().Format("2 Jan 15:04 MST")
	switch {
	case f.Since.IsZero():
		return ""
	case f.Request != "":
		return ", seen so since " + since
	}
	return ", some time since " + since
}
