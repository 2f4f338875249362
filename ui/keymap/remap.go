package keymap

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Remap has the keys from the user's configuration, by binding name.
type Remap map[string][]string

// Apply returns copies of the groups with the chosen keys.
func (r Remap) Apply(groups []Group) []Group {
	if len(r) == 0 {
		return groups
	}
	return edited(groups, func(b *Binding) {
		if chosen, ok := r[b.Name]; ok {
			b.Keys = chosen
		}
	})
}

// Conflicts reports keys that two bindings share, and sequences whose first key is in use. The groups
// are active at the same time.
func (r Remap) Conflicts(groups ...Group) []error {
	var problems []error
	owner := make(map[string]string)
	for _, g := range r.Apply(groups) {
		for _, b := range g.Bindings {
			for _, k := range b.Keys {
				if first, taken := owner[k]; taken && first != b.Name {
					problems = append(problems, fmt.Errorf("key %s does both %s and %s", Label(k), first, b.Name))
				}
				owner[k] = b.Name
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(owner)) {
		first, _, sequence := strings.Cut(k, " ")
		if other, taken := owner[first]; sequence && taken && other != owner[k] {
			problems = append(problems, fmt.Errorf("%s, the keys of %s, begin with the key of %s", Label(k), owner[k], other))
		}
	}
	return problems
}

// Unusable reports chosen keys that no keyboard sends, or that are reserved.
func (r Remap) Unusable() []error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(r)) {
		for _, k := range r[name] {
			switch {
			case slices.Contains(reserved, k):
				problems = append(problems,
					fmt.Errorf("%s cannot be the key of %s: it ends or suspends the program", Label(k), name))
			case !sequence().MatchString(k):
				problems = append(problems,
					fmt.Errorf("%s: there is no key %q; keys are written like b, B, ctrl+b, f2, enter or g g", name, k))
			}
		}
	}
	return problems
}

var reserved = []string{"ctrl+c", "ctrl+z"}

// sequence matches one or two strokes. With a modifier, a letter names the key, so it is not a capital.
var sequence = sync.OnceValue(func() *regexp.Regexp {
	const stroke = `((ctrl\+)?(alt\+)?(shift\+)?(meta\+)?(hyper\+)?(super\+)?` +
		`(enter|tab|esc|space|backspace|delete|insert|up|down|left|right|home|end|pgup|pgdown|f([1-9]|[1-5]\d|6[0-3])|` +
		`[\p{Ll}\p{Lm}\p{Lo}\p{Lt}\pM\pN\pP\pS])|\p{Lu})`
	return regexp.MustCompile("^" + stroke + "( " + stroke + ")?$")
})

// Unknown reports names that no binding of the groups has.
func (r Remap) Unknown(groups ...Group) []error {
	unknown := maps.Clone(r)
	for _, g := range groups {
		for _, b := range g.Bindings {
			delete(unknown, b.Name)
		}
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		problems = append(problems, fmt.Errorf("there is no key binding named %q", name))
	}
	return problems
}
