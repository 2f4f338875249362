// Package effect has what a tab asks the program for, as values that its methods return and that are
// carried out before the next message.
package effect

import "context"

// Effect is something that a tab asks for. Nil asks for nothing.
type Effect interface{ effect() }

// Toast shows a message for a while.
type Toast struct {
	Text string
	// Bad marks a failure. Without Holds it stays for a minute, unless a person does something.
	Bad bool
	// Holds reports whether the message is still true: it goes away otherwise. Nil is always.
	Holds func() bool
}

// Copy puts text on the clipboard. What names it, such as "the project's id". Whole, unless nil, is what
// the same key copies when it comes again.
type Copy struct {
	Text, What string
	Whole      func() Copy
}

// Open opens an address that came from data, once it was checked.
type Open struct{ URL string }

// Notify shows an alert below the header for a minute, and sends it through the terminal.
type Notify struct {
	Text string
	// Hint names the key of the tab that shows more, such as "w shows it".
	Hint string
	// Quiet sends nothing through the terminal, and replaces no other alert.
	Quiet bool
	// Holds reports whether the alert is still news. Nil means always.
	Holds func() bool
}

// Quit ends the program.
type Quit struct{}

// Work is run away from the screen, and must not change it. Of what it returns an Effect is carried out,
// nil is nothing, and anything else goes to the Handle of the tab. Its context ends with the program.
type Work func(ctx context.Context) (result any)

// Then is called by the program in its own turn, where what is shown may be changed: work returns it with
// its result for something that is no tab.
type Then func() Effect

// Answer goes to the tab's Handle; nil is nothing.
type Answer struct{ Value any }

// Several are carried out one after the other. Batch makes them.
type Several []Effect

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

// SayWhile shows a message for a while, and no longer than it is true.
func SayWhile(holds func() bool, text string) Effect { return Toast{Text: text, Holds: holds} }

// Warn shows a failure for a minute or until a person does something.
func Warn(text string) Effect { return Toast{Text: text, Bad: true} }

// Do returns what a key does that asks for nothing.
func Do(act func()) func() Effect {
	return func() Effect {
		act()
		return nil
	}
}

// Batch asks for several effects in their order, without those that are nil.
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
