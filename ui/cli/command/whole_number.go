package command

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model"
)

// wholeNumber is an integer flag that accepts only decimal digits and a sign. Package pflag also
// reads 010 as 8, and 0x10 and 1_000.
type wholeNumber struct{ pflag.Value }

// Set parses a number.
func (n wholeNumber) Set(text string) error {
	digits := text
	if len(digits) > 1 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if _, err := model.ParseDigits(digits); errors.Is(err, model.ErrNotDigits) {
		return &strconv.NumError{Func: "ParseInt", Num: text, Err: strconv.ErrSyntax}
	}
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	if text[0] == '-' {
		digits = "-" + digits
	}
	return n.Value.Set(digits)
}

// ReadWholeNumbers makes the integer flags of a command and its subcommands accept only decimal
// digits.
func ReadWholeNumbers(cmd *cobra.Command) {
	decimal := func(f *pflag.Flag) {
		if _, done := f.Value.(wholeNumber); f.Value.Type() == "int" && !done {
			f.Value = wholeNumber{f.Value}
		}
	}
	cmd.Flags().VisitAll(decimal)
	cmd.PersistentFlags().VisitAll(decimal)
	for _, sub := range cmd.Commands() {
		ReadWholeNumbers(sub)
	}
}
