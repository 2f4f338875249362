package command

import "tonne/model"

// AmountAdvice is how an amount is written in a flag.
const AmountAdvice = "give dollars, such as $6.20, or whole cents, such as 620"

// Amount reads the value of a flag: dollars or whole cents, above 0. Without a value it is 0.
func Amount(flag, text string) (model.Cents, error) {
	if text == "" {
		return 0, nil
	}
	n, err := model.ParseAmount(text)
	if err == nil && n != 0 {
		return n, nil
	}
	next := AmountAdvice
	if cents, err := model.ParseMoney(text); err == nil && cents > 0 {
		next = "give whole cents, " + cents.String() + ", or dollars, " + cents.FormatDollars()
	}
	return 0, Usage(next, "%s %q is not an amount above 0", flag, text)
}

// PerTonne writes a price in words.
func PerTonne(price model.PriceCents) string {
	if !price.Known() {
		return "none"
	}
	return price.FormatDollars() + " per tonne"
}
