package sshd

import (
	"context"
	"testing"
)

func TestCommandRateIsLimitedPerKey(t *testing.T) {
	t.Parallel()
	started := make(chan string, 10)
	h := startServer(t, func(l *Limits) { l.Commands, l.CommandsPerSecond = 3, 1e-9 }, func(_ context.Context, s *Session) int {
		started <- s.Person.Name
		return 0
	})
	ben := newKey(t)
	writeKeys(t, h.keys, line("", h.key, "ada"), line("", ben, "ben"))
	h.waitForKey(ben)
	c := h.login()
	for range 3 {
		h.run(c, "market")
	}
	delayed, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := delayed.Start("market"); err != nil {
		t.Fatal(err)
	}
	other, err := h.dial(ben)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	h.run(other, "market")
	for _, want := range []string{"ada", "ada", "ada", "ben"} {
		if got := <-started; got[:3] != want {
			t.Errorf("a command of %s starts, want %s", got, want)
		}
	}
	_ = delayed.Close()
	h.stop()
	h.close()
	if len(started) > 1 { // the delayed command may still start when its session ends
		t.Errorf("%d more commands start", len(started))
	}
}

func TestLoggedCommandOmitsUnprintableCharacters(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, echoCommand)
	h.run(h.login(), "market\u009b31m\u202e\u2066 x")
	h.logs(`"session"`, `"command":"market31m x"`)
}
