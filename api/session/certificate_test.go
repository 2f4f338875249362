package session_test

import (
	"testing"
	"time"

	"tonne/api"
	"tonne/model/retirement"
)

func TestCertificateIsSavedAndVerifiedByLaterRuns(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.certificate.answers(pages("first").slow(time.Second))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.read()
		me.save("R1")
		me.save("R1")
		wait(500 * time.Millisecond)
		me.expect("certificate R1 0/0", "no ledger")
		wait(time.Second)
		me.expect(
			"certificate R1 5/5 saved",
			"ledger [R1 COMPLETE R1.pdf unchanged]",
		)
		f.certificate.expectCount(f.t, 1)
		me.end()
		second := f.start(with{ledger: true})
		second.expect("ledger [R1 COMPLETE R1.pdf unchanged]")
		second.end()
		f.write("files/R1.pdf", "altered")
		third := f.start(with{ledger: true})
		third.expect("ledger [R1 COMPLETE R1.pdf altered]")
		third.end()
		f.delete("files/R1.pdf")
		fourth := f.start(with{ledger: true})
		fourth.expect("ledger [R1 COMPLETE R1.pdf gone]")
	})
}

func TestProgressOfCertificate(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.certificate.answers(pages("a", "b", "c", "d").slow(100 * time.Millisecond))
		me := f.start(with{})
		me.save("R1")
		wait(250 * time.Millisecond)
		me.expect("certificate R1 200/400")
		wait(time.Second)
		me.expect("certificate R1 4/4 saved")
	})
}

func TestFailedCertificateMayBeSavedAgain(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.certificate.answers(fails(api.ServerError))
		me := f.start(with{})
		me.save("R1")
		me.expect("certificate R1 0/0 (broken)")
		me.save("R1")
		me.expect("certificate R1 0/0 (broken)")
		f.certificate.expectCount(f.t, 2)
	})
}

func TestCertificateSavedElsewhereIsKept(t *testing.T) {
	onDisk(t, func(f *fixture) {
		me := f.start(with{ledger: true})
		me.add("R1")
		me.read()
		me.keep("R1")
		me.keep("R2")
		me.expect("ledger [R1 COMPLETE R1.pdf unchanged]")
		me.end()
		next := f.start(with{ledger: true})
		next.expect("ledger [R1 COMPLETE R1.pdf gone]")
		f.expectStored(`requests [R1 "" COMPLETE at 0s 9f]`)
	})
}

func TestCertificateFileIsCheckedAgain(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.certificate.answers(pages("first"))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.read()
		me.save("R1")
		me.expect("ledger [R1 COMPLETE R1.pdf unchanged]")
		me.CheckCertificateFile("R1")
		me.CheckCertificateFile("R2")
		wait(time.Second)
		me.expect("no ledger")
		f.write("files/R1.pdf", "x")
		me.CheckCertificateFile("R1")
		me.expect("ledger [R1 COMPLETE R1.pdf altered]")
		f.delete("files/R1.pdf")
		me.CheckCertificateFile("R1")
		me.expect("ledger [R1 COMPLETE R1.pdf gone]")
		f.write("files/R1.pdf", "first")
		me.CheckCertificateFile("R1")
		me.expect("ledger [R1 COMPLETE R1.pdf unchanged]")
	})
}

func TestCertificateIsComparedWithTheServedOne(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.certificate.answers(pages("first"))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.read()
		me.save("R1")
		me.expectOnly(
			"certificate R1 5/5 saved",
			"ledger [R1 COMPLETE R1.pdf unchanged]",
		)
		me.VerifyCertificate("R1")
		me.VerifyCertificate("R1")
		me.save("R1")
		me.expectOnly("certificate R1 100/100", "verified R1 unchanged served a793")
		f.certificate.answers(pages("second"))
		me.VerifyCertificate("R1")
		me.expectOnly(
			"certificate R1 100/100",
			"ledger [R1 COMPLETE R1.pdf superseded]",
			"verified R1 superseded served 1636",
		)
		me.CheckCertificateFile("R1")
		wait(time.Second)
		me.expectOnly()
		f.write("files/R1.pdf", "altered")
		me.VerifyCertificate("R1")
		me.expectOnly(
			"certificate R1 100/100",
			"ledger [R1 COMPLETE R1.pdf altered]",
			"verified R1 altered served 1636",
		)
		f.delete("files/R1.pdf")
		me.VerifyCertificate("R1")
		me.expectOnly(
			"certificate R1 6/6 saved",
			"ledger [R1 COMPLETE R1.pdf unchanged]",
		)
	})
}

func TestCertificateIsVerifiedWithoutTheService(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.certificate.answers(pages("first"))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.read()
		me.VerifyCertificate("R1")
		me.expectOnly()
		me.save("R1")
		me.expectOnly(
			"certificate R1 5/5 saved",
			"ledger [R1 COMPLETE R1.pdf unchanged]",
		)
		f.certificate.answers(fails(api.Unreachable))
		me.VerifyCertificate("R1")
		me.expectOnly(
			"certificate R1 0/0",
			"verified R1 unchanged served e3b0 (unreachable)",
		)
	})
}

func TestCertificateChangedByAnotherProgram(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.certificate.answers(pages("first").slow(time.Second))
		here := f.start(with{ledger: true})
		here.add("R1")
		here.save("R1")
		wait(2 * time.Second)
		here.expect("ledger [R1 COMPLETE R1.pdf unchanged] answered R1")
		there := f.start(with{ledger: true})
		there.expectOnly(
			"ledger [R1 COMPLETE R1.pdf unchanged]",
			"market live 2s #1",
			"portfolio live 2s empty",
		)
		wait(time.Second)
		f.certificate.answers(pages("second"))
		there.save("R1")
		there.expect("ledger [R1 COMPLETE R1.pdf unchanged]")
		f.write("files/R1.pdf", "third")
		wait(time.Minute)
		here.expect("ledger [R1 COMPLETE R1.pdf altered]")
	})
}

func (u *user) save(id string) { u.SaveCertificate(id, "https://files.example", u.f.path("files")) }

// keep enters a certificate that another part of the program saved.
func (u *user) keep(id string) {
	u.KeepCertificate(id, retirement.Certificate{Path: u.f.path("files/" + id + ".pdf"), SHA256: "9f"})
}
