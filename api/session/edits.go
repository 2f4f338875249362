package session

import (
	"context"
	"slices"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
)

// Watch adds a vintage to the watch list, or removes it with its rules.
func (s *Session) Watch(key model.VintageKey, on bool) {
	s.post(func(l *loop) { l.watch.watch(key, on) })
}

// AddRule adds a rule and its vintage to the watch list. If the session records, the rule is
// checked immediately.
func (s *Session) AddRule(r alert.Rule) {
	s.post(func(l *loop) {
		if l.watch.addRule(r); r.OnRequests() {
			l.alerts.checkRequests()
		} else {
			l.recorder.due = true
		}
	})
}

// RemoveRule deletes a rule. Its vintage stays on the watch list.
func (s *Session) RemoveRule(r alert.Rule) { s.post(func(l *loop) { l.watch.removeRule(r) }) }

// SeeAlerts marks the alerts up to and including an id as seen. If requestsAlone is set, it
// marks only those on retirement requests.
func (s *Session) SeeAlerts(id int64, requestsAlone bool) {
	s.post(func(l *loop) { l.alerts.see(id, requestsAlone) })
}

// Choose saves a display choice of the user for later runs. An empty value deletes it.
func (s *Session) Choose(name, value string) {
	s.post(func(l *loop) {
		if l.choices.choose(name, value); l.recorder.on {
			l.choices.reread()
		}
	})
}

// Add enters requests in the ledger, the last one first, so that the first is the newest.
// Requests that may have changed are looked up, even if the ledger already has them.
func (s *Session) Add(entries ...Entry) { s.post(func(l *loop) { l.ledger.add(entries) }) }

// SetLabel sets the label of a request. It removes invisible characters and cuts the label
// to 80 characters. An empty label removes it.
func (s *Session) SetLabel(id, label string) {
	s.post(func(l *loop) { l.ledger.setLabel(id, plainLabel(label)) })
}

// Remove deletes requests from the ledger.
func (s *Session) Remove(ids ...string) {
	s.post(func(l *loop) {
		l.ledger.remove(func(r *Request) bool { return slices.Contains(ids, r.ID) })
		l.ledger.edited(func(ctx context.Context) error { return l.ledger.kept.Remove(ctx, ids...) })
	})
}

// Restore adds removed requests again, unchanged. It ignores requests that are in the
// ledger.
func (s *Session) Restore(removed ...*Request) {
	s.post(func(l *loop) {
		for _, r := range removed {
			l.ledger.restore(*r)
		}
	})
}

// Look records that the user has seen the current state of a request.
func (s *Session) Look(id string) { s.post(func(l *loop) { l.ledger.look(id) }) }

// See stores an observation of a registry permanently.
func (s *Session) See(seen retirement.Observation) { s.post(func(l *loop) { l.annotations.see(seen) }) }

// SaveCertificate downloads the certificate of a retirement request into a directory.
// CertificateEvents report the progress. If the ledger has the request, it records the path
// and the hash. A call has no effect while the certificate is being saved or verified.
func (s *Session) SaveCertificate(id, url, dir string) {
	s.post(func(l *loop) { l.certificates.save(id, url, dir) })
}

// KeepCertificate adds a certificate file of another program to the ledger.
func (s *Session) KeepCertificate(id string, file retirement.Certificate) {
	s.post(func(l *loop) { l.certificates.keep(id, file) })
}

// VerifyCertificate compares the saved certificate of a request with its recorded hash and
// with the file that the service serves now. A VerifiedEvent reports the result. If the file
// is missing, it is downloaded again. A call has no effect while the certificate is being
// saved or verified.
func (s *Session) VerifyCertificate(id string) { s.post(func(l *loop) { l.certificates.verify(id) }) }

// CheckCertificateFile checks the saved files of these requests again, one at a time and
// before others. A LedgerEvent reports a changed status.
func (s *Session) CheckCertificateFile(ids ...string) {
	s.post(func(l *loop) { l.certificates.checkFirst(ids) })
}
