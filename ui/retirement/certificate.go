package retirement

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/ui/paint"
	"tonne/ui/view"
)

// addSavedCertificate says what is known of a file that was saved.
func (t *Tab) addSavedCertificate(*document, *entry) {}

var _ = paint.Text

func (t *Tab) openCertificate() tea.Cmd {
	e, _ := t.selected()
	return view.Send(view.Open{URL: e.answer.CertificateURL})
}

func (t *Tab) downloadCertificate() tea.Cmd {
	e, _ := t.selected()
	t.feed.SaveCertificate(e.id, e.answer.CertificateURL, t.o.CertificateDir)
	return view.Say("Saving the certificate of " + e.name() + " …")
}

// saved tells how a download goes.
func (t *Tab) saved(e feed.CertificateEvent) tea.Cmd {
	switch {
	case e.Err != nil:
		return view.Complain("The certificate was not saved: " + e.Err.Error() + ".")
	case e.Saved != nil:
		return view.Say(fmt.Sprintf("Saved %s, sha256 %s.", e.Saved.Path, shortHash(e.Saved.SHA256)))
	case e.Total > 0:
		return view.Say(fmt.Sprintf("Saving the certificate: %d %%", e.Received*100/e.Total))
	}
	return nil
}

// shortHash is a hash as people compare it at a glance.
func shortHash(hash string) string {
	if len(hash) <= 12 {
		return hash
	}
	return hash[:4] + "…" + hash[len(hash)-4:]
}
