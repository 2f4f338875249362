package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/attribute"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const origin = "https://market.example"

// TestSession runs the scripts of testdata: commands, each followed by its output in lines that
// begin with "> ". See commands for what there is. Time passes only in wait.
func TestSession(t *testing.T) {
	t.Parallel()
	texttest.Run(t, "*", runScript)
}

func runScript(t *testing.T, text string) (with string) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &script{t: t, service: newFake(), dir: dir, sessions: make(map[string]*running),
			file: sharesFile.MatchString(text)}
		with = texttest.Commands(text, func(command string, args ...string) []string {
			do, known := commands[command]
			must.Need(t, known, "no command", command)
			if len(args) == 0 || args[0] != "-times" {
				return do(s, args)
			}
			output := do(s, args[1:])
			for i := range output {
				output[i] = exact.ReplaceAllString(output[i], "…")
			}
			return output
		})
		s.close()
	})
	return with
}

// exact are the times and generations that -times leaves out, because they depend on a random pause.
var exact = regexp.MustCompile(`-?(\d+h)?(\d+m)?\d+s|#\d+`)

// sharesFile matches scripts with a second session, and those that open the file of the store.
var sharesFile = regexp.MustCompile(`(?m)^(sql|named|worth|snapshot|fact|write|mkdir|remember)|^start[^>]*\n(?s:.*)^(start|desk)|^end\n`)

// script is the state of a run: a service, and sessions, one of which the commands are for.
type script struct {
	t       *testing.T
	service *fake
	dir     string
	// file says that the store is a file, and not only in memory.
	file     bool
	ahead    atomic.Int64
	sessions map[string]*running
	me       *running
	desk     *running
	shared   *session.SharedSession
	trouble  []string
}

type running struct {
	*session.Session
	options session.Options
	stop    context.CancelFunc
	ended   chan error
	// requests are those of the ledger as they were last, also if they were removed.
	requests map[string]*session.Request
	// sent are the events that were received, with their text then: no event ever changes.
	sent  []session.Event
	texts []string
}

func (s *script) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func (s *script) path(name string) string { return filepath.Join(s.dir, name) }

// begin makes a session that start runs. Options are record, ledger, portfolio, store=FILE, key=K,
// account=A, every=TIME, journal.
func (s *script) begin(name string, options ...string) *running {
	o := session.Options{Origin: origin, Now: s.now}
	file := "store.db"
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "portfolio":
			o.Portfolio = true
		case "store":
			file = value
		case "key":
			o.KeyMark = value
		case "account":
			o.Account = value
		case "every":
			o.MarketEvery, o.InventoryEvery = duration(value), duration(value)
		case "journal":
			o.Journal = s.service.journal
		}
	}
	path := ""
	if s.file {
		path = s.path(file)
	}
	o.Store = store.Open(path)
	r := &running{options: o, requests: make(map[string]*session.Request)}
	s.sessions[name], s.me = r, r
	return r
}

func (s *script) run(r *running, run func(context.Context) error) {
	ctx, cancel := context.WithCancel(s.t.Context())
	r.stop, r.ended = cancel, make(chan error, 1)
	go func() { r.ended <- run(ctx) }()
}

// end ends a session and returns what is wrong with its events, and how it ended.
func (s *script) end(r *running) (out []string) {
	if r.stop == nil {
		return nil
	}
	began := time.Now()
	r.stop()
	if err := <-r.ended; err != nil {
		out = append(out, "ended: "+err.Error())
	}
	if took := time.Since(began); took >= time.Second {
		out = append(out, "ended after "+took.String())
		time.Sleep(time.Minute)
	}
	for i, e := range r.sent {
		now := s.render(e)
		must.Hold(s.t, now == r.texts[i], "an event that was sent has changed from", r.texts[i], now)
	}
	err := r.options.Store.Close()
	must.Hold(s.t, err == nil, err)
	r.stop = nil
	return out
}

func (s *script) close() {
	for _, r := range s.sessions {
		s.end(r)
	}
	if s.desk != nil {
		s.end(s.desk)
	}
}

// news returns the pending events of the given kinds as text, and drops the others.
func (s *script) news(only []string) (out []string) {
	synctest.Wait()
	ctx, cancel := context.WithCancel(s.t.Context())
	cancel()
	events, err := s.me.Next(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		out = append(out, "no more news: "+err.Error())
	}
	for _, e := range events {
		text := s.render(e)
		s.me.sent, s.me.texts = append(s.me.sent, e), append(s.me.texts, text)
		if kind, _, _ := strings.Cut(text, " "); len(only) == 0 || slices.Contains(only, kind) {
			out = append(out, text)
		}
		if l, ok := e.(session.LedgerEvent); ok {
			for _, r := range l.Requests {
				was := s.me.requests[r.ID]
				must.Hold(s.t,
					was == nil || was.Answer == r.Answer || !r.AnsweredAt.After(was.AnsweredAt) ||
						!reflect.DeepEqual(was.Answer, r.Answer),
					"the equal answer for", r.ID)
				s.me.requests[r.ID] = r
			}
		}
	}
	slices.Sort(out)
	return out
}

// parse reads a rule: on the vintage of P, or after @ on requests, or after @ID on one.
func (s *script) rule(words []string) alert.Rule {
	parse := alert.ParseRule
	subject, onRequests := strings.CutPrefix(words[0], "@")
	if onRequests {
		parse, words = alert.ParseRequestRule, words[1:]
	}
	r := must.Get(parse(strings.Join(words, " ")))
	if onRequests {
		return r.OnRequest(subject)
	}
	return r.On(key("P"))
}

func key(project string) model.VintageKey {
	return model.VintageKey{ProjectID: project, VintageID: "v-" + project}
}

func silent(do func(s *script, args []string)) func(*script, []string) []string {
	return func(s *script, args []string) []string {
		do(s, args)
		return nil
	}
}

var commands map[string]func(s *script, args []string) []string

func init() {
	commands = map[string]func(s *script, args []string) []string{
		// The service: what it answers, when it was called, how often, and how often at once.
		"answer": silent(func(s *script, args []string) {
			operation, answers, _ := strings.Cut(strings.Join(args, " ")+" ", " = ")
			s.service.set(operation, strings.Fields(answers)...)
		}),
		"calls": func(s *script, args []string) (out []string) {
			for _, operation := range args {
				operation = strings.ReplaceAll(operation, "/", " ")
				at := s.service.called(operation)
				for i := range at {
					at[i] = at[i].Truncate(time.Second)
				}
				out = append(out, fmt.Sprint(operation, " ", at))
			}
			return out
		},
		"asked": func(s *script, args []string) []string {
			return []string{strings.Join(s.service.subjects[args[0]], ", ")}
		},
		"count": func(s *script, args []string) []string {
			operation, bounds := strings.Join(args[:len(args)-1], " "), args[len(args)-1]
			least, most, between := strings.Cut(bounds, "..")
			if !between {
				most = least
			}
			n := int64(len(s.service.called(operation)))
			must.Hold(s.t, n >= number(least) && n <= number(most), operation, n, bounds)
			return nil
		},
		"most": func(s *script, args []string) []string {
			return []string{fmt.Sprintf("%s: %d at once", args[0], s.service.most[args[0]])}
		},

		// Sessions: start one, join a desk, end it, use another, and read its news.
		"start": silent(func(s *script, args []string) {
			r := s.begin(args[0], args[1:]...)
			r.Session = session.New(s.service, r.options)
			s.run(r, r.Run)
			if slices.Contains(args, "record") {
				r.Record()
			}
			if slices.Contains(args, "ledger") {
				r.OpenLedger()
			}
		}),
		"desk": silent(func(s *script, args []string) {
			s.desk = s.begin("desk", args...)
			delete(s.sessions, "desk")
			s.desk.options.Trouble = func(err error) { s.trouble = append(s.trouble, kindOf(err)) }
			s.shared = session.NewShared(s.service, s.desk.options)
			s.run(s.desk, s.shared.Run)
		}),
		"sit": silent(func(s *script, args []string) {
			for _, name := range expand(args[0]) {
				r := s.begin(name, append([]string{"store=" + name}, args[1:]...)...)
				r.Session = s.shared.Join(strings.TrimRight(name, "2"), r.options.Store)
				s.run(r, r.Run)
				r.Record()
				r.OpenLedger()
				r.ShowInventory(api.InventoryQuery{Page: 1})
			}
		}),
		"as":   silent(func(s *script, args []string) { s.me = s.sessions[args[0]] }),
		"end":  func(s *script, _ []string) []string { return s.end(s.me) },
		"news": func(s *script, args []string) []string { return s.news(args) },
		"drop": silent(func(s *script, _ []string) { s.news(nil) }),
		"wait": silent(func(s *script, args []string) {
			time.Sleep(duration(args[0]))
			synctest.Wait()
		}),
		"trouble": func(s *script, _ []string) []string { return s.trouble },
		"clock":   silent(func(s *script, args []string) { s.ahead.Store(int64(duration(args[0]))) }),

		// What a user does.
		"record":  silent(func(s *script, _ []string) { s.me.Record() }),
		"ledger":  silent(func(s *script, _ []string) { s.me.OpenLedger() }),
		"pause":   silent(func(s *script, args []string) { s.me.Pause(args[0] == "on") }),
		"focus":   silent(func(s *script, args []string) { s.me.Focus(args[0] == "on") }),
		"hide":    silent(func(s *script, _ []string) { s.me.HideInventory() }),
		"lookup":  silent(func(s *script, args []string) { s.me.LookUp(args[0]) }),
		"remove":  silent(func(s *script, args []string) { s.me.Remove(args...) }),
		"restore": silent(func(s *script, args []string) { s.me.Restore(s.me.requests[args[0]], s.me.requests[args[0]]) }),
		"look":    silent(func(s *script, args []string) { s.me.Look(args[0]) }),
		"label":   silent(func(s *script, args []string) { s.me.SetLabel(args[0], " "+strings.Join(args[1:], " ")+"\x1b ") }),
		"choose":  silent(func(s *script, args []string) { s.me.Choose(args[0], strings.Join(args[1:], " ")) }),
		"watch":   silent(func(s *script, args []string) { s.me.Watch(key(args[0]), true) }),
		"unwatch": silent(func(s *script, args []string) { s.me.Watch(key(args[0]), false) }),
		"rule":    silent(func(s *script, args []string) { s.me.AddRule(s.rule(args)) }),
		"unrule":  silent(func(s *script, args []string) { s.me.RemoveRule(s.rule(args)) }),
		"check":   silent(func(s *script, _ []string) { s.me.CheckRules() }),
		"prices": silent(func(s *script, args []string) {
			var keys []model.VintageKey
			for _, project := range args {
				keys = append(keys, key(project))
			}
			s.me.LoadPrices(keys...)
		}),
		"names": silent(func(s *script, args []string) { s.me.ShowProjects(args) }),
		"save": silent(func(s *script, args []string) {
			s.me.SaveCertificate(args[0], "https://files.example", s.path("files"))
		}),
		"verify":  silent(func(s *script, args []string) { s.me.VerifyCertificate(args[0]) }),
		"recheck": silent(func(s *script, args []string) { s.me.CheckCertificateFile(args...) }),
		"keep": silent(func(s *script, args []string) {
			s.me.KeepCertificate(args[0], retirement.Certificate{Path: s.path("files/" + args[0] + ".pdf"), SHA256: "9f"})
		}),
		"refresh": silent(func(s *script, args []string) {
			s.me.Refresh()
			if len(args) == 2 {
				for range number(args[0]) - 1 {
					time.Sleep(duration(args[1]))
					s.me.Refresh()
				}
			}
		}),
		"page": silent(func(s *script, args []string) {
			q := api.InventoryQuery{Page: int(number(args[0]))}
			for _, arg := range args[1:] {
				switch arg {
				case "SELL", "BUY":
					q.TradeType = portfolio.TradeType(arg)
				case "latest":
					q.TradesPerWallet = 3
				case "filled":
					q.WalletMinQuantity = 1
				}
			}
			s.me.ShowInventory(q)
		}),
		"add": silent(func(s *script, args []string) {
			var entries []session.Entry
			for _, arg := range args {
				ids, label, _ := strings.Cut(arg, "=")
				for _, id := range expand(ids) {
					entries = append(entries, session.Entry{ID: id, Label: label})
				}
			}
			s.me.Add(entries...)
		}),
		"see": silent(func(s *script, args []string) {
			s.me.See(retirement.Observation{Subject: args[0], At: s.now().UTC().Truncate(time.Second), Who: "Ada",
				URL: "https://registry.example/1"})
		}),
		"seen": silent(func(s *script, args []string) { s.me.SeeAlerts(number(args[0]), len(args) > 1) }),

		// Files, and the store as other programs and later runs find it.
		"write": silent(func(s *script, args []string) {
			must.Succeed(s.t, os.WriteFile(s.path(args[0]), []byte(strings.Join(args[1:], " ")), 0o600))
		}),
		"delete": silent(func(s *script, args []string) {
			must.Succeed(s.t, os.RemoveAll(s.path(args[0])))
		}),
		"mkdir": silent(func(s *script, args []string) {
			must.Succeed(s.t, os.Mkdir(s.path(args[0]), 0o700))
		}),
		"sql": silent(func(s *script, args []string) {
			conn, err := sqlite.OpenConn(s.path("store.db"), sqlite.OpenReadWrite)
			if err == nil {
				err = errors.Join(sqlitex.ExecuteTransient(conn, strings.Join(args, " "), nil), conn.Close())
			}
			must.Succeed(s.t, err)
		}),
		"snapshot": silent(func(s *script, args []string) {
			account, body := args[0], strings.Join(args[1:], " ")
			s.stored(func(o *store.Store) error {
				cache := o.Of(account).Cache
				return errors.Join(cache.PutSnapshot(s.t.Context(), "market", "k", s.now(), []byte(body)),
					cache.PutSnapshot(s.t.Context(), "inventory", "k", s.now(), []byte(body)))
			})
		}),
		"named": silent(func(s *script, args []string) {
			s.stored(func(o *store.Store) error {
				return o.Of(origin).Cache.PutProjects(s.t.Context(), []model.Project{{ID: args[0], Name: args[1]}},
					s.now().Add(-duration(args[2])))
			})
		}),
		"worth": silent(func(s *script, args []string) {
			s.stored(func(o *store.Store) error {
				return o.Of(origin).History.KeepValues(s.t.Context(),
					store.ValuePoint{At: s.now().Add(duration(args[0])), Value: portfolio.BookValue{Value: 1}})
			})
		}),
		"fact": silent(func(s *script, args []string) {
			fact := attribute.Fact{
				Scope: attribute.OfVintage, ID: key("P").VintageID, Attribute: attribute.CCP, Value: strings.Join(args, ""),
				Source: "https://icvcm.org/a", Checked: s.now().UTC().Truncate(24 * time.Hour),
			}
			s.stored(func(o *store.Store) error {
				return o.Of(origin).Annotations.PutFacts(s.t.Context(), []attribute.Fact{fact})
			})
		}),
		// remember enters a request in the store of the session itself.
		"remember": silent(func(s *script, args []string) {
			must.Succeed(s.t, s.me.options.Store.Of(origin).Ledger.Remember(s.t.Context(), s.now(), args[0]))
		}),
		"stored": func(s *script, args []string) (out []string) {
			synctest.Wait()
			s.stored(func(o *store.Store) (err error) {
				out, err = s.renderStore(o, args)
				return err
			})
			return out
		},
		// lock keeps the store of the session busy for a time.
		"lock": silent(func(s *script, args []string) {
			alerts := s.me.options.Store.Of(origin).Alerts
			must.Succeed(s.t, alerts.AddRule(s.t.Context(), s.rule([]string{"price", "<", "0.01"})))
			go func() {
				_, _ = alerts.Check(context.WithoutCancel(s.t.Context()), time.Now(), func(model.VintageKey) alert.Facts {
					time.Sleep(duration(args[0]))
					return alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams}
				})
			}()
			synctest.Wait()
		}),
	}
}

// stored opens the file of the store as another program does, or uses that of the session.
func (s *script) stored(do func(*store.Store) error) {
	if !s.file {
		of := s.me
		if s.desk != nil {
			of = s.desk
		}
		must.Succeed(s.t, do(of.options.Store))
		return
	}
	other := store.Open(s.path("store.db"))
	must.Succeed(s.t, do(other), other.Close())
}
