package uitest

import "testing"

// Scenes are functions that bring a robot R into a state of a tab, by the name of the golden
// frame.
type Scenes[R any] map[string]func(r R)

// Each runs each scene with a new robot, and then check.
func (s Scenes[R]) Each(t *testing.T, begin func(testing.TB) R, look func(name string, r R)) {
	t.Helper()
	for name, scene := range s {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t)
			scene(r)
			look(name, r)
		})
	}
}
