// Package effect has the requests of a tab to the program, such as to show a message or to run work. Methods of a
// tab return them as values; the program carries them out before the next message. Start reading at Effect.
package effect

import (
	"context"
	"slices"
)

// Effect is a request of a tab. Nil requests nothing.
type Effect interface{ effect() }

// Toast shows a message for a while.
type Toast struct {
	Text string
	// Bad marks a failure. If Holds is nil, it stays for a minute, or until the next key or click.
	Bad bool
	// Holds reports whether the message is still true. If not, the message disappears. Nil means always.
	Holds func() bool
}

// Copy copies text to the clipboard. What names the text, such as "the project's id". If Whole is not nil, it
// returns the text that a second press of the same key copies.
type Copy struct {
	Text, What string
	Whole      func() Copy
}

// Open opens an address from data after checking it.
type Open struct{ URL string }

// Notify shows an alert below the header for a minute, and sends it through the terminal.
type Notify struct {
	Text string
	// Hint names the key of the tab that shows more, such as "w shows it".
	Hint string
	// Quiet sends nothing through the terminal, and replaces no other alert.
	Quiet bool
	// Holds reports whether the alert is still relevant. Nil means always.
	Holds func() bool
}

// Quit ends the program. Why is the error with which it ends, usually nil.
type Quit struct{ Why error }

// Work runs in the background and must not change the screen. If it returns an Effect, the program carries it out;
// any other value except nil goes to Handle of the tab. Its context ends with the program.
type Work func(ctx context.Context) (result any)

// Then is called by the update loop and may change the screen. Work returns it to pass its result to
// something other than a tab.
type Then func() Effect

// Answer passes a value to the tab's Handle. A nil value is ignored.
type Answer struct{ Value any }

// Several are effects that are carried out in order. Create them with Batch.
type Several []Effect

// Undo records how to undo a change that was just made. What names the change, such as "the rule on Bale 2019".
type Undo struct {
	What string
	Do   func() Effect
}

func (Undo) effect()    {}
func (Toast) effect()   {}
func (Copy) effect()    {}
func (Open) effect()    {}
func (Notify) effect()  {}
func (Quit) effect()    {}
func (Work) effect()    {}
func (Then) effect()    {}
func (Answer) effect()  {}
func (Several) effect() {}

// Say shows a message for a while.
func Say(text string) Effect { return Toast{Text: text} }

// SayWhile shows a message for a while, but only while holds returns true.
func SayWhile(holds func() bool, text string) Effect { return Toast{Text: text, Holds: holds} }

// Warn shows a failure for a minute or until the next input of the user.
func Warn(text string) Effect { return Toast{Text: text, Bad: true} }

// Do returns a key's action that requests no effect.
func Do(act func()) func() Effect {
	return func() Effect {
		act()
		return nil
	}
}

// Undone returns the effect that undoes the change. Undoing cannot be undone.
func (u Undo) Undone() Effect {
	isUndo := func(e Effect) bool {
		_, is := e.(Undo)
		return is
	}
	return Batch(slices.DeleteFunc(Several{u.Do()}.flat(), isUndo)...)
}

// flat returns the effects without nesting.
func (s Several) flat() (all Several) {
	for _, e := range s {
		if nested, ok := e.(Several); ok {
			all = append(all, nested.flat()...)
		} else {
			all = append(all, e)
		}
	}
	return all
}

// Batch returns an effect that carries out effects in order. It ignores nil.
func Batch(effects ...Effect) Effect {
	var wanted Several
	for _, e := range effects {
		switch e := e.(type) {
		case nil:
		case Several:
			wanted = append(wanted, e...)
		default:
			wanted = append(wanted, e)
		}
	}
	switch len(wanted) {
	case 0:
		return nil
	case 1:
		return wanted[0]
	}
	return wanted
}
