package retirement

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/keys"
	"tonne/ui/view"
)

// Groups are the key bindings of the tab. Keys that walk act on the details
// while they have the focus.
func (t *Tab) Groups() []keys.Group {
	act := keys.Group{Name: "Retirements", Bindings: []keys.Binding{
		{Name: "retirement.add", Keys: []string{"a"}, Help: "look up an id", Short: "look up", Do: t.startInput},
		{Name: "retirement.again", Keys: []string{"R"}, Help: "look up the selected one again", Why: t.whyNone, Do: t.again},
		{Name: "retirement.details", Keys: []string{"enter"}, Help: "walk the details, or look up what was not found", Short: "details", Why: t.whyNone, Do: t.enter},
		{Name: "retirement.open", Keys: []string{"o"}, Help: "open the certificate", Short: "open", Why: t.whyNoCertificate, Do: t.openCertificate},
		{Name: "retirement.download", Keys: []string{"d"}, Help: "download the certificate", Short: "download", Why: t.whyNoCertificate, Do: t.downloadCertificate},
		{Name: "retirement.copy", Keys: []string{"y"}, Help: "copy the id, the certificate's address, or the marked line", Short: "copy", Why: t.whyNone, Do: t.copy},
		{Name: "retirement.copyserials", Keys: []string{"Y"}, Help: "copy all serial numbers", Why: t.whyNoSerials, Do: t.copySerials},
		{Name: "retirement.remove", Keys: []string{"x"}, Help: "remove from the ledger", Why: t.whyNone, Do: t.remove},
		{Name: "retirement.label", Keys: []string{"L"}, Help: "give it a label", Short: "label", Why: t.whyNone, Do: t.askLabel},
		{Name: "retirement.search", Keys: []string{"/"}, Help: "search the ledger, or the serial numbers", Short: "search", Do: t.startSearch},
		{Name: "retirement.sort", Keys: []string{"s"}, Help: "sort the ledger by the next column", Do: t.sort},
		{Name: "retirement.right", Keys: []string{"l", "right"}, Help: "to the details", Why: t.whyNone, Do: t.focus(true)},
		{Name: "retirement.left", Keys: []string{"h", "left"}, Help: "to the ledger", Do: t.focus(false)},
		{Name: "retirement.back", Keys: []string{"esc"}, Help: "back to the ledger, then clear the search", Do: t.back},
		// The ids of this marketplace begin with a nought: who simply types
		// one is taken at their word.
		{Name: "retirement.type", Keys: []string{"0"}, Help: "begin to type an id", Do: t.typeNought},
	}}
	if t.focused {
		return []keys.Group{act, view.Moves("retirement", reader{t})}
	}
	return []keys.Group{act, view.Moves("retirement", walker{t})}
}

// walker walks the ledger and shows the request that it comes to.
type walker struct{ t *Tab }

func (w walker) Move(n int) { w.t.table.Move(n); w.t.refresh() }
func (w walker) PageUp()    { w.t.table.PageUp(); w.t.refresh() }
func (w walker) PageDown()  { w.t.table.PageDown(); w.t.refresh() }
func (w walker) HalfUp()    { w.t.table.HalfUp(); w.t.refresh() }
func (w walker) HalfDown()  { w.t.table.HalfDown(); w.t.refresh() }
func (w walker) Top()       { w.t.table.Top(); w.t.refresh() }
func (w walker) Bottom()    { w.t.table.Bottom(); w.t.refresh() }

// reader walks the details.
type reader struct{ t *Tab }

func (r reader) Move(n int) { r.t.doc.move(n) }
func (r reader) PageUp()    { r.t.doc.move(-r.t.doc.page()) }
func (r reader) PageDown()  { r.t.doc.move(r.t.doc.page()) }
func (r reader) HalfUp()    { r.t.doc.move(-max(r.t.doc.page()/2, 1)) }
func (r reader) HalfDown()  { r.t.doc.move(max(r.t.doc.page()/2, 1)) }
func (r reader) Top()       { r.t.doc.move(-len(r.t.doc.lines)) }
func (r reader) Bottom()    { r.t.doc.move(len(r.t.doc.lines)) }

func (t *Tab) whyNone() string {
	if _, ok := t.selected(); !ok {
		return "The ledger is empty. a looks up an id."
	}
	return ""
}

func (t *Tab) whyNoCertificate() string {
	e, ok := t.selected()
	if !ok || e.answer == nil || e.answer.CertificateURL == "" {
		return "There is no certificate: it comes once the request is complete."
	}
	return ""
}

func (t *Tab) whyNoSerials() string {
	e, ok := t.selected()
	if !ok || e.answer == nil || len(e.answer.SerialNumbers) == 0 {
		return "There are no serial numbers: they come once the request is complete."
	}
	return ""
}

// enter walks the details of a request, or looks up one without an answer.
func (t *Tab) enter() tea.Cmd {
	e, _ := t.selected()
	if e.answer == nil {
		return t.again()
	}
	t.focused = !t.focused
	return nil
}

func (t *Tab) again() tea.Cmd {
	e, _ := t.selected()
	next := *e
	t.replace(&next)
	t.lookUp(&next)
	t.rebuild()
	return nil
}

func (t *Tab) focus(details bool) func() tea.Cmd {
	return func() tea.Cmd {
		t.focused = details
		return nil
	}
}

// back leaves the details, then the search.
func (t *Tab) back() tea.Cmd {
	if t.focused {
		t.focused = false
		return nil
	}
	t.search.entry.SetValue("")
	return t.narrow()
}

func (t *Tab) startSearch() tea.Cmd {
	t.search.entry.Focus()
	return nil
}

func (t *Tab) typeNought() tea.Cmd {
	cmd := t.startInput()
	t.input.SetValue("0")
	return cmd
}

func (t *Tab) sort() tea.Cmd {
	t.table.SortNext()
	return nil
}

func (t *Tab) copy() tea.Cmd {
	e, _ := t.selected()
	if t.focused {
		if line, ok := t.doc.current(); ok {
			return view.Send(view.Copy{Text: line.copy, What: line.what})
		}
	}
	if e.answer != nil && e.answer.CertificateURL != "" {
		return view.Send(view.Copy{Text: e.answer.CertificateURL, What: "the certificate's address"})
	}
	return view.Send(view.Copy{Text: e.id, What: "the request's id"})
}

func (t *Tab) copySerials() tea.Cmd {
	e, _ := t.selected()
	return view.Send(view.Copy{
		Text: strings.Join(e.answer.SerialNumbers, "\n"),
		What: view.Count(len(e.answer.SerialNumbers), "serial number", "serial numbers"),
	})
}

func (t *Tab) remove() tea.Cmd {
	e, _ := t.selected()
	t.feed.Unfollow(e.id)
	var rest ledger
	for _, other := range t.ledger {
		if other.id != e.id {
			rest = append(rest, other)
		}
	}
	t.ledger = rest
	t.rebuild()
	return view.Say("Removed " + e.id + " from the ledger.")
}

func (t *Tab) askLabel() tea.Cmd {
	e, _ := t.selected()
	return view.Send(view.Ask{
		Title: "Label of " + e.id, Hint: "your own words; empty for none", Value: e.label,
		Done: func(typed string) (tea.Cmd, string) {
			next := *e
			next.label = typed
			t.replace(&next)
			t.rebuild()
			return nil, ""
		},
	})
}
