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

// records fills in the form of an observation. An empty text leaves its field as it is.
func records(address, serials, page string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		r.Press("V")
		for _, text := range [...]string{address, serials, page} {
			if text != "" {
				r.Press("ctrl+u")
				r.Run(r.Panel.Paste(tea.PasteMsg{Content: text}))
			}
			r.Press("tab")
		}
		r.Press("enter")
	}
}

// observed checks the number of observations and the subject of the last one.
func observed(n int, subject string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if got := r.feed.Told.Observations; len(got) != n || n > 0 && got[n-1].Subject != subject {
			r.T.Errorf("recorded %+v, want %d, the last of %q", got, n, subject)
		}
	}
}

func leaves(r *robot) { r.tab.Handle(tab.Hidden{}) }

const (
	oneBlock, otherBlock = "ACR-FR-1129-2025-2917-1 to 100", "ACR-FR-1129-2025-3000-1 to 50"
	serialPage           = "https://registry.example/serial"
)

// annotationJourneys start with an empty ledger of the user ada.
var annotationJourneys = uitest.Journeys[*robot]{
	"an observation needs a confirmed address": {
		{Do: finds(request(retirement.Complete)), Sees: "no sighting on the registry is recorded; V records one|https://registry.example/003bale"},
		{Do: records("http://insecure.example", "", ""), Sees: "ot an https address"},
		{Keys: "esc", Do: records("", "", ""), Sees: "https://registry.example/003bale|Did you see the page yourself?"},
		{Do: observed(0, "")},
		{Keys: "enter", Do: hears("Recorded: ada saw it at https://registry.example/003bale."), Sees: "✓ seen by ada, 2 Nov 2026 09:14 UTC, https://registry.example/003bale"},
		{Do: records("", "", "")},
		{Keys: "enter", Do: hears("Already recorded")},
		{Do: records(serialPage, "1 to 2", ""), Sees: "has no such serial numbers"},
		{Keys: "esc enter } } }", Do: records("https://registry.example/all", "", "")},
		{Do: observed(2, verra)},
	},
	"an observation has part of the serial numbers and a saved page": {
		{Do: finds(request(retirement.Complete))},
		{Do: func(r *robot) {
			page := filepath.Join(r.T.TempDir(), "page.html")
			records(serialPage, "940082960 to 940082969", page)(r)
			r.Sees("Cannot read the saved page: ")
			if err := os.WriteFile(page, []byte("<html>"), 0o600); err != nil {
				r.T.Fatal(err)
			}
		}},
		{Keys: "enter", Sees: "✓ seen by ada, 2 Nov 2026 09:14 UTC, 940,082,960 to 940,082,969, https://", Do: func(r *robot) {
			want := retirement.Observation{
				Subject: strings.Replace(verra, "940082955-940097954", "940082960-940082969", 1), At: r.Now, Who: "ada", URL: serialPage,
				Page: "page.html", PageSHA256: "b7d082ee12e91b756ea22e8513b8594eebcf5d39fab813da3cb55794dc888ad7",
			}
			if got := r.feed.Told.Observations; len(got) != 1 || got[0] != want {
				r.T.Errorf("recorded %+v, want %+v", got, want)
			}
		}},
	},
	"an observation needs a found request and a name": {
		{Do: pastes(sampleID)},
		{Keys: "V", Do: hears("Only a request that was found can be recorded as seen.")},
		{Do: func(r *robot) { r.found(request(retirement.Complete)); r.tab.o.Who = "" }},
		{Keys: "V", Do: hears("Your name is unknown")},
	},
	"ambiguous serial numbers need their block": {
		{Do: finds(request(retirement.Complete, func(a *retirement.Request) { a.SerialNumbers = []string{oneBlock, otherBlock} }))},
		{Do: records(serialPage, "1 to 10", ""), Sees: "Several blocks have these numbers."},
		{Do: observed(0, "")},
		{Keys: "esc", Do: records(serialPage, "51 to 60", "")},
		{Do: observed(1, "ACR-FR-1129-2025-2917-51 to 60")},
		{Do: records(serialPage, "ACR-FR-1129-2025-3000-1 to 10", "")},
		{Do: observed(2, "ACR-FR-1129-2025-3000-1 to 10")},
		{Do: records(serialPage, otherBlock, "")},
		{Do: observed(3, otherBlock)},
		{Keys: "enter } } } j", Do: records(serialPage, "1 to 20", "")},
		{Do: observed(4, "ACR-FR-1129-2025-3000-1 to 20")},
	},
	"the form of a remote user has no local file": {
		{Do: finds(request(retirement.Complete))},
		{Keys: "enter } } } V enter", Do: func(r *robot) { uitest.Golden(r.T, "seen", r.box(80, 24)) }},
		{Keys: "esc", Do: func(r *robot) { r.View.Shared = true }},
		{Keys: "V", Lacks: "saved page"},
	},
	"the registry page of a serial number is opened": {
		{Keys: "O", Do: hears("This request has no known registry page.")},
		{Do: finds(request(retirement.Complete, func(a *retirement.Request) {
			a.ProjectID = "unknown"
			a.SerialNumbers = []string{"ACR-FR-1129-2025-2917-1 to 10000", "ACR-FR-1130-2025-2917-1 to 5000", "REGISTRY-OF-NOWHERE/1..5000"}
		}))},
		{Keys: "O enter } } } j O j", Line: "REGISTRY-OF-NOWHERE|REGISTRY-OF-NOWHERE/1..5000", Do: func(r *robot) {
			const page = "https://acr2.apx.com/mymodule/reg/prjView.asp?id1="
			if len(r.Opened) != 2 || r.Opened[0] != page+"1129" || r.Opened[1] != page+"1130" {
				r.T.Errorf("opened %q", r.Opened)
			}
			frame := r.FrameAt(160, 60)
			if n := strings.Count(frame, "\x1b]8;;"); n != 2*(2+1+1) {
				r.T.Errorf("%d link sequences in the frame: an unparsed serial number is linked", n)
			}
			if n := strings.Count(frame, "\x1b]8;;"+page+"1130\x1b\\"); n != 1 {
				r.T.Errorf("the serial number is linked %d times", n)
			}
			uitest.Sound(r.T, frame)
		}},
	},
	"a changed request is marked until it is viewed": {
		{Do: finds(uitest.Retirement(idB, retirement.Complete), uitest.Retirement(idA, retirement.Closed))},
		{Keys: "G", Do: leaves},
		{Do: func(r *robot) {
			r.answered(uitest.Answer{ID: idA, Retirement: uitest.Retirement(idA, retirement.InProgress), At: r.Now})
			r.enters()
		}, Sees: "●  " + idA},
		{Keys: "g g", Lacks: "●  " + idA, Sees: "● changed since you last looked: CLOSED → IN PROGRESS", Do: calls("look at "+idA, 1)},
		{Keys: "j k", Lacks: "since you looked last", Do: leaves},
		{Do: func(r *robot) {
			r.Hear(session.LedgerEvent{Requests: []*session.Request{{ID: idA, Looked: retirement.Closed, Answer: uitest.Retirement(idA, retirement.Complete)}}})
			if r.tab.Info().Badge == "" {
				r.T.Error("no badge for an unseen change after a restart")
			}
		}},
	},
}

func TestAnnotationJourneys(t *testing.T) {
	t.Parallel()
	annotationJourneys.Each(t, func(t testing.TB) *robot {
		return newRobot(t, Options{Who: "ada", Safe: func(url string) (string, error) { return url, nil }})
	})
}
