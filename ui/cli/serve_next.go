package cli

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"tonne/api/marketplace"
	"tonne/api/marketplace/storage"
)

// tellNext says which file is served, and what a person does next. The log
// stays as it is: these lines come before its first record.
func (s *serveRun) tellNext(listening net.Addr, tenant string) {
	base := connectTo(listening)
	s.told.mu.Lock()
	defer s.told.mu.Unlock()
	s.write("tonne: " + s.clean("serving the database "+databaseName(s.path())) + ".\n")
	key := "that was printed"
	if !s.made {
		s.write("Make a key with `" + s.clean("tonne serve keys create"+s.databaseFlag()+" --tenant "+tenant) + "`.\n")
		key = "that it prints"
	}
	s.write(fmt.Sprintf("Store the key %s with `tonne auth login --base-url %s`, then open the dashboard with `tonne`.\n", key, base))
}

// firstTenant is whom to make a key for: the tenant that has the oldest one, who
// may own something, or any name.
func firstTenant(ctx context.Context, m *marketplace.Marketplace) string {
	keys, err := m.Keys(ctx)
	if err != nil || len(keys) == 0 {
		return "NAME"
	}
	oldest := slices.MinFunc(keys, func(a, b storage.Key) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return shellWord(oldest.Tenant)
}

// databaseFlag is the flag that names the database, where it is not the default.
func (s *serveRun) databaseFlag() string {
	if s.db == "" {
		return ""
	}
	return " --db " + shellWord(databaseName(s.db))
}

// connectTo is the address to connect to from this machine.
func connectTo(listening net.Addr) string {
	tcp, ok := listening.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + listening.String()
}

// shellWord is a text as a person types it for a shell.
func shellWord(s string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
