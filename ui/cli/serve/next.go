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
	"tonne/model/advice"
	"tonne/ui/cli/terminal"
)

func (s *options) newLog() *slog.Logger {
	if terminal.IsTerminal(s.app.Stderr) {
		return slog.New(slog.NewTextHandler(s.app.Stderr, nil))
	}
	return slog.New(slog.NewJSONHandler(s.app.Stderr, nil))
}

// keyState is what is known of the API keys of a database at the start of the service.
type keyState int

const (
	noKey keyState = iota
	keyPrinted
	keyExists
)

func (s *options) keyState(ctx context.Context, m *marketplace.Marketplace) (keyState, error) {
	if s.made {
		return keyPrinted, nil
	}
	keys, err := exchange.Read(ctx, m, exchange.Keys)
	if slices.ContainsFunc(keys, func(k exchange.Key) bool { return k.Active }) {
		return keyExists, err
	}
	return noKey, err
}

// tellNext prints the next steps for the user: as text at a terminal, otherwise as the first
// record of the log.
func (s *options) tellNext(log *slog.Logger, listening net.Addr, made bool, keys keyState) {
	database := wire.Clean(marketplace.MaskAddress(s.path()))
	login := "tonne auth login --base-url " + connectTo(listening)
	key := s.toMakeAKey()
	if !terminal.IsTerminal(s.app.Stderr) {
		attrs := []any{"made", made}
		if keys == noKey {
			attrs = append(attrs, "make_a_key", key)
		}
		log.Info("serving the database "+database, append(attrs, "store_the_key", login, "open_the_dashboard", "tonne")...)
		return
	}
	s.app.Say(nextInWords(database, made, keys, key, login))
}

// toMakeAKey is a command to copy, so the user in an address stays.
func (s *operator) toMakeAKey() string {
	flag := ""
	if s.db != "" {
		flag = " --db " + advice.ShellWord(marketplace.MaskAddress(s.db))
	}
	return wire.Clean("tonne serve keys create" + flag + " --tenant NAME --create-tenant")
}

func nextInWords(database string, made bool, keys keyState, key, login string) string {
	text := "tonne: serving the database " + database + ".\n"
	if made {
		text += "It was missing or empty, so a new marketplace was created in it.\n"
	}
	which := map[keyState]string{
		noKey: "the key that it prints", keyPrinted: "the key that was printed", keyExists: "one of its keys",
	}
	if keys == noKey {
		text += "Create a key with `" + key + "`.\n"
	}
	return text + "Store " + which[keys] + " with `" + login + "`, then open the dashboard with `tonne`.\n"
}

func connectTo(listening net.Addr) string {
	tcp, ok := listening.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + listening.String()
}
