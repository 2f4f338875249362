package uitest

import "testing"

// Scenes lead a robot R to the states of a tab, by the names of their golden
// frames.
type Scenes[R any] map[string]func(r R)

// Each begins with a new robot for each scene and looks at where it leads.
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
