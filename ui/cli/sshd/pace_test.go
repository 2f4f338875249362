package sshd

import (
	"context"
	"testing"
)

func TestCommandsOfAKeyBeginAtAPace(t *testing.T) {
	t.Parallel()
	began := make(chan string, 10)
	h := build(t, func(l *Limits) { l.Commands, l.CommandsPerSecond = 3, 1e-9 }, func(_ context.Context, s *Session) int {
		began <- s.Person.Name
		return 0
	})
	ben := newKey(t)
	writeKeys(t, h.keys, line("", h.key, "ada"), line("", ben, "ben"))
	h.letIn(ben)
	c := h.login()
	for range 3 {
		h.run(c, "market")
	}
	waits, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := waits.Start("market"); err != nil {
		t.Fatal(err)
	}
	of, err := h.dial(ben)
	if err != nil {
		t.Fatal(err)
	}
	defer of.Close()
	h.run(of, "market")
	for _, want := range []string{"ada", "ada", "ada", "ben"} {
		if got := <-began; got[:3] != want {
			t.Errorf("a command of %s begins, want %s", got, want)
		}
	}
	_ = waits.Close()
	h.stop()
	h.close()
	if len(began) > 1 { // it may begin when its session is over, and ends at once
		t.Errorf("%d more begin", len(began))
	}
}

func TestACommandIsLoggedWithoutWhatIsNotPrinted(t *testing.T) {
	t.Parallel()
	h := build(t, nil, greet)
	h.run(h.login(), "market\u009b31m\u202e\u2066 x")
	h.logs(`"session"`, `"command":"market31m x"`)
}
