package uitest

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	must "tonne/model/musttest"
)

// User is the robot of a tab.
type User interface {
	Press(keys ...string)
	Reply(line string) (problem string)
	FrameAt(width, height int) string
	Sees(texts ...string)
	SeesNot(texts ...string)
	LineHas(text string, others ...string)
	Last() (said, copied string)
}

// Actions are what a script can do and check in addition to the keys, by name. An action of a robot R is a func(R), a
// func(R, arguments...) or a func(arguments...) func(R). A script separates arguments with "|".
type Actions map[string]any

// Play runs the journeys of testdata/name.txt, each with a new robot. A line that begins with "== " is the name of a
// journey, one that begins with "#" is a comment. Each other line begins with a word:
//
//	keys    presses keys by the names of Stroke; "j*9" is nine times j
//	type    types a text
//	reply   answers a prompt, and expects no problem
//	refused has an answer and its problem
//	size    changes the size of the terminal
//	sees    has texts of the screen, and lacks has texts that are not on it
//	line    has a text of a line and other texts of that line
//	said    is the last message, and copied the last copied text
//	copies  has texts of the last copied text
//	file    has the path of a file and texts in it
//
// Any other line is the name of an action, or of a method of the robot, and its arguments. A backslash begins an
// escape sequence of Go, and $DIR is a temporary directory.
func Play[R User](t *testing.T, name string, actions Actions, begin func(testing.TB) R) {
	t.Helper()
	script, err := os.ReadFile("testdata/" + name + ".txt")
	must.Succeed(t, err)
	journeys := strings.Split("\n"+strings.TrimSpace(string(script)), "\n== ")
	must.Need(t, strings.TrimSpace(journeys[0]) == "", name)
	for _, journey := range journeys[1:] {
		title, lines, _ := strings.Cut(journey, "\n")
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			p, dir := player[R]{t, begin(t), actions}, t.TempDir()
			for line := range strings.SplitSeq(lines, "\n") {
				if line == "" || line[0] == '#' {
					continue
				}
				p.do(strings.ReplaceAll(unescaped(t, line), "$DIR", dir))
				must.Need(t, !t.Failed(), "in the line", line)
			}
		})
	}
}

func unescaped(t *testing.T, line string) string {
	t.Helper()
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
	must.Need(t, err == nil, line, err)
	return text
}

// player runs the lines of a journey.
type player[R User] struct {
	t       *testing.T
	r       R
	actions Actions
}

func (p player[R]) do(line string) {
	word, rest, _ := strings.Cut(line, " ")
	texts := strings.Split(rest, "|")
	said, copied := p.r.Last()
	switch word {
	case "keys":
		p.press(strings.Fields(rest))
	case "type":
		for _, letter := range rest {
			p.r.Press(strings.ReplaceAll(string(letter), " ", "space"))
		}
	case "reply":
		p.equal("problem", p.r.Reply(rest), "")
	case "refused":
		p.equal("problem", p.r.Reply(texts[0]), texts[1])
	case "size":
		var width, height int
		_, err := fmt.Sscanf(rest, "%dx%d", &width, &height)
		must.Succeed(p.t, err)
		p.r.FrameAt(width, height)
	case "sees":
		p.r.Sees(texts...)
	case "lacks":
		p.r.SeesNot(texts...)
	case "line":
		p.r.LineHas(texts[0], texts[1:]...)
	case "said":
		p.equal("message", said, rest)
	case "copied":
		p.equal("copied text", copied, rest)
	case "copies":
		p.has("copied text", copied, texts)
	case "file":
		content, err := os.ReadFile(texts[0])
		must.Succeed(p.t, err)
		p.has(texts[0], string(content), texts[1:])
	default:
		p.act(word, texts)
	}
}

func (p player[R]) equal(what, got, want string) {
	p.t.Helper()
	must.Equal(p.t, got, want, "the", what)
}

func (p player[R]) has(what, all string, texts []string) {
	p.t.Helper()
	for _, text := range texts {
		must.Hold(p.t, strings.Contains(all, text), text, what, all)
	}
}

func (p player[R]) press(keys []string) {
	for _, key := range keys {
		name, times, repeated := strings.Cut(key, "*")
		n, err := strconv.Atoi(times)
		if !repeated || err != nil {
			name, n = key, 1
		}
		for range n {
			p.r.Press(name)
		}
	}
}

// act calls an action.
func (p player[R]) act(word string, texts []string) {
	f := reflect.ValueOf(p.r).MethodByName(strings.ToUpper(word[:1]) + word[1:])
	if action, found := p.actions[word]; found {
		f = reflect.ValueOf(action)
	}
	must.Need(p.t, f.IsValid(), "no action is named", word)
	var arguments []reflect.Value
	if f.Type().NumIn() > 0 && f.Type().In(0) == reflect.TypeFor[R]() {
		arguments = append(arguments, reflect.ValueOf(p.r))
	}
	for _, text := range texts {
		n := len(arguments)
		last := n == f.Type().NumIn()-1
		if len(texts) == 1 && text == "" && (n == f.Type().NumIn() || last && f.Type().IsVariadic()) {
			break
		}
		must.Need(p.t, n != f.Type().NumIn() || f.Type().IsVariadic(), word, text)
		arguments = append(arguments, p.argument(text, parameter(f.Type(), n)))
	}
	if out := f.Call(arguments); len(out) == 1 {
		out[0].Call([]reflect.Value{reflect.ValueOf(p.r)})
	}
}

func parameter(f reflect.Type, n int) reflect.Type {
	if f.IsVariadic() && n >= f.NumIn()-1 {
		return f.In(f.NumIn() - 1).Elem()
	}
	return f.In(n)
}

func (p player[R]) argument(text string, of reflect.Type) reflect.Value {
	var value any = text
	var err error
	switch {
	case of == reflect.TypeFor[time.Duration]():
		value, err = time.ParseDuration(text)
	case of.Kind() == reflect.Bool:
		value, err = strconv.ParseBool(text)
	case of.Kind() != reflect.String:
		value, err = strconv.ParseInt(text, 10, 64)
	}
	must.Succeed(p.t, err)
	return reflect.ValueOf(value).Convert(of)
}
