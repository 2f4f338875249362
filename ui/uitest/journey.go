package uitest

import (
	"strings"
	"testing"
)

// Step is an action of the user R and its effect on the screen. Empty fields have no effect.
type Step[R User] struct {
	// Keys are the names of keys, separated by blanks. Then Typed is typed, Reply answers a prompt, and Do is called.
	Keys, Typed, Reply string
	Do                 func(r R)
	// Size is the size of the terminal from this step on.
	Size [2]int
	// Sees and Lacks are texts separated by "|". Line is a text of a line and then other texts of it.
	Sees, Lacks, Line string
	// Said and Copied are the last message and the last copied text, and Problem is what is wrong with the reply.
	Said, Copied, Problem string
}

// Journeys are steps by name.
type Journeys[R User] map[string][]Step[R]

// Each starts a new robot for each journey and goes through its steps.
func (j Journeys[R]) Each(t *testing.T, begin func(testing.TB) R) {
	t.Helper()
	for name, steps := range j {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t)
			for n, s := range steps {
				s.take(t, r)
				if t.Failed() {
					t.Fatalf("in step %d, %q", n+1, s.Keys+s.Typed+s.Reply)
				}
			}
		})
	}
}

func (s Step[R]) take(t *testing.T, r R) {
	t.Helper()
	if s.Size != [2]int{} {
		r.FrameAt(s.Size[0], s.Size[1])
	}
	r.Press(strings.Fields(s.Keys)...)
	for _, letter := range s.Typed {
		r.Press(strings.ReplaceAll(string(letter), " ", "space"))
	}
	if s.Reply != "" {
		if problem := r.Reply(s.Reply); problem != s.Problem {
			t.Errorf("the problem is %q, want %q", problem, s.Problem)
		}
	}
	if s.Do != nil {
		s.Do(r)
	}
	if s.Sees != "" {
		r.Sees(strings.Split(s.Sees, "|")...)
	}
	if s.Lacks != "" {
		r.SeesNot(strings.Split(s.Lacks, "|")...)
	}
	if s.Line != "" {
		texts := strings.Split(s.Line, "|")
		r.LineHas(texts[0], texts[1:]...)
	}
	said, copied := r.Last()
	if s.Said != "" && said != s.Said {
		t.Errorf("said %q, want %q", said, s.Said)
	}
	if s.Copied != "" && copied != s.Copied {
		t.Errorf("copied %q, want %q", copied, s.Copied)
	}
}
