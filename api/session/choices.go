package session

import "context"

// ChoicesEvent carries how a person likes to see things: what Choose was called
// with the last time, by name, as far as this machine remembers. It comes once,
// when the session begins to record.
type ChoicesEvent struct{ Choices map[string]string }

// Choose keeps how a person likes to see something, for the next time.
func (s *Session) Choose(name, value string) {
	s.post(func(l *loop) {
		l.keep(ChoiceWrites, func(ctx context.Context) error { return l.store.SetChoice(ctx, l.origin, name, value) })
	})
}

func (l *loop) readChoices() {
	read(l, func(ctx context.Context) (map[string]string, error) {
		return l.store.Choices(ctx, l.origin)
	}, func(choices map[string]string, err error) {
		if err == nil {
			l.out.put(ChoicesEvent{choices})
		}
	})
}
