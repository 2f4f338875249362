package ui

import (
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"tonne/ui/keymap"
)

// synonyms are words that people try, by the meaning of a binding.
var synonyms = map[string]string{
	"rule":        "alert alarm notify trigger",
	"rules":       "alerts alarms watchlist",
	"alert":       "rule alarm notify",
	"watch":       "follow star favourite favorite bookmark pin",
	"only":        "watched favourites favorites",
	"quote":       "buy cost price calculate",
	"retire":      "offset cancel redeem burn",
	"basket":      "portfolio optimise optimize cheapest",
	"sort":        "order by",
	"filter":      "find search where only",
	"columns":     "fields headings",
	"export":      "save csv xlsx excel json download evidence",
	"copy":        "clipboard yank id",
	"copyrow":     "clipboard yank table",
	"chart":       "graph history prices plot",
	"changes":     "news diff log moves",
	"project":     "details info description",
	"browse":      "open registry web url certificate",
	"units":       "grams tonnes",
	"pause":       "stop freeze resume",
	"refresh":     "reload update poll",
	"theme":       "colours colors dark light mono",
	"profile":     "account tenant switch login",
	"view":        "layout saved",
	"quit":        "exit close",
	"help":        "keys manual",
	"add":         "lookup new request",
	"label":       "name note tag rename",
	"remove":      "delete drop",
	"undo":        "restore revert back",
	"statement":   "report pdf",
	"evidenceall": "zip audit pack",
	"limit":       "history",
	"compare":     "versus side diff",
}

// The scores of a match. A whole name, or a key, is before a word of a name, and that before a word of the help.
const (
	wholeName = 10_000
	wholeKey  = 1_000
	ofName    = 200
	ofHelp    = 50
	// shortest is the least length of a word that matches letters with others between them.
	shortest = 3
)

// rank returns how well a binding of a group matches what is typed, and whether it has every word.
func rank(typed, group string, b keymap.Binding) (score int, matches bool) {
	name := strings.ToLower(b.Meaning())
	names := append(strings.Fields(name+" "+synonyms[name]), name)
	help := strings.ToLower(group + " " + b.Help)
	if name == typed {
		score = wholeName
	}
	for word := range strings.FieldsSeq(typed) {
		best := bestOf(word, names, ofName)
		switch {
		case strings.Contains(help, word):
			best = max(best, ofHelp+len(word))
		case best == 0:
			best = bestOf(word, strings.Fields(help), 0)
		}
		if slices.Contains(b.Keys, word) || strings.ToLower(b.Label()) == word {
			best = max(best, wholeKey)
		}
		if best == 0 {
			return 0, false
		}
		score += best
	}
	return score, true
}

// bestOf returns the score of the text that matches a word best, or 0 if none does.
func bestOf(word string, texts []string, bonus int) (best int) {
	for _, m := range fuzzy.Find(word, texts) {
		if strings.Contains(m.Str, word) || len(word) >= shortest && m.Score > 0 {
			score := m.Score
			if strings.Contains(m.Str, word) {
				score += bonus
			}
			best = max(best, score, 1)
		}
	}
	return best
}
