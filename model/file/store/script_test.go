package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/attribute"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

// TestStore runs the scripts of testdata: commands, each followed by its output. The last word of a command may be its
// time: an @ and the duration since noon.
func TestStore(t *testing.T) {
	texttest.Run(t, "*", func(t *testing.T, text string) string {
		s := &script{fixture: fresh(t)}
		return texttest.Commands(text, func(command string, words ...string) []string {
			s.at = noon
			if last := len(words) - 1; last >= 0 && strings.HasPrefix(words[last], "@") {
				s.at = noon.Add(duration(words[last][1:]))
				words = words[:last]
			}
			return s.run(command, words)
		})
	})
}

type script struct {
	*fixture
	at time.Time
}

func (s *script) run(command string, words []string) []string {
	if show, ok := shows[command]; ok {
		return show(s, words)
	}
	act, known := acts[command]
	must.Need(s, known, "no command", command)
	if err := act(s, words); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func duration(text string) time.Duration {
	if text == "" {
		return 0
	}
	return must.Get(time.ParseDuration(text))
}

var vintages = map[string]model.VintageKey{"bale": bale, "wind": wind}

// since reads the time of a word that may be missing.
func since(words []string) time.Time {
	if len(words) == 0 {
		return time.Time{}
	}
	return noon.Add(duration(words[0]))
}

// ruleOf reads a rule on a vintage, on a request, or on any of them.
func ruleOf(words []string) alert.Rule {
	text := strings.Join(words[1:], " ")
	if key, ok := vintages[words[0]]; ok {
		return rule(text).On(key)
	}
	return must.Get(alert.ParseRequestRule(text)).OnRequest(strings.Trim(words[0], "*"))
}

func each[T, R any](all []T, what func(T) R) (results []R) {
	for _, one := range all {
		results = append(results, what(one))
	}
	return results
}

func show[T any](value T) string { return texttest.Show(value) }

// shown returns the values of a map in the order of its keys.
func shown[V any](all map[string]V) (lines []string) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, key+" "+show(all[key]))
	}
	return lines
}

func clock(t time.Time) string { return t.UTC().Format("Jan 2 15:04:05.999") }

func prices(all ...model.PriceCents) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), "-1", "?")
}

// pair reads a number, and another that may follow a stroke. A number that is not there, or a question mark, is not
// known.
func pair(word string) (a, b model.PriceCents) {
	first, second, _ := strings.Cut(word, "/")
	return price(first), price(second)
}

func price(text string) model.PriceCents {
	if n, err := model.ParseDigits(text); err == nil {
		return model.PriceCents(n)
	}
	return model.UnknownPrice
}

func ruleText(r alert.Rule) string {
	return strings.TrimSpace(r.Vintage.VintageID+r.Request) + " " + r.String()
}

func alertText(a Alert) string {
	was, is := prices(a.Was.BestAsk, a.Was.LastPaid), prices(a.Facts.BestAsk, a.Facts.LastPaid)
	if a.Request != "" {
		was, is = string(a.Was.Status), string(a.Facts.Status)
	}
	text := fmt.Sprintf("%d %s: %s → %s", a.ID, ruleText(a.Rule), was, is)
	if !a.Since.IsZero() {
		text += " since " + clock(a.Since)
	}
	if a.Already {
		text += " already"
	}
	if a.Seen {
		text += " seen"
	}
	return text
}

// acts are the commands without an output, unless they fail.
var acts = map[string]func(s *script, words []string) error{
	"service": func(s *script, words []string) error {
		s.Origin = s.Of(words[0])
		return nil
	},
	"old": func(s *script, words []string) error {
		old(s.T, s.path, must.Get(strconv.Atoi(words[0])))
		return nil
	},
	"reopen": func(s *script, _ []string) error {
		s.reopen()
		return s.Problem()
	},
	"fail": func(s *script, _ []string) error {
		s.fixture.fail()
		return nil
	},
	"bound": func(s *script, words []string) error {
		s.Bound(must.Get(strconv.Atoi(words[0])))
		return nil
	},

	"remember": func(s *script, words []string) error { return s.Ledger.Remember(s.Context(), s.at, words...) },
	"remove":   func(s *script, words []string) error { return s.Ledger.Remove(s.Context(), words...) },
	"answer": func(s *script, words []string) error {
		r := &retirement.Request{ID: words[0], Status: retirement.Status(words[1])}
		return s.Ledger.Record(s.Context(), LookUp{ID: r.ID, At: s.at, Answer: r})
	},
	"miss": func(s *script, words []string) error {
		return s.Ledger.Record(s.Context(), LookUp{ID: words[0], At: s.at, Error: strings.Join(words[1:], " ")})
	},
	"label": func(s *script, words []string) error {
		return s.Ledger.SetLabel(s.Context(), words[0], strings.Join(words[1:], " "), s.at)
	},
	"certificate": func(s *script, words []string) error {
		return s.Ledger.SetCertificate(s.Context(), words[0], retirement.Certificate{Path: words[1], FetchedAt: s.at})
	},
	"look": func(s *script, words []string) error {
		return s.Ledger.Look(s.Context(), words[0], retirement.Status(strings.Join(words[1:], "")))
	},
	"references": func(s *script, words []string) error {
		return s.Ledger.KeepReferences(s.Context(), map[string][]string{words[0]: words[1:]})
	},

	// Prices of a vintage from minute to minute.
	"observe": func(s *script, words []string) (err error) {
		for n, word := range words[1:] {
			ask, tonnes := pair(word)
			seen := Observation{vintages[words[0]], s.at.Add(minutes(n)), ask, max(model.Grams(tonnes), 1) * 1e6}
			err = errors.Join(err, s.History.Observe(s.Context(), []Observation{seen}))
		}
		return err
	},
	"saw": func(s *script, _ []string) error { return s.History.Saw(s.Context(), s.at) },
	"value": func(s *script, words []string) error {
		points := each(words, func(word string) ValuePoint { return valued(s.at.Sub(noon), model.Cents(price(word))) })
		return s.History.KeepValues(s.Context(), points...)
	},

	"watch":   func(s *script, words []string) error { return s.Alerts.Watch(s.Context(), vintages[words[0]], true) },
	"unwatch": func(s *script, words []string) error { return s.Alerts.Watch(s.Context(), vintages[words[0]], false) },
	"rule":    func(s *script, words []string) error { return s.Alerts.AddRule(s.Context(), ruleOf(words)) },
	"unrule":  func(s *script, words []string) error { return s.Alerts.RemoveRule(s.Context(), ruleOf(words)) },

	"see": func(s *script, words []string) error {
		return s.Alerts.See(s.Context(), must.Get(strconv.ParseInt(words[0], 10, 64)), len(words) > 1)
	},

	"project": func(s *script, words []string) error {
		return s.Cache.PutProjects(s.Context(), []model.Project{{ID: words[0], Name: words[1], SDGs: words[2:]}}, s.at)
	},
	"snapshot": func(s *script, words []string) error {
		return s.Cache.PutSnapshot(s.Context(), words[0], words[1], s.at, []byte(words[2]))
	},
	"choose": func(s *script, words []string) error {
		return s.Cache.SetChoice(s.Context(), words[0], strings.Join(words[1:], " "))
	},
	"fact": func(s *script, words []string) error {
		fact := labelled
		fact.Scope, fact.ID, fact.Source = attribute.Scope(words[0]), words[1], words[2]
		fact.Value = strings.Join(words[3:], " ")
		return s.Annotations.PutFacts(s.Context(), []attribute.Fact{fact})
	},
	"page": func(s *script, words []string) error {
		page := retirement.Observation{Subject: words[0], At: s.at, Who: "Ann", URL: words[1]}
		return s.Annotations.AddObservation(s.Context(), page)
	},
}

// shows are the commands with an output.
var shows = map[string]func(s *script, words []string) []string{
	"ledger": func(s *script, _ []string) []string {
		return each(must.Get(s.Ledger.Entries(s.Context())), show)
	},
	"journaled": func(s *script, words []string) []string {
		return []string{fmt.Sprint(must.Get(s.Ledger.RememberJournaled(s.Context(), s.at, words...)))}
	},
	"find": func(s *script, words []string) []string {
		return must.Get(s.Ledger.WithReference(s.Context(), words[0]))
	},
	"states": func(s *script, _ []string) []string { return shown(must.Get(s.Ledger.States(s.Context()))) },

	"prices": func(s *script, words []string) []string {
		var line []string
		for _, o := range must.Get(s.History.Prices(s.Context(), vintages[words[0]], since(words[1:]))) {
			if line = append(line, prices(o.BestAsk)); o.Available > 1e6 {
				line = append(line, "of", o.Available.FormatTonnes())
			}
		}
		return []string{strings.Join(line, " ")}
	},
	"asks": func(s *script, _ []string) []string {
		asks, since, err := s.History.AsksAt(s.Context(), s.at)
		must.Succeed(s, err)
		return []string{fmt.Sprintf("bale %d wind %d since %s", asks[bale], asks[wind], clock(since))}
	},
	"trends": func(s *script, words []string) []string {
		trends := must.Get(s.History.Trends(s.Context(), since(words), since(words[1:]), must.Get(strconv.Atoi(words[2]))))
		return []string{"bale " + prices(trends[bale]...) + " wind " + prices(trends[wind]...)}
	},
	"gaps": func(s *script, words []string) []string {
		gaps := must.Get(s.History.Gaps(s.Context(), since(words)))
		return each(gaps, func(g Gap) string { return clock(g.From) + " to " + clock(g.Until) })
	},
	"last": func(s *script, _ []string) []string {
		last, at, err := s.History.LastSeen(s.Context())
		must.Succeed(s, err)
		return []string{clock(at), show(last[bale]), show(last[wind])}
	},
	"values": func(s *script, words []string) []string {
		return each(must.Get(s.History.Values(s.Context(), since(words))), show)
	},

	"watched": func(s *script, _ []string) (keys []string) {
		for key := range must.Get(s.Alerts.Watched(s.Context())) {
			keys = append(keys, key.VintageID)
		}
		slices.Sort(keys)
		return keys
	},
	"rules": func(s *script, _ []string) []string { return each(must.Get(s.Alerts.Rules(s.Context())), ruleText) },
	// Without a price, it checks the rules on requests.
	"check": func(s *script, words []string) []string {
		var facts func(model.VintageKey) alert.Facts
		if len(words) > 0 {
			ask, paid := pair(words[0])
			facts = func(model.VintageKey) alert.Facts { return alert.Facts{BestAsk: ask, LastPaid: paid, Available: 5e6} }
		}
		return each(must.Get(s.Alerts.Check(s.Context(), s.at, facts)), alertText)
	},
	"alerts": func(s *script, words []string) []string {
		after := must.Get(strconv.ParseInt("0"+strings.Join(words, ""), 10, 64))
		return each(must.Get(s.Alerts.After(s.Context(), after)), alertText)
	},
	"holding": func(s *script, _ []string) []string { return each(must.Get(s.Alerts.Holding(s.Context())), alertText) },

	"projects": func(s *script, _ []string) []string { return shown(must.Get(s.Cache.Projects(s.Context()))) },
	"stale":    func(s *script, _ []string) []string { return shown(must.Get(s.Cache.StaleProjects(s.Context(), s.at))) },
	"read": func(s *script, words []string) []string {
		body, at, err := s.Cache.Snapshot(s.Context(), words[0], words[1])
		must.Succeed(s, err)
		return []string{fmt.Sprintf("%q of %s", body, clock(at))}
	},
	"choices": func(s *script, _ []string) []string { return shown(must.Get(s.Cache.Choices(s.Context()))) },
	"facts": func(s *script, _ []string) []string {
		return each(must.Get(s.Annotations.Facts(s.Context())), show)
	},
	"pages": func(s *script, _ []string) []string {
		return each(must.Get(s.Annotations.Observations(s.Context())), show)
	},
}
