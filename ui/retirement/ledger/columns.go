package ledger

import (
	"cmp"
	"slices"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

func spec(v *tab.View) table.Spec[Row] {
	columns := append([]table.Column[Row]{
		{Key: "mark", Auto: true, Title: "", Max: 1, Cell: markCell},
		{Key: "id", Name: "id", Title: "REQUEST", Help: "The id of the retirement request.", Min: 18, Max: 24, Middle: true,
			Cell: idCell, Text: func(r Row) string { return r.ID }},
		{Key: foundColumn, Auto: true, Title: "FOUND", Help: "The value that matches your search, while you search.", Hidden: true, Min: 24, Ideal: 32, Max: 60,
			Cell: foundCell, Text: foundText},
		{Key: "state", Name: "status", Title: "STATE", Help: "The state at the last look-up.", Min: 11, Max: 18, Priority: 2,
			Cell: stateCell, Text: Row.State},
		{Key: "label", Name: "label", Title: "LABEL", Help: "Your label, or else your reference.", Min: 12, Ideal: 16, Max: 40, Priority: 1,
			Cell: labelCell, Text: Row.Called},
		{Key: "quantity", Name: "total_quantity", Title: "QUANTITY", Help: "The total quantity of the request.", Align: style.Right, Priority: 3,
			Number: func(r Row) (int64, bool) { q := r.answer().TotalQuantity; return int64(q), q.Known() },
			Cell: func(c *style.Cell, r Row) {
				if r.Answer != nil || r.group != nil {
					c.PutBytes(style.Text, v.AppendQuantity(c.Scratch(), r.answer().TotalQuantity))
				}
			}},
	}, moreColumns(v)...)
	for i := range columns {
		if number := columns[i].Number; number != nil {
			columns[i].Number = func(r Row) (int64, bool) { return number(r.sorted()) }
		}
		if text := columns[i].Text; text != nil {
			columns[i].Text = func(r Row) string { return text(r.sorted()) }
		}
	}
	return table.Spec[Row]{Columns: columns}
}

func moreColumns(v *tab.View) []table.Column[Row] {
	text := func(key, name, title, help string, value func(Row) string) table.Column[Row] {
		return table.Column[Row]{Key: key, Name: name, Title: title, Help: help, Hidden: true, Min: 10, Max: 30, Priority: 4, Text: value,
			Cell: func(c *style.Cell, r Row) { c.Put(style.Muted, value(r)) }}
	}
	stamp := func(key, name, title, help string, value func(Row) model.Timestamp) table.Column[Row] {
		return table.Column[Row]{Key: key, Name: name, Title: title, Help: help, Hidden: true, Priority: 4,
			Number: func(r Row) (int64, bool) { at := value(r); return at.Time.UnixMilli(), at.Known() },
			Cell:   func(c *style.Cell, r Row) { c.Put(style.Muted, v.Moment(value(r))) }}
	}
	return []table.Column[Row]{
		text("reference", "reference", "REFERENCE", "Your reference, as given to tonne retire.", func(r Row) string { return r.reference }),
		text("project", "project_name", "PROJECT", "The project whose credits are retired.", func(r Row) string { return r.project }),
		text("projectid", "project_id", "PROJECT ID", "The id of the project.", func(r Row) string { return r.answer().ProjectID }),
		text("vintageid", "vintage_id", "VINTAGE ID", "The id of the vintage.", func(r Row) string { return r.answer().VintageID }),
		stamp("created", "created_at", "CREATED", "When the request was created.", func(r Row) model.Timestamp { return r.answer().CreatedAt }),
		stamp("retired", "retired_at", "RETIRED", "When the credits were retired on the registry.", func(r Row) model.Timestamp { return r.answer().RetiredAt }),
		{Key: "checks", Name: "doubts", Title: "CHECKS", Help: "The failed checks, or the number of passed checks so far.", Hidden: true, Min: 12, Max: 40, Priority: 4,
			Cell: checksCell, Text: func(r Row) string { return r.checks.String() }},
		stamp("entered", "", "ENTERED", "When you added it to the ledger.", func(r Row) model.Timestamp { return model.At(r.FirstSeen) }),
	}
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
	// Found is the match of the search, nil without a search.
	Found *Found
}

func rowID(r Row) string { return r.ID }

// Called returns the label, or else the reference in the journal, or "".
func (r Row) Called() string { return cmp.Or(r.Label, r.brief) }

// Name returns the label, or else the reference, or else the id.
func (r Row) Name() string { return cmp.Or(r.Called(), r.ID) }

var unanswered = retirement.Request{TotalQuantity: model.UnknownGrams}

func (r Row) answer() *retirement.Request {
	if r.group != nil {
		return &r.group.total
	}
	return cmp.Or(r.Answer, &unanswered)
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
		return tab.Brief(r.Err)
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
