package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/model/posting"
)

// Setting is a row of the table of settings. Flags, the configuration file, its
// template, messages, `tonne config show` and the documents follow from the table.
type Setting struct {
	// Name is the name in `tonne config show` and in the file. A point divides the name of a table from that in it.
	Name string
	Type Type
	// Flag is the name of the flag; one that begins with no- sets a boolean to false.
	Flag string
	// Env is the environment variable, and Default the value of a setting that is not set.
	Env, Default string
	// In is the section of the file for this setting.
	In Section
	// Example is the value in the template, and Help the help of the flag.
	Example, Help string
}

// Type is the form of a value in the file, as a phrase.
type Type string

// The types of settings.
const (
	textType    Type = "text in quotes"
	nameType    Type = "the name of a profile in quotes"
	themeType   Type = `text in quotes, such as "auto"`
	dirType     Type = "a directory in quotes"
	addressType Type = `an address in quotes, such as "https://market.example"`
	accountType Type = `the name of an account in quotes, such as "Assets:CarbonCredits"`
	expenseType Type = `"retirement" or "purchase"`
	Boolean     Type = "true or false"
	Period      Type = `a duration in quotes, such as "10s"`
	table       Type = "a table"
)

// Section is a part of the configuration file.
type Section string

// The sections. A setting that is not in the file has none.
const (
	top     Section = "yes"
	profile Section = "in `[profiles.NAME]`"
)

// Settings are all settings, in the order of the documents.
var Settings = []Setting{
	{Name: "config", Type: textType, Flag: "config", Env: "TONNE_CONFIG", Help: "read the configuration from `FILE`"},
	{Name: "profile", Type: nameType, In: top, Flag: "profile", Env: "TONNE_PROFILE", Example: `"acme"`,
		Help: "profile of the configuration file, by `NAME`"},
	{Name: "theme", Type: themeType, In: top, Flag: "theme", Default: "auto", Example: `"auto"`,
		Help: "colours of the dashboard, `" + strings.Join(Themes, "|") + "`"},
	{Name: "mouse", Type: Boolean, In: top, Flag: "no-mouse", Default: "true", Example: "true",
		Help: "mouse support of the dashboard"},
	{Name: "motion", Type: Boolean, In: top, Flag: "no-motion", Default: "true", Example: "true",
		Help: "animation and change highlighting of the dashboard"},
	{Name: "timeout", Type: Period, In: top, Flag: "timeout", Default: "10s", Example: `"10s"`,
		Help: "timeout per request attempt"},
	{Name: "certificates", Type: dirType, In: top, Example: `"/home/me/certificates"`,
		Help: "directory where the dashboard saves certificates"},
	{Name: "record_orders", Type: Boolean, In: top, Default: "true", Example: "true",
		Help: "record every market that is read, in orders.db of the data directory"},
	{Name: "execution_like", Type: textType, In: top, Example: `"type:cookstoves vintage>=2022"`,
		Help: "credits that count as the same in tonne execution (default: the type, and a vintage that is not older)"},
	{Name: "profiles", Type: table, In: top, Help: "marketplaces and tenants, a table [profiles.NAME] for each"},
	{Name: "keys", Type: table, In: top, Example: `["b", "ctrl+b"]`,
		Help: "keys of the dashboard by the names in its help, in the table [keys]"},
	{
		Name: "accounts.credits", Type: accountType, In: top, Default: "Assets:CarbonCredits",
		Example: `"Assets:CarbonCredits"`,
		Help:    "account of credits that were bought and not retired, in tonne postings",
	},
	{
		Name: "accounts.payable", Type: accountType, In: top, Default: "Liabilities:CarbonPayable",
		Example: `"Liabilities:CarbonPayable"`, Help: "account of what is owed for credits",
	},
	{
		Name: "accounts.expense", Type: accountType, In: top, Default: "Expenses:CarbonRetirement",
		Example: `"Expenses:CarbonRetirement"`, Help: "account of what retirements cost",
	},
	{
		Name: "accounts.expense_at", Type: expenseType, In: top, Default: AtRetirement, Example: `"retirement"`,
		Help: "when credits become an expense, `retirement|purchase`",
	},
	{
		Name: "company.name", Type: textType, In: top, Example: `"Your Company Ltd"`,
		Help: "legal name of your company, in the head of statements",
	},
	{
		Name: "company.address", Type: textType, In: top, Example: `"1 Street, City, Country"`,
		Help: "address of your company",
	},
	{Name: "company.tax_id", Type: textType, In: top, Example: `"GB123456789"`, Help: "tax id of your company"},
	{Name: "base_url", Type: addressType, In: profile, Flag: "base-url", Env: "TONNE_BASE_URL",
		Example: `"https://market.example"`, Help: "`URL` of the marketplace"},
	{Name: "label", Type: textType, In: profile, Example: `"Acme"`,
		Help: "name of the marketplace and tenant in the header, instead of the profile's name"},
	{Name: "production", Type: Boolean, In: profile, Default: "false", Example: "true",
		Help: "show the address as PRODUCTION everywhere"},
	{Name: "allow_retire", Type: Boolean, In: profile, Flag: "allow-retire", Default: "false", Example: "true",
		Help: "allow tonne retire to buy and retire, which cannot be undone"},
	{Name: "key", Type: textType, Env: "TONNE_API_KEY", Help: "the API key; it overrides a stored key"},
	{Name: "debug", Type: textType, Flag: "debug", Help: "write a log to `FILE`; it never contains the API key"},
}

// The moments at which credits become an expense.
const (
	AtRetirement = "retirement"
	AtPurchase   = "purchase"
)

// Find returns the setting with the name. It panics if there is none.
func Find(name string) Setting {
	return Settings[slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == name })]
}

// Usage is the help of the flag.
func (s Setting) Usage() string {
	help := s.Help
	if strings.HasPrefix(s.Flag, "no-") {
		return "disable " + help
	}
	if s.Default != "" {
		help += " (default " + s.Default + ")"
	}
	return help
}

// Text is the help without the marks of a flag's value.
func (s Setting) Text() string { return strings.ReplaceAll(s.Help, "`", "") }

// Parse reads a value of a flag, or a text in the file. Addresses are read elsewhere.
func (s Setting) Parse(text string) (string, error) {
	switch s.Type {
	case Boolean:
		yes, err := strconv.ParseBool(text)
		return strconv.FormatBool(yes != strings.HasPrefix(s.Flag, "no-")), err
	case themeType:
		if !slices.Contains(Themes, text) {
			return "", fmt.Errorf("unknown theme %s%s", shown(text), permitted(Themes))
		}
	case expenseType:
		if moments := []string{AtRetirement, AtPurchase}; !slices.Contains(moments, text) {
			return "", fmt.Errorf("unknown moment %s%s", shown(text), permitted(moments))
		}
	case accountType:
		return text, posting.CheckAccount(text)
	case Period:
		if d, err := time.ParseDuration(text); err != nil || d <= 0 {
			return "", fmt.Errorf("%s must be a duration above 0, such as 10s", s.Name)
		}
	}
	return text, nil
}

func (s Setting) inFile(value any) (string, error) {
	text, isText := value.(string)
	yes, isBool := value.(bool)
	switch {
	case s.Type == Boolean && isBool:
		return strconv.FormatBool(yes), nil
	case s.Type == Boolean || !isText:
		return "", fmt.Errorf("%s is to be %s", s.Name, s.Type)
	case s.Type == addressType:
		base, err := ParseBaseURL(text)
		return string(base), err
	}
	return s.Parse(text)
}
