// Package effect has what a tab asks the program for, as values: methods that
// take input or news return them, and the program carries them out before it
// takes the next message.
package effect

import "context"

// Effect is something that a tab asks for. Nil asks for nothing.
type Effect interface{ effect() }

// Toast shows a message for a while.
type Toast struct {
	Text string
	// Bad marks one about something that failed. Without Holds it stays for a
	// minute, unless a person does something.
	Bad bool
	// Holds reports whether the message is still true; it goes away when it is
	// not. Nil stands for one that stays true.
	Holds func() bool
}

// Copy puts text on the clipboard. What names it in the message that follows,
// such as "the project's id". Whole, which may be nil, is what is copied instead
// when the same is asked for again with the next key.
type Copy struct {
	Text, What string
	Whole      func() Copy
}

// Open opens an address that came from data, once it was checked.
type Open struct{ URL string }

// Notify shows an alert below the header for a minute, and sends it through the
// terminal to a person who may be looking elsewhere.
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

// Work is run away from the screen, under a context that ends with the
// program. What it returns comes back to the tab that asked for it: an Effect
// is carried out, nil is nothing, and anything else goes to the tab's Handle.
// It must not change what the tab shows.
type Work func(ctx context.Context) (result any)

// Then is called by the program in its own turn, where what is shown may be
// changed, and what it returns is carried out: work returns it with what came
// of it for something that is no tab.
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

// Warn shows a message about something that failed, for a minute or until a person
// does something.
func Warn(text string) Effect { return Toast{Text: text, Bad: true} }

// Do returns what a key does that asks for nothing.
func Do(act func()) func() Effect {
	return func() Effect {
		act()
		return nil
	}
}

// Batch asks for several effects, in their order. Those that are nil are left
// out.
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
