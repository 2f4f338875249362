package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tonne/api"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
)

func (a *app) authCommand() *cobra.Command {
	return a.group("auth", "Store, check or remove the API key of a marketplace",
		"  tonne auth login --base-url https://market.example\n  tonne auth status\n  tonne auth logout",
		a.loginCommand(), a.authStatusCommand(), a.logoutCommand())
}

type loginRun struct {
	*app
	inFile bool
}

func (a *app) loginCommand() *cobra.Command {
	l := &loginRun{app: a}
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Check and store an API key",
		Long: "Reads the API key from a prompt that does not show it, or from standard input,\n" +
			"checks it with one request and stores it: in the keyring of the system, or in a\n" +
			"file that only you can read where there is none. The key is bound to the address.",
		Example: "  tonne auth login --base-url https://market.example\n" +
			"  tonne auth login --profile acme --base-url https://market.example\n" +
			"  pass show tonne | tonne auth login --base-url https://market.example",
		Args: noKeyArgs,
		RunE: do(l.run),
	}
	a.connectionFlags(cmd)
	cmd.Flags().BoolVar(&l.inFile, "file", false, "store the key in a file, not in the keyring")
	return a.describe(cmd, description{effect: writesLocal})
}

// noKeyArgs refuses arguments without repeating them: whoever gives one gives
// the key, whatever it looks like.
func noKeyArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("type the key at the prompt, or give it on standard input", "`tonne auth login` takes no argument, and a key is never one")
}

func (l *loginRun) run(ctx context.Context, _ *cobra.Command, _ []string) error {
	s, fresh, err := l.target(ctx)
	if err != nil {
		return err
	}
	if s.key, err = l.askKey(ctx, s.place()); err != nil {
		return err
	}
	l.key, l.keySource = s.key, fromStdin
	if isTerminal(l.Stdin) {
		l.keySource = fromPrompt
	}
	if err := l.check(ctx, s); err != nil {
		return err
	}
	if l.inFile {
		s.credentials = credentials.Open(l.credentialsDir(), nil)
	}
	place, err := l.saveKey(s, fresh)
	if err != nil {
		return err
	}
	fmt.Fprintf(l.Stderr, "The key is valid for %s. It may read the market, your inventory and your retirement requests.\n", s.place())
	fmt.Fprintf(l.Stderr, "It is stored in %s.\n", placeText(place, s.credentials))
	if l.Getenv("TONNE_API_KEY") != "" {
		l.warn("TONNE_API_KEY is set, and wins over the key that is stored")
	}
	return nil
}

func placeText(place credentials.Place, store *credentials.Store) string {
	if place == credentials.InKeyring {
		return "the keyring"
	}
	return store.Path()
}

func (l *loginRun) target(ctx context.Context) (s *settings, fresh bool, err error) {
	profile := l.flags["profile"]
	file, err := l.configFile()
	if err != nil {
		return nil, false, err
	}
	if _, known := file.Lookup(profile); profile != "" && !known && l.flags["base_url"] != "" {
		fresh, l.flags["profile"] = true, ""
		defer func() { l.flags["profile"] = profile }()
	}
	s, err = l.settings()
	if errors.Is(err, errNotConfigured) {
		if s.baseURL, err = l.askBaseURL(ctx); err != nil {
			return nil, false, err
		}
		s.fitProfile()
		l.production = s.production()
	}
	if err != nil {
		return nil, false, err
	}
	if fresh {
		s.profileName = profile
	}
	return s, fresh, nil
}

func (a *app) saveKey(s *settings, fresh bool) (credentials.Place, error) {
	if fresh {
		if err := s.file.AddProfile(s.profileName, config.Profile{BaseURL: s.baseURL}); err != nil {
			return "", fmt.Errorf("the profile was not added: %w", err)
		}
	}
	place, err := s.credentials.Save(s.profileName, s.baseURL, s.key)
	if err != nil {
		return "", fmt.Errorf("the key was not stored: %w", err)
	}
	return place, nil
}

func (a *app) check(ctx context.Context, s *settings) error {
	client, err := a.newClient(s, 0)
	if err != nil {
		return err
	}
	defer client.Close()
	_, _, err = client.MarketPage(ctx, api.MarketQuery{PerPage: 1})
	return err
}

func (l *loginRun) askBaseURL(ctx context.Context) (config.BaseURL, error) {
	if !isTerminal(l.Stdin) {
		return "", usage("give --base-url URL", "there is no marketplace to log in to")
	}
	fmt.Fprint(l.Stderr, "Address of the marketplace: ")
	line, err := l.answer(ctx, func() (string, error) { return bufio.NewReader(l.Stdin).ReadString('\n') })
	if err != nil {
		return "", err
	}
	base, err := config.ParseBaseURL(line)
	if err != nil {
		return "", usage(addressAdvice(strings.TrimSpace(line)), "%v", err)
	}
	return base, nil
}

// longestKey is more than any API key has.
const longestKey = 4 << 10

func (l *app) askKey(ctx context.Context, place string) (string, error) {
	read := func() (string, error) {
		text, err := io.ReadAll(io.LimitReader(l.Stdin, longestKey))
		return string(text), err
	}
	if in, ok := l.Stdin.(*os.File); ok && isTerminal(in) {
		prompt := fmt.Sprintf("API key for %s (it is not shown): ", place)
		read = func() (string, error) { return readHidden(in, l.Stderr, prompt) }
	}
	text, err := l.answer(ctx, read)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(text)
	if key == "" {
		return "", usage("type it at the prompt, or pass it on standard input", "there is no key to store")
	}
	return key, nil
}

// readHidden reads a line from a terminal that shows none of it. The terminal
// stops showing what is typed before the prompt appears, so that nothing typed
// early is seen.
func readHidden(in *os.File, out io.Writer, prompt string) (string, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	line, err := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "").ReadPassword(prompt)
	if errors.Is(err, io.EOF) {
		return "", &failure{status: statusInterrupted, silent: true}
	}
	return line, err
}

// answer waits for a person, or until the command is ended. Reading from a
// terminal cannot be cancelled, so it is left behind.
func (a *app) answer(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		a.terminal.restore()
		return "", context.Cause(ctx)
	}
}

func (a *app) authStatusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Print which key is used, where it is, and whether it works",
		Example: "  tonne auth status\n  tonne auth status --profile acme",
		Args:    cobra.NoArgs,
		RunE:    do(a.authStatus),
	}
	a.connectionFlags(cmd)
	return a.describe(cmd, description{effect: reads})
}

func (a *app) authStatus(ctx context.Context, _ *cobra.Command, _ []string) error {
	client, s, err := a.connect()
	if err != nil {
		return err
	}
	client.Close()
	text := fmt.Sprintf("marketplace  %s (%s)\n", s.baseURL, s.baseURLFrom)
	if s.profileName != "" {
		text += fmt.Sprintf("profile      %s (%s)\n", s.profileName, s.profileFrom)
	}
	if production := s.production(); production != "" {
		text += "environment  " + production + "\n"
	}
	if _, err := fmt.Fprintf(a.Stdout, "%skey          %s\n", text, s.keyFrom); err != nil {
		return err
	}
	if err := a.check(ctx, s); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, "check        the key works")
	return err
}

func (a *app) logoutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "logout",
		Short:   "Remove a stored API key",
		Long:    "Removes the key from this machine. It stays valid: deactivate it at the marketplace.",
		Example: "  tonne auth logout\n  tonne auth logout --profile acme",
		Args:    cobra.NoArgs,
		RunE:    do(a.logout),
	}
	a.connectionFlags(cmd)
	return a.describe(cmd, description{effect: writesLocal})
}

func (a *app) logout(context.Context, *cobra.Command, []string) error {
	store := credentials.Open(a.credentialsDir(), a.Keyring)
	account, err := a.orphan(store)
	if errors.Is(err, credentials.ErrNone) {
		account, err = a.accountInUse(store)
	}
	if err != nil {
		return err
	}
	if err := store.Forget(account.Profile, account.BaseURL); err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "The key for %s is removed from this machine.\n", a.accountText(account))
	if left, err := store.InUse(account.Profile, account.BaseURL); err == nil {
		fmt.Fprintf(a.Stderr, "The key for %s is still there, and used from now on.\n", a.accountText(left))
	}
	return nil
}

func (a *app) accountText(account credentials.Account) string {
	text := account.BaseURL.Host()
	if account.Profile != "" {
		text += ", profile " + account.Profile
	}
	file, err := a.configFile()
	if err != nil {
		return text
	}
	if file.Production(account.BaseURL) != "" {
		text += " (PRODUCTION)"
	}
	return text
}

// orphan finds the account of the profile that --profile names if the
// configuration has none of that name, or has another address for it: its key
// could not be removed otherwise.
// The error is credentials.ErrNone if there is no such account.
func (a *app) orphan(store *credentials.Store) (credentials.Account, error) {
	none := credentials.Account{}
	file, err := a.configFile()
	if err != nil {
		return none, err
	}
	base, _ := config.ParseBaseURL(a.flags["base_url"])
	profile, known := file.Lookup(a.flags["profile"])
	if a.flags["profile"] == "" || known && (a.flags["base_url"] == "" || profile.BaseURL.Origin() == base.Origin()) {
		return none, credentials.ErrNone
	}
	accounts, err := store.Accounts()
	if err != nil {
		return none, err
	}
	for _, account := range accounts {
		if account.Profile == a.flags["profile"] && (a.flags["base_url"] == "" || account.BaseURL.Origin() == base.Origin()) {
			return account, nil
		}
	}
	return none, credentials.ErrNone
}

func (a *app) accountInUse(store *credentials.Store) (credentials.Account, error) {
	s, err := a.settings()
	switch {
	case err == nil:
		account, err := store.InUse(s.keyProfile(), s.baseURL)
		if errors.Is(err, credentials.ErrNone) {
			err = nothingInUse(store, fmt.Sprintf("no key is stored for %s", s.baseURL.Host()))
		}
		return account, err
	case errors.Is(err, errNotConfigured):
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
		return usage("`tonne config show` tells what is configured", "no key is stored")
	}
	login := "tonne auth logout --base-url " + string(accounts[0].BaseURL)
	if accounts[0].Profile != "" {
		login += " --profile " + accounts[0].Profile
	}
	return usage(fmt.Sprintf("the one that was stored last is removed by `%s`", login), "%s", what)
}
