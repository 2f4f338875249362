package retirement

import (
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

// Groups are the key bindings of the tab, those first that matter where the
// cursor is. Keys that walk act on the details while they have the focus.
func (t *Tab) Groups() []keymap.Group {
	s := t.subject()
	own, inLedger, inDetails := slices.Concat(t.requestKeys(s), t.moreKeys(s)), t.ledgerKeys(), t.detailKeys()
	if t.panes.focused {
		act := slices.Concat(inDetails, own, quiet(inLedger))
		return []keymap.Group{{Name: "Retirements", Bindings: act}, tab.Moves("retirement", t.panes.details, nil)}
	}
	act := slices.Concat(inLedger, own, quiet(inDetails))
	return []keymap.Group{{Name: "Retirements", Bindings: act}, tab.Moves("retirement", t.panes.ledger.Table, t.moved)}
}

func quiet(bindings []keymap.Binding) []keymap.Binding {
	for i := range bindings {
		bindings[i].Short = ""
	}
	return bindings
}

func unless(applies bool, why string) func() string {
	if applies {
		why = ""
	}
	return func() string { return why }
}

// keySubject is what keys act on. Its request is empty if none is selected; its
// functions say why bindings are disabled.
type keySubject struct {
	ledger.Row
	marked                      details.Line
	walks                       bool
	none, certificate, evidence func() string
}

func (t *Tab) subject() keySubject {
	r, ok := t.panes.ledger.Selected()
	if !ok {
		r.Request = new(session.Request)
	}
	s := keySubject{Row: r, none: unless(ok, "No request is selected. + looks up an id.")}
	s.marked, s.walks = t.panes.details.Marked()
	s.walks = s.walks && t.panes.focused
	certified := r.Answer != nil && r.Answer.CertificateURL != ""
	s.certificate = unless(certified, "There is no certificate: it comes once the request is complete.")
	if s.evidence = s.none; t.o.WriteEvidence == nil {
		s.evidence = unless(false, "Evidence cannot be written here.")
	}
	return s
}

func (t *Tab) requestKeys(s keySubject) []keymap.Binding {
	r, none := s.Row, s.none
	enter := keymap.Binding{
		Name: "retirement.details", Action: "open", Keys: []string{"enter"}, Help: "walk the details, or look up what was not found",
		Short: "details", Why: none, Do: func() effect.Effect {
			if r.Answer == nil {
				return t.again(r)
			}
			t.panes.focused = true
			return t.moved()
		},
	}
	if t.panes.focused {
		enter.Help, enter.Short, enter.Do = "show all of an item or a serial number, or hide it", "all of it", effect.Do(t.panes.details.Unfold)
		enter.Why = unless(s.marked.Unfolds != "", "There is no more to show of this line.")
	}
	return []keymap.Binding{
		enter,
		{Name: "retirement.open", Action: "browse", Keys: []string{"o"}, Help: "open the certificate in a browser", Short: "open", Why: s.certificate, Do: func() effect.Effect { return effect.Open{URL: r.Answer.CertificateURL} }},
		{Name: "retirement.download", Keys: []string{"d"}, Help: "download the certificate, again: verify it", Short: "download", Why: s.certificate, Machine: true, Do: func() effect.Effect { return t.download(r) }},
		{Name: "retirement.evidence", Action: "export", Keys: []string{"e"}, Help: "write audit evidence of this request", Short: "evidence", Why: s.evidence, Machine: true, Do: t.askEvidence(false, ".csv")},
		{
			Name: "retirement.preview", Keys: []string{"p"}, Help: "show the downloaded certificate here", Short: "preview", Machine: true,
			Why: unless(r.Certificate.Path != "", "No certificate was downloaded yet. d downloads it."), Do: func() effect.Effect { return t.preview(r) },
		},
		{Name: "retirement.copy", Keys: []string{"y"}, Help: "copy the id of the request; in the details: the marked line", Short: "copy", Why: none, Do: func() effect.Effect {
			if s.walks {
				return effect.Copy{Text: s.marked.Copy, What: s.marked.What}
			}
			return effect.Copy{Text: r.ID, What: "the request's id"}
		}},
		{Name: "retirement.search", Action: "filter", Keys: []string{"/"}, Help: "find requests by any id, name, reference or serial number; in the details: serial numbers", Short: "search", Do: effect.Do(t.panes.startSearch)},
		{Name: "retirement.label", Keys: []string{"L"}, Help: "give it a label", Short: "label", Why: none, Do: func() effect.Effect { return t.askLabel(r) }},
		{Name: "retirement.rule", Keys: []string{"a"}, Help: "add a rule: tell me when its state changes, or has lasted", Why: none, Do: func() effect.Effect { return t.askRule(r) }},
		{Name: "retirement.remove", Keys: []string{"x"}, Help: "remove from the ledger", Short: "remove", Why: none, Do: func() effect.Effect { return t.remove(r) }},
		{Name: "retirement.undo", Keys: []string{"Z"}, Help: "bring back what was removed", Why: unless(len(t.entries.removed) > 0, "Nothing was removed."), Do: t.undo},
		{Name: "retirement.again", Keys: []string{"."}, Help: "look it up again", Why: none, Do: func() effect.Effect { return t.again(r) }},
	}
}

func (t *Tab) moreKeys(s keySubject) []keymap.Binding {
	r, none, list, page := s.Row, s.none, t.panes.ledger, t.panes.details.Page()
	seen := unless(r.Answer != nil, "Only a request that was found can be seen.")
	if t.o.Who == "" && r.Answer != nil {
		seen = unless(false, "It is not known who you are: set USER.")
	}
	return []keymap.Binding{
		{Name: "retirement.downloadto", Keys: []string{"X"}, Help: "download the certificate to another directory", Why: s.certificate, Machine: true, Do: func() effect.Effect { return t.askDirectory(r) }},
		{Name: "retirement.evidenceall", Keys: []string{"E"}, Help: "pack evidence and certificates of all shown", Short: "pack", Why: s.evidence, Machine: true, Do: t.askEvidence(true, audit.PackEnding)},
		{
			Name: "retirement.statement", Keys: []string{"S"}, Help: "a statement of what was bought and retired", Machine: true,
			Why: unless(t.o.ReadBooks != nil, "Statements cannot be made here."), Do: func() effect.Effect { return openStatement(t.view, t.o.ReadBooks) },
		},
		{Name: "retirement.registry", Keys: []string{"O"}, Help: "open the public page of the registry in a browser", Why: unless(page != "", "No public page of its registry is known."), Do: func() effect.Effect { return effect.Open{URL: page} }},
		{Name: "retirement.seen", Keys: []string{"V"}, Help: "record that you saw it on the registry", Why: seen, Do: func() effect.Effect { return t.askSeen(r) }},
		{
			Name: "retirement.copyserials", Keys: []string{"N"}, Help: "copy all serial numbers",
			Why: unless(r.Answer != nil && len(r.Answer.SerialNumbers) > 0, "There are no serial numbers: they come once the request is complete."),
			Do: func() effect.Effect {
				serials := r.Answer.SerialNumbers
				return effect.Copy{Text: strings.Join(serials, "\n"), What: model.Count(len(serials), "serial number", "serial numbers")}
			},
		},
		{Name: "retirement.copyrow", Keys: []string{"Y"}, Help: "copy the row, again: the whole ledger as a table", Why: none, Do: func() effect.Effect {
			return effect.Copy{Text: list.Table.CopyRow(), What: "the row", Whole: tab.Whole(list.Table, "request", "requests")}
		}},
		{Name: "retirement.copycell", Help: "copy the marked cell", Why: none, Do: func() effect.Effect { return effect.Copy{Text: list.Table.CopyCell(), What: "the cell"} }},
		{Name: "retirement.copyaddress", Help: "copy the address of the certificate", Why: s.certificate, Do: func() effect.Effect {
			return effect.Copy{Text: r.Answer.CertificateURL, What: "the certificate's address"}
		}},
		{Name: "retirement.taxids", Keys: []string{"T"}, Help: "tax ids in full or masked", Do: t.panes.details.ToggleTaxIDs},
		{Name: "retirement.back", Keys: []string{"esc"}, Help: "back to the ledger, then clear the search", Do: func() effect.Effect { return t.refreshed(t.panes.back()) }},
	}
}

func (t *Tab) ledgerKeys() []keymap.Binding {
	list := t.panes.ledger
	// The order of the details is that of the request.
	sorts := unless(!t.panes.focused, "Only the ledger is sorted. Esc goes back to it.")
	return []keymap.Binding{
		{Name: "retirement.add", Keys: []string{"+"}, Help: "look up an id", Short: "look up", Do: func() effect.Effect { return t.refreshed(t.panes.startInput("")) }},
		{Name: "retirement.import", Keys: []string{"I"}, Help: "read ids from a file", Machine: true, Do: t.panes.importer.AskFile},
		{Name: "retirement.sort", Keys: []string{"s"}, Help: "sort by the marked column, again: the other way", Why: sorts, Do: func() effect.Effect { return tab.SortByMarked(list.Table, "") }},
		{Name: "retirement.left", Keys: []string{"h", "left"}, Help: "mark the column to the left", Why: sorts, Do: effect.Do(func() { list.Table.Sideways(-1) })},
		{Name: "retirement.right", Keys: []string{"l", "right"}, Help: "mark the column to the right", Why: sorts, Do: effect.Do(func() { list.Table.Sideways(1) })},
		{Name: "retirement.columns", Keys: []string{"C"}, Help: "choose the columns", Do: func() effect.Effect { return tab.ChooseColumns(list.Table, list.Remeasure) }},
		// The ids of this marketplace begin with 0.
		{Name: "retirement.type", Keys: []string{"0"}, Help: "begin to type an id", Do: func() effect.Effect { return t.refreshed(t.panes.startInput("0")) }},
	}
}

func (t *Tab) detailKeys() []keymap.Binding {
	return []keymap.Binding{
		{Name: "retirement.nextsection", Keys: []string{"}"}, Help: "to the next section", Short: "section", Do: effect.Do(func() { t.panes.jump(1) })},
		{Name: "retirement.lastsection", Keys: []string{"{"}, Help: "to the section before", Do: effect.Do(func() { t.panes.jump(-1) })},
	}
}
