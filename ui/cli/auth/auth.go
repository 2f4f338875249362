// Package auth implements the command `tonne auth`: it checks, stores and removes API keys.
// The storage itself is package ui/cli/credentials.
package auth

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model/advice"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
)

// Command returns `tonne auth`.
func Command(a *command.App) *cobra.Command {
	return a.Group("auth", "Store, check or remove the API key of a marketplace",
		"  tonne auth login --base-url https://market.example\n  tonne auth status\n  tonne auth logout",
		loginCommand(a),
		a.Verb(&cobra.Command{
			Use: "status", Short: "Print the key in use and its storage, and check it",
			Example: "  tonne auth status\n  tonne auth status --profile acme",
		}, command.Reads, status),
		a.Verb(&cobra.Command{
			Use: "logout", Short: "Remove a stored API key",
			Long:    "Removes the key from this machine. The key stays valid until the marketplace deactivates it.",
			Example: "  tonne auth logout\n  tonne auth logout --profile acme",
		}, command.WritesLocal, logout))
}

func loginCommand(a *command.App) *cobra.Command {
	var inFile bool
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Check and store an API key",
		Long: "Reads the API key from a prompt that hides it, or from standard input, and checks it\n" +
			"with one request. tonne stores the key in the keyring of the system or, if there is\n" +
			"none, in a file that only you can read. The key is used only for this address.",
		Example: "  tonne auth login --base-url https://market.example\n" +
			"  tonne auth login --profile acme --base-url https://market.example\n" +
			"  pass show tonne | tonne auth login --base-url https://market.example",
		// The argument is probably the key, so the message does not repeat it.
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return command.Usage("type the key at the prompt, or give it on standard input",
				"%s takes no argument; a key is never an argument", advice.Tonne("auth login"))
		},
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return login(ctx, a, inFile) }),
	}
	a.ConnectionFlags(cmd)
	cmd.Flags().BoolVar(&inFile, "file", false, "store the key in a file, not in the keyring")
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal})
}

func login(ctx context.Context, a *command.App, inFile bool) error {
	s, fresh, err := target(ctx, a)
	if err != nil {
		return err
	}
	if s.Key, err = a.AskKey(ctx, s.Place()); err != nil {
		return err
	}
	a.Key, a.KeySource = s.Key, command.FromStdin
	if terminal.IsTerminal(a.Stdin) {
		a.KeySource = command.FromPrompt
	}
	if err := a.Check(ctx, s); err != nil {
		return err
	}
	if inFile {
		s.Credentials = credentials.Open(a.CredentialsDir(), nil)
	}
	place, err := s.SaveKey(fresh)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr,
		"The key is valid for %s. It may read the market, your inventory and your retirement requests.\n", s.Place())
	stored := "the keyring"
	if place == credentials.InFile {
		stored = s.Credentials.Path()
	}
	fmt.Fprintf(a.Stderr, "It is stored in %s.\n", stored)
	tellDefault(a, s)
	if a.Getenv("TONNE_API_KEY") != "" {
		a.Warn("TONNE_API_KEY is set and overrides the stored key")
	}
	return nil
}

// tellDefault says which marketplace a run without flags opens, if there are several, and how to open the others.
func tellDefault(a *command.App, s *command.Settings) {
	usual, err := a.Usual()
	if err != nil {
		return
	}
	var others []string
	for _, name := range usual.Names() {
		if name != cmp.Or(usual.ProfileName, usual.BaseURL.Host()) {
			others = append(others, "--profile "+advice.ShellWord(name))
		}
	}
	if len(others) == 0 {
		return
	}
	place := usual.Place()
	if usual.ProfileName != "" {
		place = "the profile " + usual.ProfileName + " at " + place
	}
	now := "still"
	if usual.ProfileName == s.ProfileName && usual.BaseURL.Same(s.BaseURL) {
		now = "now"
	}
	fmt.Fprintf(a.Stderr, "By default, tonne %s opens %s. The others: %s; :profile in the dashboard lists them.\n",
		now, place, strings.Join(others, ", "))
}

func target(ctx context.Context, a *command.App) (s *command.Settings, fresh bool, err error) {
	profile := a.Flags["profile"]
	file, err := a.ConfigFile()
	if err != nil {
		return nil, false, err
	}
	if _, known := file.Lookup(profile); profile != "" && !known && a.Flags["base_url"] != "" {
		fresh, a.Flags["profile"] = true, ""
		defer func() { a.Flags["profile"] = profile }()
	}
	s, err = a.Settings()
	if errors.Is(err, command.ErrNotConfigured) {
		if s.BaseURL, err = askBaseURL(ctx, a); err != nil {
			return nil, false, err
		}
		s.FitProfile()
		a.Production = s.Production()
	}
	if err != nil {
		return nil, false, err
	}
	if fresh {
		s.ProfileName = profile
	}
	return s, fresh, nil
}

func askBaseURL(ctx context.Context, a *command.App) (config.BaseURL, error) {
	if !terminal.IsTerminal(a.Stdin) {
		return "", command.Usage("give --base-url URL", "no address of a marketplace is given")
	}
	fmt.Fprint(a.Stderr, "Address of the marketplace: ")
	line, err := a.Answer(ctx, func() (string, error) { return bufio.NewReader(a.Stdin).ReadString('\n') })
	if err != nil {
		return "", err
	}
	base, err := config.ParseBaseURL(line)
	if err != nil {
		return "", command.Usage(command.AddressAdvice(strings.TrimSpace(line)), "%v", err)
	}
	return base, nil
}

func status(ctx context.Context, a *command.App) error {
	client, s, err := a.Connect()
	if err != nil {
		return err
	}
	client.Close()
	text := fmt.Sprintf("marketplace  %s (%s)\n", s.BaseURL, s.BaseURLFrom)
	if s.ProfileName != "" {
		text += fmt.Sprintf("profile      %s (%s)\n", s.ProfileName, s.ProfileFrom)
	}
	if production := s.Production(); production != "" {
		text += "environment  " + production + "\n"
	}
	if _, err := fmt.Fprintf(a.TextOut(), "%skey          %s\n", text, s.KeyFrom); err != nil {
		return err
	}
	if err := a.Check(ctx, s); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.TextOut(), "check        the key works")
	return err
}

func logout(_ context.Context, a *command.App) error {
	store := credentials.Open(a.CredentialsDir(), a.Keyring)
	account, err := orphan(a, store)
	if errors.Is(err, credentials.ErrNone) {
		account, err = accountInUse(a, store)
	}
	if err != nil {
		return err
	}
	if err := store.Forget(account.Profile, account.BaseURL); err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "The key for %s is removed from this machine.\n", accountText(a, account))
	if left, err := store.InUse(account.Profile, account.BaseURL); err == nil {
		fmt.Fprintf(a.Stderr, "From now on, the key for %s is used, which is still stored.\n", accountText(a, left))
	}
	return nil
}

func accountText(a *command.App, account credentials.Account) string {
	text := account.BaseURL.Host()
	if account.Profile != "" {
		text += ", profile " + account.Profile
	}
	if file, err := a.ConfigFile(); err == nil && file.Production(account.BaseURL) != "" {
		text += " (PRODUCTION)"
	}
	return text
}

// orphan finds the account that --profile names if the configuration has no such profile,
// or another address for it. The error is credentials.ErrNone if there is none.
func orphan(a *command.App, store *credentials.Store) (credentials.Account, error) {
	none := credentials.Account{}
	file, err := a.ConfigFile()
	if err != nil {
		return none, err
	}
	base, _ := config.ParseBaseURL(a.Flags["base_url"])
	profile, known := file.Lookup(a.Flags["profile"])
	if a.Flags["profile"] == "" || known && (a.Flags["base_url"] == "" || profile.BaseURL.Origin() == base.Origin()) {
		return none, credentials.ErrNone
	}
	accounts, err := store.Accounts()
	if err != nil {
		return none, err
	}
	for _, account := range accounts {
		if account.Profile == a.Flags["profile"] && (a.Flags["base_url"] == "" || account.BaseURL.Origin() == base.Origin()) {
			return account, nil
		}
	}
	return none, credentials.ErrNone
}

func accountInUse(a *command.App, store *credentials.Store) (credentials.Account, error) {
	s, err := a.Settings()
	switch {
	case err == nil:
		account, err := store.InUse(s.KeyProfile(), s.BaseURL)
		if errors.Is(err, credentials.ErrNone) {
			err = nothingInUse(store, fmt.Sprintf("no key is stored for %s", s.BaseURL.Host()))
		}
		return account, err
	case errors.Is(err, command.ErrNotConfigured):
		return credentials.Account{}, nothingInUse(store, "no key is in use")
	}
	return credentials.Account{}, err
}

func nothingInUse(store *credentials.Store, what string) error {
	accounts, err := store.Accounts()
	if err != nil {
		return err
	}
	if len(accounts) == 0 {
		return command.Usage(advice.Format("%s prints the configuration", advice.Tonne("config show")), "no key is stored")
	}
	login := "tonne auth logout --base-url " + string(accounts[0].BaseURL)
	if accounts[0].Profile != "" {
		login += " --profile " + accounts[0].Profile
	}
	return command.Usage(fmt.Sprintf("to remove the key that was stored last, run `%s`", login), "%s", what)
}
