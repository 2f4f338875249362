package retirement

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tonne/model/fold"
)

// MaxText is the length of the longest text of a request to the service, in characters.
const MaxText = 255

// Text is a text of a retirement call, or its reference.
type Text struct {
	// Member is the name in the body of the call (interface section 4.5), or "reference".
	Member string
	// Name is the name in messages.
	Name string
	// Most is the length of the longest text, in characters.
	Most int
	// identifies reports that the text is a reference or an id of the user's own.
	identifies bool
}

// Texts returns all texts of a call. The client refuses a longer text before it sends it, the
// service when it receives it. The reference stays on this machine.
func Texts() []Text {
	return []Text{
		{Member: "reference", Name: "the reference", Most: 500, identifies: true},
		{Member: "vintage_id", Name: "the vintage", Most: MaxText},
		{Member: "external_id", Name: "the external id", Most: MaxText},
		{Member: "sell_order_id", Name: "the sell order", Most: MaxText},
		{Member: "external_retiree_id", Name: "the customer's id", Most: MaxText, identifies: true},
		{Member: "external_retiree_name", Name: "the customer's name", Most: MaxText},
		{Member: "external_retiree_tax_id", Name: "the customer's tax id", Most: MaxText},
		{Member: "external_retiree_location", Name: "the country", Most: MaxText},
	}
}

// TextOf returns the text of a call with the name of its member, or one of at most MaxText characters.
func TextOf(member string) Text {
	all := Texts()
	at := slices.IndexFunc(all, func(t Text) bool { return t.Member == member })
	if at < 0 {
		return Text{Member: member, Name: member, Most: MaxText}
	}
	return all[at]
}

// TextError is returned for a text that must not be sent.
type TextError struct {
	Text
	// Why is the rest of the sentence, without a full stop.
	Why string
}

// Error returns a sentence without a full stop.
func (e *TextError) Error() string { return e.Name + " " + e.Why }

// CheckTexts returns a *TextError for the first invalid text of a call. isClean reports whether a text has only
// characters that may be sent.
func CheckTexts(reference, externalID string, r RetireRequest, isClean func(string) bool) error {
	values := map[string]string{
		"reference": reference, "vintage_id": r.VintageID, "external_id": externalID, "sell_order_id": r.SellOrderID,
		"external_retiree_id": r.Retiree.ID, "external_retiree_name": r.Retiree.Name,
		"external_retiree_tax_id": r.Retiree.TaxID, "external_retiree_location": r.Retiree.Country,
	}
	for _, t := range Texts() {
		if why := t.fault(values[t.Member], isClean); why != "" {
			return &TextError{t, why}
		}
	}
	return nil
}

func (t Text) fault(text string, isClean func(string) bool) string {
	hidden, found := fold.Hidden(text)
	switch {
	case t.TooLong(text):
		return fmt.Sprintf("is longer than %d characters", t.Most)
	case text != strings.TrimSpace(text):
		return "starts or ends with a blank"
	case found && t.identifies:
		return fmt.Sprintf("contains the invisible character U+%04X", hidden)
	case !isClean(text):
		return "contains control characters, or characters that hide or reorder text"
	}
	return ""
}

// TooLong reports whether a value of the text is too long.
func (t Text) TooLong(value string) bool { return utf8.RuneCountInString(value) > t.Most }
