package retirement

import (
	"slices"
	"strings"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// Groups are the key bindings of the tab, those first that matter where the
// cursor is. Keys that walk act on the details while they have the focus.
func (t *Tab) Groups() []keymap.Group {
	if t.focused {
		act := slices.Concat(t.detailKeys(), t.requestKeys(), quiet(t.ledgerKeys()))
		return []keymap.Group{{Name: "Retirements", Bindings: act}, tab.Moves("retirement", reader{t}, nil)}
	}
	act := slices.Concat(t.ledgerKeys(), t.requestKeys(), quiet(t.detailKeys()))
	return []keymap.Group{{Name: "Retirements", Bindings: act}, tab.Moves("retirement", t.table, t.moved)}
}

// quiet leaves bindings out of the footer.
func quiet(bindings []keymap.Binding) []keymap.Binding {
	for i := range bindings {
		bindings[i].Short = ""
	}
	return bindings
}

// requestKeys act on the selected request, wherever the cursor is.
func (t *Tab) requestKeys() []keymap.Binding {
	enter := keymap.Binding{
		Name: "retirement.details", Keys: []string{"enter", "l", "right"}, Help: "walk the details, or look up what was not found",
		Short: "details", Why: t.whyNone, Do: t.enter,
	}
	if t.focused {
		enter.Help, enter.Short, enter.Why, enter.Do = "show all of an item or a serial number, or hide it", "all of it", t.whyNothingFolded, t.unfold
	}
	return []keymap.Binding{
		enter,
		{Name: "retirement.open", Keys: []string{"o"}, Help: "open the certificate in a browser", Short: "open", Why: t.whyNoCertificate, Do: t.openCertificate},
		{Name: "retirement.download", Keys: []string{"d"}, Help: "download the certificate, again: verify it", Short: "download", Why: t.whyNoCertificate, Do: t.download},
		{Name: "retirement.evidence", Keys: []string{"e"}, Help: "write audit evidence of this request", Short: "evidence", Why: t.whyNoEvidence, Do: t.askEvidence(false)},
		{Name: "retirement.preview", Keys: []string{"p"}, Help: "show the downloaded certificate here", Short: "preview", Why: t.whyNoFile, Do: t.peek},
		{Name: "retirement.copy", Keys: []string{"y"}, Help: "copy the marked line, or the certificate's address", Short: "copy", Why: t.whyNone, Do: t.copy},
		{Name: "retirement.search", Keys: []string{"/"}, Help: "search the ledger, or in the details the serial numbers", Short: "search", Do: t.startSearch},
		{Name: "retirement.label", Keys: []string{"L"}, Help: "give it a label", Short: "label", Why: t.whyNone, Do: t.askLabel},
		{Name: "retirement.remove", Keys: []string{"x"}, Help: "remove from the ledger", Short: "remove", Why: t.whyNone, Do: t.remove},
		{Name: "retirement.undo", Keys: []string{"z"}, Help: "bring back what was removed", Why: t.whyNothingRemoved, Do: t.undo},
		{Name: "retirement.again", Keys: []string{"R"}, Help: "look it up again", Why: t.whyNone, Do: t.again},
		{Name: "retirement.downloadto", Keys: []string{"D"}, Help: "download the certificate to another directory", Why: t.whyNoCertificate, Do: t.downloadTo},
		{Name: "retirement.evidenceall", Keys: []string{"E"}, Help: "write audit evidence of all that are shown", Why: t.whyNoEvidence, Do: t.askEvidence(true)},
		{Name: "retirement.copyserials", Keys: []string{"Y"}, Help: "copy all serial numbers", Why: t.whyNoSerials, Do: t.copySerials},
		{Name: "retirement.taxids", Keys: []string{"T"}, Help: "tax ids in full or masked", Do: t.toggleTaxIDs},
		{Name: "retirement.back", Keys: []string{"esc"}, Help: "back to the ledger, then clear the search", Do: t.back},
	}
}

// ledgerKeys act while the cursor is in the ledger.
func (t *Tab) ledgerKeys() []keymap.Binding {
	return []keymap.Binding{
		{Name: "retirement.add", Keys: []string{"a"}, Help: "look up an id", Short: "look up", Do: t.startInput},
		{Name: "retirement.import", Keys: []string{"I"}, Help: "read ids from a file", Do: t.askImport},
		{Name: "retirement.sort", Keys: []string{"s"}, Help: "sort the ledger by the next column", Do: t.sort},
		{Name: "retirement.reverse", Keys: []string{"S"}, Help: "sort the other way round", Do: t.reverse},
		{Name: "retirement.columns", Keys: []string{"C"}, Help: "choose the columns", Do: t.chooseColumns},
		// The ids of this marketplace begin with a nought: who simply types
		// one is taken at their word.
		{Name: "retirement.type", Keys: []string{"0"}, Help: "begin to type an id", Do: t.typeNought},
	}
}

// detailKeys act while the cursor is in the details.
func (t *Tab) detailKeys() []keymap.Binding {
	return []keymap.Binding{
		{Name: "retirement.left", Keys: []string{"h", "left"}, Help: "back to the ledger", Short: "ledger", Why: t.whyLedger, Do: t.leaveDetails},
		{Name: "retirement.nextsection", Keys: []string{"]", "}"}, Help: "to the next section", Short: "section", Do: t.jump(1)},
		{Name: "retirement.lastsection", Keys: []string{"[", "{"}, Help: "to the section before", Do: t.jump(-1)},
	}
}

// moved shows the request that the cursor came to.
func (t *Tab) moved() effect.Effect {
	t.refresh()
	return nil
}

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
		return "No request is selected. a looks up an id."
	}
	return ""
}

func (t *Tab) whyLedger() string {
	if !t.focused {
		return "The cursor is in the ledger."
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

func (t *Tab) whyNoFile() string {
	if e, ok := t.selected(); !ok || e.certificate.Path == "" {
		return "No certificate was downloaded yet. d downloads it."
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

func (t *Tab) whyNothingFolded() string {
	if line, ok := t.doc.current(); !ok || line.unfolds == "" {
		return "There is no more to show of this line."
	}
	return ""
}

// enter walks the details of a request, or looks up one without an answer.
func (t *Tab) enter() effect.Effect {
	e, _ := t.selected()
	if e.answer == nil {
		return t.again()
	}
	t.focused = true
	return nil
}

func (t *Tab) again() effect.Effect {
	e, _ := t.selected()
	t.lookUp(e.id)
	return t.settle()
}

// unfold shows or hides the rest of the marked line.
func (t *Tab) unfold() effect.Effect {
	line, _ := t.doc.current()
	before := len(t.doc.lines)
	t.unfolded[line.unfolds] = !t.unfolded[line.unfolds]
	t.refresh()
	t.doc.reveal(len(t.doc.lines) - before)
	return nil
}

func (t *Tab) jump(step int) func() effect.Effect {
	return func() effect.Effect {
		t.focused = t.doc.hasThings()
		t.doc.jump(step)
		return nil
	}
}

// leaveDetails takes the cursor back to the ledger, and the search of serial
// numbers with it.
func (t *Tab) leaveDetails() effect.Effect {
	t.focused = false
	if t.search.details {
		return t.clearSearch()
	}
	return nil
}

// back clears the search of serial numbers, leaves the details, and clears
// the search of the ledger, one at a time.
func (t *Tab) back() effect.Effect {
	switch {
	case t.focused && t.search.details && t.search.shown():
		return t.clearSearch()
	case t.focused:
		return t.leaveDetails()
	}
	return t.clearSearch()
}

func (t *Tab) sort() effect.Effect {
	t.table.SortNext()
	return tab.Work(t.table)
}

func (t *Tab) reverse() effect.Effect {
	if column, _ := t.table.Sorting(); column != "" {
		t.table.ToggleSort(column)
		return tab.Work(t.table)
	}
	return effect.Say("Press s first to choose a column.")
}

func (t *Tab) chooseColumns() effect.Effect { return tab.ChooseColumns(t.table) }

func (t *Tab) toggleTaxIDs() effect.Effect {
	t.taxIDs = !t.taxIDs
	t.refresh()
	if t.taxIDs {
		return effect.Say("Tax ids are shown in full. T masks them.")
	}
	return effect.Say("Tax ids are masked.")
}

func (t *Tab) copy() effect.Effect {
	e, _ := t.selected()
	if t.focused {
		if line, ok := t.doc.current(); ok {
			return effect.Copy{Text: line.copy, What: line.what}
		}
	}
	if e.answer != nil && e.answer.CertificateURL != "" {
		return effect.Copy{Text: e.answer.CertificateURL, What: "the certificate's address"}
	}
	return effect.Copy{Text: e.id, What: "the request's id"}
}

func (t *Tab) copySerials() effect.Effect {
	e, _ := t.selected()
	return effect.Copy{
		Text: strings.Join(e.answer.SerialNumbers, "\n"),
		What: tab.Count(len(e.answer.SerialNumbers), "serial number", "serial numbers"),
	}
}
