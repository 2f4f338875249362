package retire

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func (d *dialog) lines(width int) []line {
	switch d.stage {
	case asking:
		return wrapped(d.kind.subject(), width)
	case reviewing:
		return wrapped(d.kind.planLines(), width)
	case sending, ended:
		return wrapped(d.outcome(), width)
	}
	return nil
}

const final = "Purchases are final and retirements cannot be undone. The price shown is the price that is sent."

func whom(r retirement.Retiree, taxID string) string {
	if !r.External() {
		return "our own behalf"
	}
	said := []string{r.Name, r.Country, "tax id " + taxID}
	if r.ID != "" {
		said = append(said, "our id "+r.ID)
	}
	return "customer: " + strings.Join(said, ", ")
}

func bought(label string, c retirement.Call) line {
	if c.BuyTonnes == 0 {
		return labelled(label, style.Muted, "nothing")
	}
	l := labelled(label, style.Text, tab.Number(c.BuyTonnes)+" t")
	l.left = l.left.Put(style.Muted, "  whole tonnes, from ").Put(style.Text, c.SellOrderID).Put(style.Muted,
		" at ").Put(style.Strong, c.Price.FormatDollars())
	l.right = style.Span{Role: style.Strong, Text: c.Cost.FormatDollars()}
	return l
}

func costs(cost, most model.Cents) line {
	l := labelled("costs", style.Text, "nothing: your inventory covers it")
	if cost > 0 {
		l = labelled("costs", style.Strong, cost.FormatDollars())
	}
	if most > cost {
		l.left = l.left.Put(style.Text, "  at most "+most.FormatDollars()).Put(style.Muted,
			" if your inventory is used up first")
	}
	return l
}

func (d *dialog) outcome() (lines []line) {
	calls := d.plan.New()
	switch {
	case d.stage == ended && errors.Is(d.failed, retire.ErrMoved):
		return []line{said(style.Warning, "✗ "+d.failed.Error()+" · nothing was bought")}
	case d.stage == ended && d.failed != nil:
		return []line{said(style.Warning, "✗ "+retire.Why(d.failed)+" · nothing was sent"),
			d.controller.advice(retire.Todo(d.failed))}
	case d.stage == sending && len(d.going) == 0 && !slices.ContainsFunc(calls, (*retire.Call).Resumable):
		lines = append(lines, said(style.Muted, "Reading the order book and your wallet again …"), line{})
	}
	if d.stage == ended {
		lines = append(lines, d.kind.summary()...)
	}
	for i, c := range calls {
		what := d.kind.label(calls, i) + tonnes(c.Plan.Quantity)
		lines = append(lines, line{left: style.Put(style.Strong, what).Put(style.Faint, "  "+c.ExternalID)})
		tries, going := d.going[c.ExternalID]
		switch {
		case d.stage == sending && tries > 1:
			lines = append(lines,
				said(style.Warning, fmt.Sprintf("? outcome not yet known · sending again with the same id (attempt %d)", tries)))
		case d.stage == sending && going:
			lines = append(lines, said(style.Text, "… sending"))
		case d.stage == sending && waits(c):
			lines = append(lines, said(style.Muted, "– waiting"))
		default:
			lines = append(lines, d.controller.result(c)...)
		}
	}
	return lines
}

// marks are the sign and the role of results. The others are warnings.
var marks = map[retire.Result]style.Span{
	retire.Succeeded: {Role: style.Accent, Text: "✓ "}, retire.OutcomeUnknown: {Role: style.Warning, Text: "? "},
	retire.Waiting: {Role: style.Muted, Text: "– "},
}

func (r *Controller) result(c *retire.Call) (lines []line) {
	put := func(role style.Role, text string) {
		if text != "" {
			lines = append(lines, said(role, text))
		}
	}
	o, todo := c.Outcome(), style.Muted
	mark, known := marks[o.Result]
	if !known {
		mark = style.Span{Role: style.Warning, Text: "✗ "}
	}
	if o.Result == retire.NotAccepted {
		todo = style.Text
	}
	put(mark.Role, mark.Text+o.What)
	put(style.Muted, o.Note)
	put(todo, r.view.Sentence(o.Todo))
	put(style.Faint, o.Refusal.Code)
	if c.Unwritten != nil && o.Result != retire.MadeElsewhere && o.Result != retire.OutcomeUnknown {
		put(style.Warning, "The journal could not be written and still lists this call as unresolved. "+
			"Sent again with the same id, it is not carried out twice.")
		lines = append(lines, r.advice(retire.ErrDisk.Todo))
	}
	return lines
}

// line is a line of a dialog: an optional label, text on the left, and text that is
// right-aligned.
type line struct {
	label string
	left  style.Spans
	right style.Span
}

const labels = 25

func labelled(label string, role style.Role, value string) line {
	return line{label: label, left: style.Put(role, value)}
}

func (l line) put(to *style.Line) {
	if l.label != "" {
		to.PutLeft(style.Muted, l.label, labels)
	}
	to.Field(to.Room()-style.Width(l.right.Text), func() { to.PutSpans(l.left) })
	if l.right.Text != "" {
		to.PutRight(l.right.Role, l.right.Text, to.Room())
	}
}

func said(role style.Role, text string) line {
	return line{left: style.Put(role, strings.Join(strings.Fields(text), " "))}
}

func wrapped(lines []line, width int) (folded []line) {
	for _, l := range lines {
		folded = append(folded, l.wrapped(max(width, 1))...)
	}
	return folded
}

func (l line) wrapped(width int) (lines []line) {
	room, now := width, line{label: l.label}
	if l.label != "" {
		room = max(width-labels, 1)
	}
	next := func() {
		lines = append(lines, now)
		if now = (line{}); l.label != "" {
			now.label = " "
		}
	}
	for _, s := range l.left {
		if used := now.left.Width(); used > 0 && used+style.Width(s.Text) > room {
			next()
			s.Text = strings.TrimLeft(s.Text, " ")
		}
		parts := []string{s.Text}
		if style.Width(s.Text) > room {
			parts = style.Wrap(s.Text, room)
		}
		for i, part := range parts {
			if i > 0 {
				next()
			}
			now.left = now.left.Put(s.Role, part)
		}
	}
	if l.right.Text != "" && now.left.Width()+1+style.Width(l.right.Text) > room {
		next()
	}
	now.right = l.right
	return append(lines, now)
}

func typed(g model.Grams) string { return retire.TypedQuantity(g) }

func tonnes(g model.Grams) string { return retire.FormatQuantity(g) }
