package ledger

import (
	"tonne/model/field"
	"tonne/ui/column"

	"cmp"
	"slices"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/cost"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

func spec(v *tab.View) table.Spec[Row] {
	text := func(key, name string, c table.Column[Row]) table.Column[Row] {
		c.Key, c.Name, c.Hidden, c.Style, c.Min, c.Max, c.Priority, c.Bare = key, name, true, style.Muted, 10, 30, 4, true
		return c
	}
	columns := table.Place(column.Requests, Row.request, []table.Column[Row]{
		{Key: "mark", Auto: true, Title: "", Max: 1, Cell: markCell},
		{Key: "id", Name: "id", Title: "REQUEST", Min: 18, Max: 24, Middle: true, Value: Row.shownID, Cell: idCell},
		{
			Key: foundColumn, Auto: true, Title: "FOUND", Help: "The value that matches your search, while you search.",
			Hidden: true, Min: 24, Ideal: 32, Max: 60, Value: words(foundText), Cell: foundCell,
		},
		{
			Key:      "state",
			Name:     "status",
			Title:    "STATE",
			Min:      11,
			Max:      18,
			Priority: 2,
			Value:    words(Row.State),
			Order:    words(Row.State),
			Cell:     stateCell,
		},
		{
			Key:      "label",
			Name:     "label",
			Min:      12,
			Ideal:    16,
			Max:      40,
			Priority: 1,
			Value:    words(Row.labelled),
			Order:    words(Row.Called),
			Cell:     labelCell,
		},
		{Key: "quantity", Name: "total_quantity", Bare: true, Priority: 3, Value: Row.quantity},
		text("reference", "reference", table.Column[Row]{}),
		text("project", "project_name", table.Column[Row]{}),
		text("projectid", "project_id", table.Column[Row]{Title: "PROJECT ID"}),
		text("vintageid", "vintage_id", table.Column[Row]{Title: "VINTAGE ID"}),
		{Key: "cost", Name: "cost_cents", Hidden: true, Priority: 4},
		{Key: "average", Name: "average_price_cents", Hidden: true, Priority: 4},
		{Key: "created", Name: "created_at", Hidden: true, Style: style.Muted, Priority: 4},
		{Key: "retired", Name: "retired_at", Hidden: true, Style: style.Muted, Priority: 4},
		{
			Key: "checks", Name: "doubts", Title: "CHECKS", Help: "The failed checks, or the number of passed checks so far.",
			Hidden: true, Min: 12, Max: 40, Priority: 4,
			Value: words(Row.checked), Order: words(func(r Row) string { return r.checks.String() }), Cell: checksCell,
		},
		{
			Key: "entered", Title: "ENTERED", Help: "When you added it to the ledger.", Hidden: true, Style: style.Muted,
			Priority: 4,
			Value:    func(r Row) field.Value { return field.Time(model.At(r.FirstSeen)) },
		},
	}...)
	for i := range columns {
		order := columns[i].Order
		if order == nil {
			order = columns[i].Value
		}
		if order != nil {
			columns[i].Order = func(r Row) field.Value { return order(r.sorted()) }
		}
	}
	return table.Spec[Row]{Units: v.Units, Columns: columns}
}

// request returns the row for the columns of requests.
func (r Row) request() column.Request {
	return column.Request{
		ID: r.ID, Answer: r.answer(), Reference: r.reference, Project: r.project, ProjectName: r.project, Costs: r.costs,
	}
}

func words(text func(Row) string) func(Row) field.Value {
	return func(r Row) field.Value { return field.Words(text(r)) }
}

// quantity is null before the first answer.
func (r Row) quantity() field.Value {
	return field.If(r.answer() != &unanswered, field.Grams(r.answer().TotalQuantity))
}

// shownID is the id, or the number of requests of a batch.
func (r Row) shownID() field.Value {
	if r.group != nil {
		return field.Words(r.group.arrow() + r.group.count())
	}
	return field.Text(r.ID)
}

// labelled is the label after a failed look-up.
func (r Row) labelled() string {
	switch {
	case !r.missed():
		return r.Called()
	case r.Called() == "":
		return failure(r.Err)
	}
	return failure(r.Err) + " · " + r.Called()
}

func (r Row) checked() string {
	if r.checks.failed != "" {
		return "✗ " + r.checks.String()
	}
	return r.checks.String()
}

// labelCell writes a failed look-up before the label, because the STATE column may be hidden.
func labelCell(c *style.Cell, r Row) {
	if r.missed() {
		c.Put(style.Warning, failure(r.Err))
		if r.Called() != "" {
			c.Put(style.Muted, " · ")
		}
	}
	c.Put(style.Muted, r.Called())
}

func idCell(c *style.Cell, r Row) {
	switch {
	case r.group != nil:
		c.Put(style.Key, r.group.arrow())
		c.Put(style.Name, r.group.count())
	case r.head != nil:
		c.Put(style.Text, "  "+r.ID)
	default:
		c.Put(style.Text, r.ID)
	}
}

func markCell(c *style.Cell, r Row) {
	if r.group != nil {
		c.Put(r.group.mark())
		return
	}
	c.Put(r.mark())
}

// attention is the rank of a request by what the user should see first, the most urgent lowest.
func (r Row) attention() int {
	switch {
	case r.missed():
		return 0
	case r.Answer != nil && r.Answer.Status == retirement.Complete && r.checks.failed != "":
		// Before completion, failing checks are normal. A failed check outranks a change.
		return 1
	case r.fired:
		return 2
	case r.Changed():
		return 3
	case r.Answer != nil:
		return 4 + slices.Index(retirement.Statuses(), r.Answer.Status) + 1
	case r.Err != nil:
		return 1
	}
	return 4
}

func (r Row) mark() (style.Role, string) {
	switch n := r.attention(); {
	case n == 0:
		return style.Warning, "⚠"
	case n == 1:
		return style.Warning, "✗"
	case n == 2:
		return style.Warning, "●"
	case n == 3:
		return style.Strong, "●"
	case r.Answer != nil:
		return mark(r.Answer.Status)
	case r.LookingUp:
		return style.Muted, "…"
	}
	return style.Faint, "·"
}

func checksCell(c *style.Cell, r Row) {
	if r.checks.failed != "" {
		c.Put(style.Warning, "✗ ")
		c.Put(style.Text, r.checks.String())
		return
	}
	c.Put(style.Muted, r.checks.String())
}

func stateCell(c *style.Cell, r Row) {
	role := style.Text
	switch {
	case r.group != nil:
	case r.Err != nil:
		role = style.Warning
	case r.Changed():
		role = style.Strong
	case r.Answer == nil:
		role = style.Faint
	}
	c.Put(role, r.State())
}

func mark(s retirement.Status) (style.Role, string) {
	switch s {
	case retirement.Complete:
		return style.Accent, "✓"
	case retirement.Open:
		return style.Cheaper, "◔"
	case retirement.Closed:
		return style.Paid, "◑"
	case retirement.InProgress:
		return style.Cheaper, "◕"
	case retirement.NothingToProcess:
		return style.Faint, "○"
	}
	return style.Warning, "?"
}

// Row is an immutable row of the ledger.
type Row struct {
	*session.Request
	project   string
	reference string
	brief     string
	// planned is what the journal says about a request without an answer, or nil.
	planned *retirement.Request
	// batch is the batch in the journal, or "". group is set in the row of a batch, head in the
	// rows of its requests while they are below it.
	batch string
	group *group
	head  *Row
	// LookingUp is whether a look-up is running or the user waits for one.
	LookingUp bool
	// fired is whether a rule on the request fired and the user has not seen it.
	fired  bool
	checks tally
	costs  *cost.Costs
	// Found is the match of the search, nil without a search.
	Found *Found
}

func rowID(r Row) string { return r.ID }

// Called returns the label, or else the reference in the journal, or "".
func (r Row) Called() string { return cmp.Or(r.Label, r.brief) }

// Name returns the label, or else the reference, or else the id.
func (r Row) Name() string { return cmp.Or(r.Called(), r.ID) }

var unanswered = retirement.Request{TotalQuantity: model.UnknownGrams}

// Planned returns what the journal of this machine says about a request without an answer, or nil.
func (r Row) Planned() *retirement.Request { return r.planned }

func (r Row) record(projects model.Projects) retirement.LedgerRecord {
	return retirement.LedgerRecord{ID: r.ID, Label: r.Label, Reference: r.reference, Batch: r.batch, Answer: r.Answer,
		Planned: r.planned, Project: projects[r.answer().ProjectID]}
}

func (r Row) answer() *retirement.Request {
	if r.group != nil {
		return &r.group.total
	}
	return cmp.Or(r.Answer, r.planned, &unanswered)
}

// Failed returns the titles of the checks known to fail, or "".
func (r Row) Failed() string { return r.checks.failed }

// State returns the state of the request in a word or two.
func (r Row) State() string {
	switch {
	case r.group != nil:
		return r.group.state()
	case r.Answer != nil:
		return r.Answer.Status.Words()
	case r.Err != nil:
		return api.Brief(r.Err)
	case r.LookingUp:
		return "looking up"
	}
	return "pending"
}

// missed reports whether the last look-up failed for a reason that may be temporary.
func (r Row) missed() bool {
	if r.Err == nil {
		return false
	}
	why := failure(r.Err)
	return why != notFound && why != notAccepted
}
