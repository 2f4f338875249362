package posting

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"tonne/model"
)

// Currency is the currency of all amounts.
const Currency = "USD"

// hledgerAccount matches the accounts of hledger: they may contain single blanks, but two end them, and other
// characters begin something else.
var hledgerAccount = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\pL\pN][^\s;|"()\[\]]*(?: [^\s;|"()\[\]]+)*$`)
})

// beancountAccount is of Beancount's language syntax, "Accounts".
var beancountAccount = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Assets|Liabilities|Equity|Income|Expenses)(?::[\p{Lu}\p{Nd}][\pL\pN-]*)+$`)
})

// CheckAccount returns an error if no journal can contain the name of an account.
func CheckAccount(name string) error {
	if !hledgerAccount().MatchString(name) || slices.Contains(strings.Split(name, ":"), "") {
		return fmt.Errorf("%q is not the name of an account: write names between colons, such as Assets:CarbonCredits", name)
	}
	return nil
}

// CheckBeancount returns an error if Beancount does not accept the names of the accounts.
func CheckBeancount(a Accounts) error {
	for _, name := range []string{a.Credits, a.Payable, a.Expense} {
		if !beancountAccount().MatchString(name) {
			return fmt.Errorf("Beancount does not accept the account %q: write one such as Assets:CarbonCredits", name)
		}
	}
	return nil
}

// accountsOf returns the accounts of entries, in their order.
func accountsOf(entries []Entry) (names []string) {
	for _, e := range entries {
		names = append(names, e.Debit, e.Credit)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// WriteHledger writes a journal that `hledger check --strict` accepts.
func WriteHledger(w io.Writer, entries []Entry) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "commodity 1000.00 %s\n", Currency)
	for _, name := range accountsOf(entries) {
		fmt.Fprintf(out, "account %s\n", name)
	}
	// These end a description, or a value of a tag.
	plain := strings.NewReplacer(";", ",", "|", "/", "\n", " ")
	value := strings.NewReplacer(",", ";", "\n", " ")
	for _, e := range entries {
		fmt.Fprintf(out, "\n%s * %s\n", e.Date.Format(time.DateOnly), plain.Replace(e.Memo))
		fmt.Fprintf(out, "    ; kind:%s, vintage_id:%s, quantity_grams:%d", e.Kind, value.Replace(e.Vintage.VintageID),
			e.Quantity)
		if e.RequestID != "" {
			fmt.Fprintf(out, ", retirement_request_id:%s", value.Replace(e.RequestID))
		}
		if e.Reference != "" {
			fmt.Fprintf(out, ", reference:%s", value.Replace(e.Reference))
		}
		fmt.Fprintf(out, "\n    %s  %s\n    %s  %s\n", e.Debit, amount(e.Amount), e.Credit, amount(-e.Amount))
	}
	return out.Flush()
}

// WriteBeancount writes a ledger that `bean-check` accepts, if CheckBeancount accepts its accounts.
func WriteBeancount(w io.Writer, entries []Entry) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "option \"operating_currency\" \"%s\"\n", Currency)
	for _, name := range accountsOf(entries) {
		fmt.Fprintf(out, "%s open %s %s\n", entries[0].Date.Format(time.DateOnly), name, Currency)
	}
	for _, e := range entries {
		fmt.Fprintf(out, "\n%s * %s\n", e.Date.Format(time.DateOnly), quoted(e.Memo))
		fmt.Fprintf(out, "  kind: %s\n  vintage_id: %s\n  quantity_grams: %d\n", quoted(string(e.Kind)),
			quoted(e.Vintage.VintageID), e.Quantity)
		if e.RequestID != "" {
			fmt.Fprintf(out, "  retirement_request_id: %s\n", quoted(e.RequestID))
		}
		if e.Reference != "" {
			fmt.Fprintf(out, "  reference: %s\n", quoted(e.Reference))
		}
		fmt.Fprintf(out, "  %s  %s\n  %s  %s\n", e.Debit, amount(e.Amount), e.Credit, amount(-e.Amount))
	}
	return out.Flush()
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(text) + `"`
}

// amount is an amount with its currency, such as -31.00 USD.
func amount(c model.Cents) string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, c/100, c%100, Currency)
}
