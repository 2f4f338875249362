package retirement

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func TestObservationNeedsConfirmedAddress(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{Who: "ada", Safe: func(string) (string, error) { return "host", nil }}).with(request(retirement.Complete))
	r.Sees("no sighting on the registry is recorded; V records one", "https://registry.example/003bale")
	const offered, none = "https://registry.example/003bale", "\x00"
	first := request(retirement.Complete).SerialNumbers[0]
	fill := func(address, serials, page string) {
		t.Helper()
		r.Press("V")
		for _, text := range [...]string{address, serials, page} {
			if text != none {
				r.Press("ctrl+u")
				r.Run(r.Panel.Paste(tea.PasteMsg{Content: text}))
			}
			r.Press("tab")
		}
		r.Press("enter")
	}
	fill("http://insecure.example", none, none)
	r.shows(76, 20, "ot an https address")
	r.Press("esc")
	fill(none, none, none)
	if box := r.box(76, 20); !strings.Contains(box, offered) || !strings.Contains(box, "Did you see the page yourself?") || len(r.feed.Told.Observations) > 0 {
		t.Errorf("the proposed address needs no confirmation:\n%s", box)
	}
	r.Press("enter")
	r.hears("Recorded: ada saw it at " + offered + ".")
	r.Sees("✓ seen by ada, 2 Nov 2026 09:14 UTC, " + offered)
	fill(none, none, none)
	r.Press("enter")
	if r.hears("Already recorded"); len(r.feed.Told.Observations) != 1 {
		t.Errorf("a repetition is recorded: %+v", r.feed.Told.Observations)
	}
	fill("https://registry.example/serial", "1 to 2", none)
	r.shows(76, 20, "has no such serial numbers")
	r.Press("esc")

	page := filepath.Join(t.TempDir(), "page.html")
	fill("https://registry.example/serial", "940082960 to 940082969", page)
	r.shows(76, 20, "Cannot read the saved page: ")
	if err := os.WriteFile(page, []byte("<html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Press("enter")
	want := retirement.Observation{
		Subject: strings.Replace(first, "940082955-940097954", "940082960-940082969", 1), At: r.Now, Who: "ada", URL: "https://registry.example/serial",
		Page: "page.html", PageSHA256: "b7d082ee12e91b756ea22e8513b8594eebcf5d39fab813da3cb55794dc888ad7",
	}
	if got := r.feed.Told.Observations; len(got) != 2 || got[1] != want {
		t.Errorf("recorded %+v, want %+v", got, want)
	}
	r.Sees("✓ seen by ada, 2 Nov 2026 09:14 UTC, 940,082,960 to 940,082,969, https://")
	r.Press("enter", "}", "}", "}")
	fill("https://registry.example/all", none, none)
	if r.asked("seen "+first+" by ada at https://registry.example/all") != 1 {
		t.Errorf("calls of the session: %q", r.feed.Asked)
	}

	r = newRobot(t, Options{})
	r.paste(sampleID)
	r.Press("V")
	r.hears("Only a request that was found can be recorded as seen.")
	r.found(request(retirement.Complete))
	r.Press("V")
	r.hears("Your name is unknown")
}

func TestRegistryPageOfSerialIsOpenedAndLinked(t *testing.T) {
	t.Parallel()
	safe := func(url string) (string, error) { return url, nil }
	r := newRobot(t, Options{Safe: safe})
	r.Press("O")
	r.hears("This request has no known registry page.")
	r.paste(sampleID)
	r.found(request(retirement.Complete, func(a *retirement.Request) {
		a.ProjectID = "unknown"
		a.SerialNumbers = []string{"ACR-FR-1129-2025-2917-1 to 10000", "ACR-FR-1130-2025-2917-1 to 5000", "REGISTRY-OF-NOWHERE/1..5000"}
	}))
	const page = "https://acr2.apx.com/mymodule/reg/prjView.asp?id1="
	r.Press("O", "enter", "}", "}", "}", "j", "O")
	if len(r.Opened) != 2 || r.Opened[0] != page+"1129" || r.Opened[1] != page+"1130" {
		t.Errorf("opened %q", r.Opened)
	}
	r.Press("j")
	r.LineHas("REGISTRY-OF-NOWHERE", "REGISTRY-OF-NOWHERE/1..5000")
	frame := r.FrameAt(160, 60)
	if n := strings.Count(frame, "\x1b]8;;"); n != 2*(2+1+1) {
		t.Errorf("%d link sequences in the frame: an unparsed serial number is linked", n)
	}
	if n := strings.Count(frame, "\x1b]8;;"+page+"1130\x1b\\"); n != 1 {
		t.Errorf("the serial number is linked %d times", n)
	}
	uitest.Sound(t, frame)
}

func TestChangedRequestIsMarkedUntilViewed(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste(idA + " " + idB)
	r.found(uitest.Retirement(idA, retirement.Closed), uitest.Retirement(idB, retirement.Complete))
	r.Press("G")
	r.tab.Handle(tab.Hidden{})
	r.answered(uitest.Answer{ID: idA, Retirement: uitest.Retirement(idA, retirement.InProgress), At: r.Now})
	r.enters()
	r.Sees("●  " + idA)
	r.Press("g", "g")
	r.SeesNot("●  " + idA)
	r.Sees("● changed since you last looked: CLOSED → IN PROGRESS")
	if r.asked("look at "+idA) != 1 {
		t.Errorf("calls of the session: %q", r.feed.Asked)
	}
	r.Press("j", "k")
	r.SeesNot("since you looked last")

	r.tab.Handle(tab.Hidden{})
	r.Hear(session.LedgerEvent{Requests: []*session.Request{{ID: idA, Looked: retirement.Closed, Answer: uitest.Retirement(idA, retirement.Complete)}}})
	if r.tab.Info().Badge == "" {
		t.Error("no badge for an unseen change after a restart")
	}
}

func TestObservationFormFits(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{Who: "ada"}).with(request(retirement.Complete))
	r.Press("enter", "}", "}", "}", "V", "enter")
	uitest.Golden(t, "seen", r.box(80, 24))
	r.Press("esc")
	r.View.Shared = true
	r.Press("V")
	if box := r.box(80, 24); strings.Contains(box, "saved page") {
		t.Errorf("a remote user is asked for a local file:\n%s", box)
	}
}

func TestAmbiguousSerialNumbersNeedTheirBlock(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{Who: "ada"})
	r.paste(sampleID)
	const one, other = "ACR-FR-1129-2025-2917-1 to 100", "ACR-FR-1129-2025-3000-1 to 50"
	r.found(request(retirement.Complete, func(a *retirement.Request) { a.SerialNumbers = []string{one, other} }))
	record := func(serials string) {
		r.Press("V", "ctrl+u")
		r.Run(r.Panel.Paste(tea.PasteMsg{Content: "https://registry.example/serial"}))
		r.Press("tab", "ctrl+u")
		r.Run(r.Panel.Paste(tea.PasteMsg{Content: serials}))
		r.Press("enter")
	}
	record("1 to 10")
	if box := r.box(76, 20); !strings.Contains(box, "Several blocks have these numbers.") || len(r.feed.Told.Observations) > 0 {
		t.Errorf("an ambiguous number is accepted:\n%s", box)
	}
	r.Press("esc")
	for typed, want := range map[string]string{
		"51 to 60": "ACR-FR-1129-2025-2917-51 to 60", "ACR-FR-1129-2025-3000-1 to 10": "ACR-FR-1129-2025-3000-1 to 10", other: other,
	} {
		record(typed)
		if got := r.feed.Told.Observations; len(got) == 0 || got[len(got)-1].Subject != want {
			t.Errorf("%s: recorded %+v, want %s", typed, got, want)
		}
	}
	r.Press("enter", "}", "}", "}", "j")
	record("1 to 20")
	if got := r.feed.Told.Observations; got[len(got)-1].Subject != "ACR-FR-1129-2025-3000-1 to 20" {
		t.Errorf("the selected block is not preferred: %+v", got)
	}
}
