package retirement

import (
	"strings"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/ledger"
)

func (t *Tab) enter() effect.Effect {
	r, _ := t.ledger.Selected()
	if r.Answer == nil {
		return t.again()
	}
	t.focused = true
	return t.moved()
}

func (t *Tab) unfold() effect.Effect {
	t.details.Unfold()
	return nil
}

func (t *Tab) jump(step int) func() effect.Effect {
	return func() effect.Effect {
		t.focused = t.details.HasThings()
		t.details.Jump(step)
		return nil
	}
}

func (t *Tab) copy() effect.Effect {
	r, _ := t.ledger.Selected()
	if marked := t.details.Copy(); t.focused && marked != nil {
		return marked
	}
	return effect.Copy{Text: r.ID, What: "the request's id"}
}

func (t *Tab) copyAddress() effect.Effect {
	r, _ := t.ledger.Selected()
	return effect.Copy{Text: r.Answer.CertificateURL, What: "the certificate's address"}
}

func (t *Tab) copyCell() effect.Effect {
	return effect.Copy{Text: t.ledger.CopyCell(), What: "the cell"}
}

func (t *Tab) copyRow() effect.Effect {
	return effect.Copy{Text: t.ledger.CopyRow(), What: "the row", Whole: t.ledger.Whole()}
}

func (t *Tab) copySerials() effect.Effect {
	r, _ := t.ledger.Selected()
	return effect.Copy{
		Text: strings.Join(r.Answer.SerialNumbers, "\n"),
		What: model.Count(len(r.Answer.SerialNumbers), "serial number", "serial numbers"),
	}
}

func (t *Tab) openCertificate() effect.Effect {
	r, _ := t.ledger.Selected()
	return effect.Open{URL: r.Answer.CertificateURL}
}

func (t *Tab) download() effect.Effect {
	r, _ := t.ledger.Selected()
	return t.thenRefresh(t.certificates.download(r))
}

func (t *Tab) downloadTo() effect.Effect {
	r, _ := t.ledger.Selected()
	return t.certificates.askDirectory(r)
}

func (t *Tab) saveIn(d directoryTyped) effect.Effect {
	t.certificates.choose(d.path)
	r, there := t.ledger.Find(d.id)
	if !there {
		return nil
	}
	return t.thenRefresh(t.certificates.save(r))
}

func (t *Tab) readStatement() effect.Effect {
	return openStatement(t.view, t.o.ReadBooks, t.o.SaveBook)
}

func (t *Tab) whyNoStatement() string {
	if t.o.ReadBooks == nil {
		return "Statements cannot be made here."
	}
	return ""
}

func (t *Tab) verified(e session.VerifiedEvent) effect.Effect {
	r, there := t.ledger.Find(e.ID)
	if !there {
		return nil
	}
	return t.thenRefresh(t.certificates.verified(e, r.Certificate.SHA256))
}

// wrongFile looks at the file that was saved for a request, and says what speaks
// against it; empty for nothing.
func wrongFile(r ledger.Row) string {
	switch now := session.VerifyFile(r.Certificate.Path, r.Certificate.SHA256); {
	case now != session.Unchanged:
		_, phrase := details.FileStatusPhrase(now)
		return phrase
	case r.FileStatus == session.Superseded:
		_, phrase := details.FileStatusPhrase(r.FileStatus)
		return phrase
	}
	return ""
}

func (t *Tab) showCertificate() effect.Effect {
	r, _ := t.ledger.Selected()
	p := &previewPanel{title: "Certificate of " + r.Name(), hidden: t.details.HiddenTaxIDs()}
	if r.Answer != nil && r.Answer.CertificateURL != "" {
		p.elsewhere = effect.Open{URL: r.Answer.CertificateURL}
	}
	t.session.CheckCertificateFile(r.ID)
	return t.viewer.open(t.view.Context, p, r.Certificate.Path, func() string { return wrongFile(r) })
}
