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

// Groups returns the key bindings of the tab. The bindings of the focused pane come first.
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

// keySubject is the request that keys act on, an empty one if none is selected. Its functions
// return why bindings are disabled, or "".
type keySubject struct {
	ledger.Row
	marked                      details.Line
	marking                     bool
	batch                       string
	opened, batched             bool
	none, certificate, evidence func() string
}

func (t *Tab) subject() keySubject {
	r, ok := t.panes.ledger.Selected()
	if !ok {
		r.Request = new(session.Request)
	}
	s := keySubject{Row: r, none: unless(ok, "No request is selected. + looks up an id.")}
	if s.batch, s.opened, s.batched = t.panes.ledger.SelectedBatch(); s.batched {
		s.none = unless(false, "A batch is selected. ↵ opens it to select a request.")
	}
	s.marked, s.marking = t.panes.details.Marked()
	s.marking = s.marking && t.panes.focused
	certified := r.Answer != nil && r.Answer.CertificateURL != ""
	s.certificate = unless(certified, "There is no certificate until the request is complete.")
	if s.evidence = s.none; t.o.WriteEvidence == nil {
		s.evidence = unless(false, "Not available in this session.")
	}
	return s
}

func (t *Tab) requestKeys(s keySubject) []keymap.Binding {
	r, none := s.Row, s.none
	enter := keymap.Binding{
		Name: "retirement.details", Action: "open", Keys: []string{"enter"},
		Help:  "focus the details, look the request up again, or open a batch",
		Short: "details", Why: none, Do: func() effect.Effect {
			if r.Answer == nil {
				return t.again(r)
			}
			t.panes.focused = true
			return t.moved()
		},
	}
	if s.batched {
		enter.Help, enter.Short, enter.Why, enter.Do = "open or close the batch", "open", nil,
			func() effect.Effect { return t.refreshed(t.panes.ledger.ToggleBatch()) }
		if s.opened {
			enter.Short = "close"
		}
	} else if t.panes.focused {
		enter.Help, enter.Short, enter.Do = "expand or collapse an item or a serial number", "expand",
			effect.Do(t.panes.details.Unfold)
		enter.Why = unless(s.marked.Unfolds != "", "This line has nothing to expand.")
	}
	return []keymap.Binding{
		enter,
		{Name: "retirement.open", Action: "browse", Keys: []string{"o"}, Help: "open the certificate in a browser",
			Short: "open", Why: s.certificate, Do: func() effect.Effect { return effect.Open{URL: r.Answer.CertificateURL} }},
		{Name: "retirement.download", Keys: []string{"d"}, Help: "download the certificate; press again to verify it",
			Short: "download", Why: s.certificate, Machine: true, Do: func() effect.Effect { return t.download(r) }},
		{Name: "retirement.evidence", Action: "export", Keys: []string{"e"}, Help: "write audit evidence of this request",
			Short: "evidence", Why: s.evidence, Machine: true, Do: t.askEvidence(false, ".csv")},
		{
			Name: "retirement.preview", Keys: []string{"p"}, Help: "preview the downloaded certificate", Short: "preview",
			Machine: true,
			Why:     unless(r.Certificate.Path != "", "Not downloaded yet. d downloads it."),
			Do:      func() effect.Effect { return t.preview(r) },
		},
		{Name: "retirement.copy", Keys: []string{"y"},
			Help: "copy the id of the request, or the selected line of the details", Short: "copy", Why: none,
			Do: func() effect.Effect {
				if s.marking {
					return effect.Copy{Text: s.marked.Copy, What: s.marked.What}
				}
				return effect.Copy{Text: r.ID, What: "the request's id"}
			}},
		{Name: "retirement.search", Action: "filter", Keys: []string{"/"},
			Help: "search by any id, name or serial number, or status: beneficiary: from: to:", Short: "search",
			Do: effect.Do(t.panes.startSearch)},
		{Name: "retirement.label", Keys: []string{"L"}, Help: "set a label", Short: "label", Why: none,
			Do: func() effect.Effect { return t.askLabel(r) }},
		{Name: "retirement.rule", Keys: []string{"a"}, Help: "add a rule that fires when its state changes or lasts too long",
			Why: none, Do: func() effect.Effect { return t.askRule(r) }},
		{Name: "retirement.remove", Keys: []string{"x"}, Help: "remove from the ledger", Short: "remove", Why: none,
			Do: func() effect.Effect { return t.remove(r) }},
		{Name: "retirement.drop", Help: "remove requests that do not exist",
			Why: unless(len(t.panes.ledger.NotFound()) > 0, "None is missing on the marketplace."),
			Do:  t.drop},
		{Name: "retirement.again", Keys: []string{"."}, Help: "look it up again", Why: none,
			Do: func() effect.Effect { return t.again(r) }},
	}
}

func (t *Tab) moreKeys(s keySubject) []keymap.Binding {
	r, none, list, page := s.Row, s.none, t.panes.ledger, t.panes.details.Page()
	seen := unless(r.Answer != nil, "Only a request that was found can be recorded as seen.")
	if t.o.Who == "" && r.Answer != nil {
		seen = unless(false, "Your name is unknown: set USER.")
	}
	return []keymap.Binding{
		{Name: "retirement.downloadto", Keys: []string{"X"}, Help: "download the certificate to another directory",
			Why: s.certificate, Machine: true, Do: func() effect.Effect { return t.askDirectory(r) }},
		{Name: "retirement.evidenceall", Keys: []string{"E"}, Help: "pack evidence and certificates of all shown requests",
			Short: "pack", Why: s.evidence, Machine: true, Do: t.askEvidence(true, audit.PackEnding)},
		{
			Name: "retirement.statement", Keys: []string{"S"}, Help: "open a statement of purchases and retirements",
			Machine: true,
			Why:     unless(t.o.ReadStatementData != nil, "Not available in this session."),
			Do:      func() effect.Effect { return openStatement(t.view, t.o.ReadStatementData) },
		},
		{Name: "retirement.registry", Keys: []string{"O"}, Help: "open the public registry page in a browser",
			Why: unless(page != "", "This request has no known registry page."),
			Do:  func() effect.Effect { return effect.Open{URL: page} }},
		{Name: "retirement.seen", Keys: []string{"V"}, Help: "record that you saw it on the registry", Why: seen,
			Do: func() effect.Effect { return t.askObservation(r) }},
		{
			Name: "retirement.copyserials", Keys: []string{"N"}, Help: "copy all serial numbers",
			Why: unless(r.Answer != nil && len(r.Answer.SerialNumbers) > 0,
				"There are no serial numbers until the request is complete."),
			Do: func() effect.Effect {
				serials := r.Answer.SerialNumbers
				return effect.Copy{Text: strings.Join(serials, "\n"),
					What: model.Count(len(serials), "serial number", "serial numbers")}
			},
		},
		{Name: "retirement.copyrow", Keys: []string{"Y"}, Help: "copy the row; press again to copy the whole ledger",
			Why: none, Do: func() effect.Effect {
				return effect.Copy{Text: list.Table.CopyRow(), What: "the row", Whole: tab.Whole(list, "request", "requests")}
			}},
		{Name: "retirement.copycell", Help: "copy the marked cell", Why: none,
			Do: func() effect.Effect { return effect.Copy{Text: list.Table.CopyCell(), What: "the cell"} }},
		{Name: "retirement.copyaddress", Help: "copy the address of the certificate", Why: s.certificate,
			Do: func() effect.Effect {
				return effect.Copy{Text: r.Answer.CertificateURL, What: "the certificate's address"}
			}},
		{Name: "retirement.taxids", Keys: []string{"T"}, Help: "show tax ids in full, or masked",
			Do: t.panes.details.ToggleTaxIDs},
		{Name: "retirement.back", Keys: []string{"esc"}, Help: "back to the ledger, then clear the search",
			Do: func() effect.Effect { return t.refreshed(t.panes.back()) }},
	}
}

func (t *Tab) ledgerKeys() []keymap.Binding {
	list := t.panes.ledger
	// The details keep the order of the request.
	sorts := unless(!t.panes.focused, "Only the ledger can be sorted. Esc returns to it.")
	return []keymap.Binding{
		{Name: "retirement.add", Keys: []string{"+"}, Help: "look up an id", Short: "look up",
			Do: func() effect.Effect { return t.refreshed(t.panes.startInput("")) }},
		{Name: "retirement.import", Keys: []string{"I"},
			Help: "import ids from a file, or compare its records with the ledger", Machine: true, Do: t.panes.importer.AskFile},
		{Name: "retirement.sort", Keys: []string{"s"}, Help: "sort by the marked column; press again to reverse", Why: sorts,
			Do: func() effect.Effect { return tab.SortByMarked(list.Table, "") }},
		{Name: "retirement.left", Keys: []string{"h", "left"}, Help: "mark the column to the left", Why: sorts,
			Do: effect.Do(func() { list.Table.Sideways(-1) })},
		{Name: "retirement.right", Keys: []string{"l", "right"}, Help: "mark the column to the right", Why: sorts,
			Do: effect.Do(func() { list.Table.Sideways(1) })},
		{Name: "retirement.columns", Keys: []string{"C"}, Help: "choose the columns",
			Do: func() effect.Effect { return tab.ChooseColumns(list.Table, list.Remeasure) }},
		// The ids of this marketplace start with 0.
		{Name: "retirement.type", Keys: []string{"0"}, Help: "start typing an id",
			Do: func() effect.Effect { return t.refreshed(t.panes.startInput("0")) }},
	}
}

func (t *Tab) detailKeys() []keymap.Binding {
	return []keymap.Binding{
		{Name: "retirement.nextsection", Keys: []string{"}"}, Help: "go to the next section", Short: "section",
			Do: effect.Do(func() { t.panes.jump(1) })},
		{Name: "retirement.lastsection", Keys: []string{"{"}, Help: "go to the previous section",
			Do: effect.Do(func() { t.panes.jump(-1) })},
	}
}
