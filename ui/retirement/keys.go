package retirement

import (
	"slices"

	"tonne/api/audit"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// Groups are the key bindings of the tab, those first that matter where the
// cursor is. Keys that walk act on the details while they have the focus.
func (t *Tab) Groups() []keymap.Group {
	if t.focused {
		act := slices.Concat(t.detailKeys(), t.requestKeys(), quiet(t.ledgerKeys()))
		return []keymap.Group{{Name: "Retirements", Bindings: act}, tab.Moves("retirement", t.details, nil)}
	}
	act := slices.Concat(t.ledgerKeys(), t.requestKeys(), quiet(t.detailKeys()))
	return []keymap.Group{{Name: "Retirements", Bindings: act}, tab.Moves("retirement", t.ledger.Mover(), t.moved)}
}

func quiet(bindings []keymap.Binding) []keymap.Binding {
	for i := range bindings {
		bindings[i].Short = ""
	}
	return bindings
}

func (t *Tab) requestKeys() []keymap.Binding {
	enter := keymap.Binding{
		Name: "retirement.details", Action: "open", Keys: []string{"enter"}, Help: "walk the details, or look up what was not found",
		Short: "details", Why: t.whyNone, Do: t.enter,
	}
	if t.focused {
		enter.Help, enter.Short, enter.Why, enter.Do = "show all of an item or a serial number, or hide it", "all of it", t.whyNothingFolded, t.unfold
	}
	return []keymap.Binding{
		enter,
		{Name: "retirement.open", Action: "browse", Keys: []string{"o"}, Help: "open the certificate in a browser", Short: "open", Why: t.whyNoCertificate, Do: t.openCertificate},
		{Name: "retirement.download", Keys: []string{"d"}, Help: "download the certificate, again: verify it", Short: "download", Why: t.whyNoCertificate, Machine: true, Do: t.download},
		{Name: "retirement.evidence", Action: "export", Keys: []string{"e"}, Help: "write audit evidence of this request", Short: "evidence", Why: t.whyNoEvidence, Machine: true, Do: t.askEvidence(false, ".csv")},
		{Name: "retirement.preview", Keys: []string{"p"}, Help: "show the downloaded certificate here", Short: "preview", Why: t.whyNoFile, Machine: true, Do: t.showCertificate},
		{Name: "retirement.copy", Keys: []string{"y"}, Help: "copy the id of the request; in the details: the marked line", Short: "copy", Why: t.whyNone, Do: t.copy},
		{Name: "retirement.search", Action: "filter", Keys: []string{"/"}, Help: "find requests by any id, name, reference or serial number; in the details: serial numbers", Short: "search", Do: t.startSearch},
		{Name: "retirement.label", Keys: []string{"L"}, Help: "give it a label", Short: "label", Why: t.whyNone, Do: t.askLabel},
		{Name: "retirement.rule", Keys: []string{"a"}, Help: "add a rule: tell me when its state changes, or has lasted", Why: t.whyNone, Do: t.askRule},
		{Name: "retirement.remove", Keys: []string{"x"}, Help: "remove from the ledger", Short: "remove", Why: t.whyNone, Do: t.remove},
		{Name: "retirement.undo", Keys: []string{"Z"}, Help: "bring back what was removed", Why: t.whyNothingRemoved, Do: t.undo},
		{Name: "retirement.again", Keys: []string{"."}, Help: "look it up again", Why: t.whyNone, Do: t.again},
		{Name: "retirement.downloadto", Keys: []string{"X"}, Help: "download the certificate to another directory", Why: t.whyNoCertificate, Machine: true, Do: t.downloadTo},
		{Name: "retirement.evidenceall", Keys: []string{"E"}, Help: "pack evidence and certificates of all shown", Short: "pack", Why: t.whyNoEvidence, Machine: true, Do: t.askEvidence(true, audit.PackEnding)},
		{Name: "retirement.statement", Keys: []string{"S"}, Help: "a statement of what was bought and retired", Why: t.whyNoStatement, Machine: true, Do: t.readStatement},
		{Name: "retirement.registry", Keys: []string{"O"}, Help: "open the public page of the registry in a browser", Why: t.whyNoPage, Do: t.openPage},
		{Name: "retirement.seen", Keys: []string{"V"}, Help: "record that you saw it on the registry", Why: t.whyNotSeen, Do: t.askSeen},
		{Name: "retirement.confirm", Keys: []string{"A"}, Help: "confirm what an attribute proposes", Why: t.whyNotConfirm, Do: t.askConfirm},
		{Name: "retirement.leftout", Keys: []string{"W"}, Help: "lines of the last import without an id", Why: t.whyNothingLeft, Do: t.showLeft},
		{Name: "retirement.copyserials", Keys: []string{"N"}, Help: "copy all serial numbers", Why: t.whyNoSerials, Do: t.copySerials},
		{Name: "retirement.copyrow", Keys: []string{"Y"}, Help: "copy the row, again: the whole ledger as a table", Why: t.whyNone, Do: t.copyRow},
		{Name: "retirement.copycell", Help: "copy the marked cell", Why: t.whyNone, Do: t.copyCell},
		{Name: "retirement.copyaddress", Help: "copy the address of the certificate", Why: t.whyNoCertificate, Do: t.copyAddress},
		{Name: "retirement.taxids", Keys: []string{"T"}, Help: "tax ids in full or masked", Do: t.details.ToggleTaxIDs},
		{Name: "retirement.back", Keys: []string{"esc"}, Help: "back to the ledger, then clear the search", Do: t.back},
	}
}

func (t *Tab) ledgerKeys() []keymap.Binding {
	return []keymap.Binding{
		{Name: "retirement.add", Keys: []string{"+"}, Help: "look up an id", Short: "look up", Do: t.startInput},
		{Name: "retirement.import", Keys: []string{"I"}, Help: "read ids from a file", Machine: true, Do: t.importer.AskFile},
		{Name: "retirement.sort", Keys: []string{"s"}, Help: "sort by the marked column, again: the other way", Why: t.whyNotLedger, Do: t.ledger.Sort},
		{Name: "retirement.left", Keys: []string{"h", "left"}, Help: "mark the column to the left", Why: t.whyNotLedger, Do: t.sideways(-1)},
		{Name: "retirement.right", Keys: []string{"l", "right"}, Help: "mark the column to the right", Why: t.whyNotLedger, Do: t.sideways(1)},
		{Name: "retirement.reverse", Keys: []string{"alt+s"}, Help: "sort the other way round", Do: t.ledger.Reverse},
		{Name: "retirement.columns", Keys: []string{"C"}, Help: "choose the columns", Do: t.ledger.ChooseColumns},
		// The ids of this marketplace begin with a nought: who simply types
		// one is taken at their word.
		{Name: "retirement.type", Keys: []string{"0"}, Help: "begin to type an id", Do: t.typeNought},
	}
}

func (t *Tab) detailKeys() []keymap.Binding {
	return []keymap.Binding{
		{Name: "retirement.nextsection", Keys: []string{"}"}, Help: "to the next section", Short: "section", Do: t.jump(1)},
		{Name: "retirement.lastsection", Keys: []string{"{"}, Help: "to the section before", Do: t.jump(-1)},
	}
}

// closing is what leaves the details, nil while the keys are in the ledger.
func (t *Tab) closing() func() effect.Effect {
	if !t.focused {
		return nil
	}
	return func() effect.Effect {
		t.leaveDetails()
		return nil
	}
}

func (t *Tab) moved() effect.Effect {
	t.look()
	return t.thenRefresh(nil)
}

func (t *Tab) whyNone() string {
	if _, ok := t.ledger.Selected(); !ok {
		return "No request is selected. + looks up an id."
	}
	return ""
}

// whyNotLedger keeps the details as they are: their order is that of the request.
func (t *Tab) whyNotLedger() string {
	if t.focused {
		return "Only the ledger is sorted. Esc goes back to it."
	}
	return ""
}

func (t *Tab) sideways(by int) func() effect.Effect {
	return func() effect.Effect {
		t.ledger.Sideways(by)
		return nil
	}
}

func (t *Tab) whyNoCertificate() string {
	r, ok := t.ledger.Selected()
	if !ok || r.Answer == nil || r.Answer.CertificateURL == "" {
		return "There is no certificate: it comes once the request is complete."
	}
	return ""
}

func (t *Tab) whyNoSerials() string {
	if r, ok := t.ledger.Selected(); !ok || r.Answer == nil || len(r.Answer.SerialNumbers) == 0 {
		return "There are no serial numbers: they come once the request is complete."
	}
	return ""
}

func (t *Tab) whyNoFile() string {
	if r, ok := t.ledger.Selected(); !ok || r.Certificate.Path == "" {
		return "No certificate was downloaded yet. d downloads it."
	}
	return ""
}

func (t *Tab) whyNothingRemoved() string {
	if len(t.edits.removed) == 0 {
		return "Nothing was removed."
	}
	return ""
}

func (t *Tab) whyNothingFolded() string {
	if !t.details.Unfolds() {
		return "There is no more to show of this line."
	}
	return ""
}
