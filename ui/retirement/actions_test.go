package retirement

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api"
	"tonne/api/audit"
	"tonne/api/audit/reconcile"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/attribute"
	"tonne/model/file/store"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// actions are those of the scripts. The sample is the request with the id sampleID.
var actions = uitest.Actions{
	"pastesIDs": func(r *robot, from, to int, between string) { r.Pastes(manyIDs(from, to, between)) },
	"inGrams":   func(r *robot) { r.View.InGrams = true; r.tab.Handle(tab.UnitChanged{}) },
	"shared":    func(r *robot) { r.View.Shared = true },
	"ada":       func(r *robot) { r.tab.o.Who = "ada" },
	"nobody":    func(r *robot) { r.tab.o.Who = "" },
	// The keys of an action without events of the session between them.
	"unconfirmed": func(r *robot, keys ...string) { r.Robot.Press(keys...) },
	"showColumn":  func(r *robot, name string) { r.tab.panes.ledger.Table.Show(name, true) },

	// Requests and their look-ups.
	"with":    func(r *robot, id string, status retirement.Status) { r.with(uitest.Retirement(id, status)) },
	"answers": func(r *robot, id string, status retirement.Status) { r.found(uitest.Retirement(id, status)) },
	"answerAll": func(r *robot, ids ...string) {
		var all []*retirement.Request
		for _, id := range ids {
			all = append(all, uitest.Retirement(id, retirement.Complete))
		}
		r.found(all...)
	},
	"finds": func(r *robot, status retirement.Status) { r.with(request(status)) },
	"findsFraction": func(r *robot) {
		r.with(request(retirement.Complete, func(a *retirement.Request) { a.Items[1].Quantity = 60 }))
	},
	"findsExtra": func(r *robot) {
		r.with(request(retirement.Complete, func(a *retirement.Request) {
			a.Items[0].Extra = []model.Field{{Name: "external_retiree_id", Value: "C-17"}}
		}))
	},
	"serials": func(r *robot, serials ...string) {
		r.with(request(retirement.Complete, func(a *retirement.Request) { a.SerialNumbers = serials }))
	},
	"tenThousandRanges": func(r *robot) {
		r.with(request(retirement.Complete, func(a *retirement.Request) {
			a.SerialNumbers, a.Extra = nil, []model.Field{{Name: "hold_reason", Value: "none"}}
			for i := range 10_000 {
				a.SerialNumbers = append(a.SerialNumbers,
					fmt.Sprintf("19334-%d-%d-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1", i*2, i*2+1))
			}
		}))
	},
	"ofUnknownProject": func(r *robot, serials ...string) {
		r.with(request(retirement.Complete,
			func(a *retirement.Request) { a.ProjectID, a.SerialNumbers = "unknown", serials }))
	},
	"lookUpFails": func(r *robot, why string) {
		r.answered(uitest.Answer{ID: sampleID, Retirement: request(retirement.Closed), At: r.Now, Err: errors.New(why)})
	},
	"lookUpsFail": func(r *robot) {
		r.answered(
			uitest.Answer{ID: "00mgone0001", Err: &api.Error{Kind: api.NotFound}},
			uitest.Answer{ID: "00mgone0002", Err: &api.Error{Kind: api.NotFound}},
			uitest.Answer{ID: "00maway0001", Err: &api.Error{Kind: api.Unreachable}},
			uitest.Answer{ID: "00mslow0001", Err: &api.Error{Kind: api.ServerError, Status: 500}},
		)
	},
	"twoChange": func(r *robot) {
		r.answered(
			uitest.Answer{ID: "00mone00001", Retirement: uitest.Retirement("00mone00001", retirement.InProgress), At: r.Now},
			uitest.Answer{ID: "00mtwo00001", Retirement: uitest.Retirement("00mtwo00001", retirement.Complete), At: r.Now},
		)
		r.Badge("•")
	},

	"threeFail": func(r *robot) {
		r.answered(
			uitest.Answer{ID: "00maway0001", Err: &api.Error{Kind: api.Unreachable}},
			uitest.Answer{ID: "00mgone0001", Err: &api.Error{Kind: api.NotFound}},
			uitest.Answer{ID: "00mopen0001", Retirement: uitest.Retirement("00mopen0001", retirement.Open), At: r.Now,
				Err: &api.Error{Kind: api.TimedOut}},
		)
	},

	// Events of the session.
	"ledgerUnreadable": func(r *robot, why string) {
		r.Hear(session.LedgerEvent{Requests: r.feed.Requests(), Err: errors.New(why)})
	},
	"unseenChange": sends(session.LedgerEvent{Requests: []*session.Request{
		{ID: idA, Looked: retirement.Closed, Answer: uitest.Retirement(idA, retirement.Complete)},
	}}),
	"noProjects": func(r *robot) { r.View.Projects = nil },
	"projects": func(r *robot, known bool) {
		e := session.ProjectsEvent{}
		if known {
			e.Projects = uitest.Projects()
		}
		r.Hear(e)
	},
	"references": func(r *robot, id string, references ...string) {
		r.journaled(id, retirement.Journaled{References: references})
	},
	"manyReferences": func(r *robot) {
		var all []string
		for n := range 200 {
			all = append(all, fmt.Sprintf("PO-%d", n))
		}
		r.journaled(sampleID, retirement.Journaled{References: all})
	},
	"journaledWhole": func(r *robot) {
		r.journaled(sampleID, retirement.NewJournaled(sampleID, []retirement.JournalEntry{
			{Call: retirement.Call{Quantity: 15_000e6, BuyTonnes: 15_000, Price: 592}, Reference: "PO-4711"},
		}))
	},
	"madeHere": func(r *robot, customer string) {
		r.feed.Add(session.Entry{ID: "00mmade00001"})
		r.Listen()
		r.journaled("00mmade00001", retirement.NewJournaled("00mmade00001", []retirement.JournalEntry{{
			Call: retirement.Call{VintageID: uitest.Key("003bale", 0).VintageID, Quantity: 3e6,
				Retiree: retirement.Retiree{Name: customer}},
			Reference: "PO-12",
		}}))
	},
	"journaledFractions": func(r *robot) {
		r.journaled(sampleID, retirement.Journaled{
			References: []string{"flight-9"}, Quantity: 1_681_911, Moved: 818_089, MovedTo: "00mnext0001", Came: 500_000,
			CameFrom: "00mlast0001",
		})
	},
	"attributes": sends(session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{
		attributed(attribute.OfVintage, uitest.Key("003bale", 0).VintageID, attribute.Methodology, "VM0007"),
		attributed(attribute.OfSerial, "19334-940082955-940083954-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1",
			attribute.CCP, "yes"),
	})}),

	// Observations, certificates, evidence and imports.
	"downloading": sends(session.CertificateEvent{ID: sampleID, Received: 250, Total: 1000}),
	"download":    func(r *robot, content string) { r.downloads(content) },
	"saves":       func(r *robot, content string) { r.Hears("Saved " + r.saveAs(r.T.TempDir(), content)) },
	"fileIs":      func(r *robot, status string) { fileIs(fileStatus[status])(r) },
	"notVerified": verified(session.VerifiedEvent{FileStatus: session.Unchanged, Err: &api.Error{Kind: api.TimedOut}}),
	"checksAddresses": func(r *robot) {
		r.has(Options{Safe: func(string) (string, error) { return "registry.example", nil }})
	},
	"downloadFails": func(r *robot, why string) {
		r.Hear(session.CertificateEvent{ID: sampleID, Err: &api.Error{Kind: api.Refused, Message: why}})
	},
	"forgetProved": func(r *robot) { r.feed.Proved = nil },
	"opened":       func(r *robot, want ...string) { r.Equal("opened", r.Opened, want) },
	"wroteTaxIDs":  func(r *robot) { r.Equal("shown tax ids", r.evidence.files[0].ShowTaxIDs, true) },
	"packs":        func(r *robot) { r.TwoOwners(); r.evidence.written.Certificates = 1 },
	"exists":       func(r *robot) { r.evidence.errors = append(r.evidence.errors, fs.ErrExist) },
	"fails":        func(r *robot, why string) { r.evidence.errors = append(r.evidence.errors, errors.New(why)) },
	"writesWithProblems": func(r *robot) {
		r.evidence.written = audit.Written{LeftOut: 1, Failed: []audit.FailedCheck{
			{Request: "00m1", Check: "certificate_on_file", Detail: "was altered"}, {Request: "00m2", Detail: "not found"},
		}}
	},
	"refusesToReplace": func(r *robot) { r.Equal("number of tries", len(r.evidence.files), 1) },
	"imports":          imports,
	"importsTable":     imports("ids.csv", thirtyLines()),
	"cannotReconcile": func(r *robot) {
		r.tab.o.Reconcile = func(context.Context, []reconcile.Record) (reconcile.Reconciliation, error) {
			return reconcile.Reconciliation{}, errors.New("the service cannot be reached")
		}
	},
	"lookingUp": func(r *robot, id string, want bool) {
		row, _ := r.tab.panes.ledger.Find(id)
		r.Equal("look-up of "+id, row.LookingUp, want)
	},
	"fetching": func(r *robot) { r.Equal("fetching", r.tab.Info().Health.Fetching, true) },

	// Rules.
	"hasRule":      sends(session.WatchlistEvent{Watchlist: session.Watchlist{Rules: []alert.Rule{reached.Rule}}}),
	"firesReached": func(r *robot, met bool) { fires(changed(reached, func(f *store.Alert) { f.Already = met }))(r) },
	"firesFour":    fires(lasting(2, "a"), lasting(3, "b"), lasting(4, "c"), lasting(5, "d")),
	"historySeen": sends(session.AlertsEvent{Alerts: []store.Alert{lasting(3, idB),
		changed(lasting(2, idA), func(f *store.Alert) { f.Seen = true })}}),
	"historyAlready": sends(session.AlertsEvent{Alerts: []store.Alert{changed(lasting(4, idA), already)}}),
	"firesAndLists": sends(session.AlertsEvent{
		Fired:  []store.Alert{lasting(2, "00m1")},
		Alerts: []store.Alert{lasting(2, "00m1"), {Rule: alert.Rule{Vintage: uitest.Key("003bale", 0)}, ID: 1}},
	}),
	"history": func(r *robot, id int64, request string) {
		r.Hear(session.AlertsEvent{Alerts: []store.Alert{lasting(id, request)}})
	},
	"firesSince": func(r *robot, met bool) {
		fires(changed(lasting(2, "00m1"),
			func(f *store.Alert) { f.Since, f.Already = uitest.Now.AddDate(0, 0, -14), met }))(r)
	},

	// Checks of what no text on the screen shows.
	"silent":   func(r *robot) { r.Equal("messages", r.Said, []string(nil)) },
	"saidOnce": func(r *robot) { r.Equal("number of messages", len(r.Said), 1) },
	"neverCalled": func(r *robot, what string) {
		r.Equal("call", strings.Contains("\n"+strings.Join(r.feed.Asked, "\n"), "\n"+what), false)
	},
	"saidTimes": func(r *robot, want int) {
		r.Equal("number of messages", len(r.Said), want)
		r.Equal("an empty message", slices.Contains(r.Said, ""), false)
	},
	"lastCall": func(r *robot, want string) { r.Equal("last call", uitest.LastOf(r.feed.Asked), want) },
	"notifies": func(r *robot, want string) { r.Equal("notification", uitest.LastOf(r.Notified), want) },
	"tracked":  func(r *robot, want int) { r.Equal("number of requests", len(r.feed.Requests()), want) },
	"title":    func(r *robot, want string) { r.Equal("title", r.Panel.Title(), want) },
	"without":  func(r *robot) { r.has(Options{}) },
	"listed":   func(r *robot, want int) { r.Equal("number of shown requests", len(r.shownIDs()), want) },
	"selected": func(r *robot, id string) {
		row, _ := r.tab.panes.ledger.Selected()
		r.Equal("selected request", row.ID, id)
	},
	"copiesAll": func(r *robot, rows int) {
		text, n := r.tab.panes.ledger.CopyAll()
		r.Equal("number of rows", n, rows)
		r.Copied = append(r.Copied, text)
	},
	"copiedCell": func(r *robot) { r.Equal("marked cell", r.tab.panes.ledger.Table.CopyCell(), uitest.LastOf(r.Copied)) },
	"golden":     func(r *robot, name string, width, height int) { uitest.Golden(r.T, name, r.FrameAt(width, height)) },
	"dialog":     func(r *robot, name string, width, height int) { uitest.Golden(r.T, name, r.box(width, height)) },
}

func TestScripts(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(testing.TB) *robot{
		"ledger":  func(t testing.TB) *robot { return newRobot(t, Options{}) },
		"imports": func(t testing.TB) *robot { return newRobot(t, Options{}) },
		"rules":   func(t testing.TB) *robot { return newRobot(t, Options{}) },
		"annotations": func(t testing.TB) *robot {
			return newRobot(t, Options{Who: "ada", Safe: func(url string) (string, error) { return url, nil }})
		},
		"certificates": func(t testing.TB) *robot { return withCertificate(t, Options{CertificateDir: t.TempDir()}) },
		"previews": func(t testing.TB) *robot {
			return withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: reader("/nowhere/pdftotext")})
		},
		// The ledger of a shared session is limited.
		"shared": func(t testing.TB) *robot {
			r := newRobot(t, Options{})
			r.View.Shared = true
			r.has(Options{})
			return r
		},
		"reconcile": func(t testing.TB) *robot {
			return newRobot(t,
				Options{Reconcile: func(_ context.Context, records []reconcile.Record) (reconcile.Reconciliation, error) {
					return reconcile.New(records, []reconcile.Request{{Request: modeltest.Completed()}}), nil
				}})
		},
		// A complete request, a closed one and one that is looked up.
		"evidence": func(t testing.TB) *robot {
			r := newRobot(t, Options{})
			r.has(Options{WriteEvidence: r.evidence.write, CertificateDir: t.TempDir()})
			r.Pastes(idB + " " + sampleID + " " + idA)
			r.found(request(retirement.Complete), uitest.Retirement(idB, retirement.Closed))
			r.Press("j")
			return r
		},
		"statements": func(t testing.TB) *robot {
			r := newRobot(t, Options{})
			r.States("")
			r.Text = func() string { return strings.Join(strings.Fields(r.box(110, 34)), " ") }
			return r
		},
	} {
		uitest.Play(t, name, actions, begin)
	}
}

func sends(news ...session.Event) func(r *robot) { return func(r *robot) { r.Hear(news...) } }

// journaled sends the journal of a request.
func (r *robot) journaled(id string, j retirement.Journaled) {
	r.Hear(session.AnnotationsEvent{Journal: map[string]retirement.Journaled{id: j}})
}

func (r *robot) Labels(id, label string) {
	r.feed.SetLabel(id, label)
	r.Listen()
}

// Calls checks how often the session was called.
func (r *robot) Calls(what string, times int) {
	must.Equal(r.T, r.asked(what), times, what, r.feed.Asked)
}

func (r *robot) Status(want string) { r.Equal("status", r.tab.Info().Status.String(), want) }

func (r *robot) Badge(want string) { r.Equal("badge", r.tab.Info().Badge, want) }

func (r *robot) LedgerHas(ids ...string) {
	var e session.LedgerEvent
	for _, id := range ids {
		e.Requests = append(e.Requests, &session.Request{ID: id})
	}
	r.Hear(e)
}

func attributed(scope attribute.Scope, id string, a attribute.Attribute, value string) attribute.Fact {
	return attribute.Fact{Scope: scope, ID: id, Attribute: a, Value: value, Source: "https://icvcm.example/" + string(a),
		Checked: uitest.Now}
}

// Records fills in the form of an observation. An empty text leaves its field as it is.
func (r *robot) Records(address, serials, page string) {
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

const serialPage = "https://registry.example/serial"

// RecordsPage records part of the serial numbers with a page that is saved at the second try.
func (r *robot) RecordsPage() {
	page := filepath.Join(r.T.TempDir(), "page.html")
	r.Records(serialPage, "940082960 to 940082969", page)
	r.Sees("Cannot read the saved page: ")
	must.Succeed(r.T, os.WriteFile(page, []byte("<html>"), 0o600))
}

func (r *robot) RecordedPage() {
	r.Equal("observations", r.feed.Told.Observations, []retirement.Observation{{
		Subject: strings.Replace(verra, "940082955-940097954", "940082960-940082969", 1), At: r.Now, Who: "ada",
		URL:  serialPage,
		Page: "page.html", PageSHA256: "b7d082ee12e91b756ea22e8513b8594eebcf5d39fab813da3cb55794dc888ad7",
	}})
}

// Observed checks the number of observations and the subject of the last one.
func (r *robot) Observed(n int, subject string) {
	got := r.feed.Told.Observations
	must.Hold(r.T, len(got) == n && (n <= 0 || got[n-1].Subject == subject), "recorded", got, n, subject)
}

func (r *robot) ObservedAt(later time.Duration) {
	r.Equal("number of observations", len(r.feed.Told.Observations), 1)
	r.Equal("time", r.feed.Told.Observations[0].At, uitest.Now.Add(later))
}

// Links counts the beginnings and ends of links in the frame, to any address or to one.
func (r *robot) Links(want int, to ...string) {
	frame := r.FrameAt(160, 60)
	uitest.Sound(r.T, frame)
	link := "\x1b]8;;"
	if len(to) > 0 {
		link += to[0] + "\x1b\\"
	}
	r.Equal("number of links to "+strings.Join(to, ""), strings.Count(frame, link), want)
}

func (r *robot) RemovesFile() {
	request := r.feed.Requests()[0]
	must.Succeed(r.T, os.Remove(request.Certificate.Path))
}

// fileStatus are the states of a saved file by their names in scripts.
var fileStatus = map[string]session.FileStatus{
	"unchanged": session.Unchanged, "altered": session.Altered, "gone": session.Gone, "unreadable": session.Unreadable,
	"superseded": session.Superseded,
}

// Verified acts as a session that verified the certificate, while the service serves the same file or another one.
func (r *robot) Verified(status, served string) {
	sum := sha256.Sum256([]byte("%PDF-1.3 the certificate"))
	digest := hex.EncodeToString(sum[:])
	if served == "other" {
		digest = strings.Repeat("ab", 32)
	}
	verified(session.VerifiedEvent{FileStatus: fileStatus[status], Served: digest})(r)
}

// evidenceWriter records calls and returns each of its errors once.
type evidenceWriter struct {
	files   []audit.File
	errors  []error
	written audit.Written
}

func (f *evidenceWriter) write(_ context.Context, file audit.File) (audit.Written, error) {
	f.files = append(f.files, file)
	if len(f.errors) == 0 {
		f.written.Requests = len(file.Of)
		return f.written, nil
	}
	err := f.errors[0]
	f.errors = f.errors[1:]
	return audit.Written{}, err
}

// Wrote checks the names of all files and the requests in the last one.
func (r *robot) Wrote(names string, ids ...string) {
	var got, of []string
	for n, file := range r.evidence.files {
		got = append(got, filepath.Base(file.Path))
		for _, source := range file.Of {
			if n == len(r.evidence.files)-1 {
				of = append(of, source.Retirement.ID)
			}
		}
	}
	must.Hold(r.T, strings.Join(got, " ") == names && slices.Equal(of, ids), "wrote", got, of, names, ids)
}

func (r *robot) WroteMasked() {
	file := r.evidence.files[0]
	must.Hold(r.T, filepath.Dir(file.Path) == r.tab.certificates.directory && !file.ShowTaxIDs &&
		file.Of[0].ProjectKnown && file.Of[0].Project.Name == "Bale Mountains",
		"wrote", file)
}

// Tight checks that the dialog has one empty line, and its keys in the last one.
func (r *robot) Tight() {
	lines := strings.Split(r.box(76, 20), "\n")
	blank := len(slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.TrimSpace(line) != "" }))
	must.Hold(r.T, blank == 1 && strings.Contains(lines[len(lines)-1], "Esc cancels"), blank, strings.Join(lines, "\n"))
}

// imports writes a file and imports it.
func imports(name, text string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		path := filepath.Join(r.T.TempDir(), name)
		must.Succeed(r.T, os.WriteFile(path, []byte(text), 0o600))
		r.Press("I")
		r.Equal("problem", r.Reply(path), "")
	}
}

// ImportsPath imports a path in an empty directory.
func (r *robot) ImportsPath(name string) {
	r.Reply(filepath.Join(r.T.TempDir(), name))
}

// Exports writes a file, and checks how it begins.
func (r *robot) Exports(name, want string) {
	path := filepath.Join(r.T.TempDir(), name)
	r.Reply(path)
	content, err := os.ReadFile(path)
	must.Hold(r.T, err == nil && strings.HasPrefix(string(content), want), content, err)
}

func manyIDs(from, to int, between string) string {
	var list strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&list, "00m%015d%s", i, between)
	}
	return list.String()
}

// thirtyLines is a table of 28 ids, of which two are repeated.
func thirtyLines() string {
	text := "customer,retirement_request_id,trade\n"
	for i := range 30 {
		text += fmt.Sprintf("Customer %d,00m%015d,00g%015d\n", i, i%28, i)
	}
	return text
}

// lasting returns an alert of a duration rule.
func lasting(id int64, request string) store.Alert {
	return store.Alert{
		Rule:  alert.Rule{Request: request, Measure: alert.State, Status: retirement.Closed, For: 14 * 24 * time.Hour},
		ID:    id,
		At:    uitest.Now,
		Facts: alert.FactsOf(retirement.Closed),
		Was:   alert.FactsOf(retirement.Closed),
	}
}

// changed returns an alert with a change.
func changed(f store.Alert, change func(*store.Alert)) store.Alert {
	change(&f)
	return f
}

func already(f *store.Alert) { f.Already = true }

// fires sends alerts that fire now.
func fires(alerts ...store.Alert) func(r *robot) { return sends(session.AlertsEvent{Fired: alerts}) }

// Tracks adds a labelled request to the ledger.
func (r *robot) Tracks(status retirement.Status) {
	r.feed.Add(session.Entry{ID: "00m1", Label: "Q3 flights"})
	r.found(uitest.Retirement("00m1", status))
}

// Marked checks which of two requests have a mark in the ledger.
func (r *robot) Marked(a, b bool) {
	for id, want := range map[string]bool{idA: a, idB: b} {
		row := r.Line(id)
		must.Equal(r.T, strings.Contains(row, "●"), want, "row marked", !want, row)
	}
}

var reached = store.Alert{Rule: alert.Rule{Request: "00m1", Measure: alert.State, Status: retirement.Complete}, ID: 1,
	Facts: alert.FactsOf(retirement.Complete)}

// Warns checks how the preview begins.
func (r *robot) Warns(text string) {
	box := r.box(100, 20)
	must.Hold(r.T, strings.HasPrefix(box, text), "the preview does not begin with", text, box)
}

// FailuresMarked checks the marks of the requests of threeFail at a size.
func (r *robot) FailuresMarked(width, height int) {
	r.Text = func() string { return ansi.Strip(r.FrameAt(width, height)) }
	r.LineHas("  00maway0001 ", "⚠ ", "not reached")
	r.LineHas("  00mopen0001 ", "⚠ ", "not reached")
	r.LineHas("  00mgone0001 ", "✗ ")
}
