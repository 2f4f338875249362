package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// newLog is the log of the service: text for a person at a terminal, and JSON
// for what reads a file.
func (s *run) newLog() *slog.Logger {
	if terminal.IsTerminal(s.Stderr) {
		return slog.New(slog.NewTextHandler(s.Stderr, nil))
	}
	return slog.New(slog.NewJSONHandler(s.Stderr, nil))
}

// tellNext says which database is served, whether it was made, and what a person
// does next: in words at a terminal, and otherwise as the first record of the
// log.
func (s *run) tellNext(log *slog.Logger, listening net.Addr, tenant string, made bool) {
	database := wire.Clean(databaseName(s.path()))
	login := "tonne auth login --base-url " + connectTo(listening)
	key := s.toMakeAKey(tenant)
	if s.made {
		key = ""
	}
	if terminal.IsTerminal(s.Stderr) {
		s.Say(nextInWords(database, made, key, login))
		return
	}
	log.LogAttrs(context.Background(), slog.LevelInfo, "serving the database "+database, nextAttrs(made, key, login)...)
}

// toMakeAKey is the command that makes a key. The user in an address stays: the
// command is to be copied.
func (s *run) toMakeAKey(tenant string) string {
	return wire.Clean("tonne serve keys create" + s.databaseFlag() + " --tenant " + tenant)
}

func nextAttrs(made bool, key, login string) []slog.Attr {
	attrs := []slog.Attr{slog.Bool("made", made)}
	if key != "" {
		attrs = append(attrs, slog.String("make_a_key", key))
	}
	return append(attrs, slog.String("store_the_key", login), slog.String("open_the_dashboard", "tonne"))
}

func nextInWords(database string, made bool, key, login string) string {
	text := "tonne: serving the database " + database + ".\n"
	if made {
		text += "It was not there or empty: a new marketplace was made in it.\n"
	}
	which := "that was printed"
	if key != "" {
		text += "Make a key with `" + key + "`.\n"
		which = "that it prints"
	}
	return text + "Store the key " + which + " with `" + login + "`, then open the dashboard with `tonne`.\n"
}

// firstTenant is the tenant to make a key for, as the rest of a command: the one
// that has the oldest key, which may own something, or a new one.
func firstTenant(ctx context.Context, m *marketplace.Marketplace) string {
	keys, err := exchange.Read(ctx, m, exchange.Keys)
	if err != nil || len(keys) == 0 {
		return "NAME --create-tenant"
	}
	oldest := slices.MinFunc(keys, func(a, b exchange.Key) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return command.ShellWord(oldest.Tenant)
}

// databaseFlag is the flag that names the database, where it is not the default.
func (s *run) databaseFlag() string {
	if s.db == "" {
		return ""
	}
	return " --db " + command.ShellWord(databaseName(s.db))
}

func connectTo(listening net.Addr) string {
	tcp, ok := listening.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + listening.String()
}
