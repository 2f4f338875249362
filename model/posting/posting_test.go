package posting_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/posting"
	"tonne/model/retirement"
)

var accounts = posting.Accounts{Credits: "Assets:CarbonCredits", Payable: "Liabilities:CarbonPayable",
	Expense: "Expenses:CarbonRetirement"}

func day(month time.Month, d int) time.Time { return time.Date(2026, month, d, 0, 0, 0, 0, time.UTC) }

// yearOfTwo is a source whose first request retires 20 t of the forest for Ann.
func yearOfTwo() posting.Source {
	of := modeltest.YearOfTwo()
	return posting.Source{
		Inventory: of.Inventory, Requests: of.Requests, Projects: of.Projects, References: map[string]string{"r1": "PO-1"},
		From: day(1, 1), To: day(3, 1), Accounts: accounts,
	}
}

func lines(entries []posting.Entry) (all []string) {
	for _, e := range entries {
		all = append(all, fmt.Sprintf("%s %s: %s to %s %s, %s", e.Date.Format(time.DateOnly), e.Kind, e.Debit, e.Credit,
			e.Amount.FormatDollars(), e.Memo))
	}
	return all
}

func TestEntriesOfAPeriod(t *testing.T) {
	t.Parallel()
	entries, left, _ := posting.Entries(yearOfTwo())
	must.Equal(t, left, nil)
	sums := make(map[string]model.Cents)
	for _, e := range entries {
		sums[e.Debit] += e.Amount
		sums[e.Credit] -= e.Amount
		must.Hold(t, (e.Kind == posting.Retirement) == (e.RequestID != ""), e)
		must.Equal(t, e.Reference, map[string]string{"r1": "PO-1"}[e.RequestID], e)
	}
	must.Equal(t, sums[accounts.Payable], -42_830, lines(entries))
	must.Hold(t, sums[accounts.Expense] > 0 && sums[accounts.Credits] == 42_830-sums[accounts.Expense], sums)
	source := yearOfTwo()
	source.From = day(2, 1)
	later, _, _ := posting.Entries(source)
	source.From, source.To = day(1, 1), day(2, 1)
	earlier, _, _ := posting.Entries(source)
	must.Equal(t, append(lines(earlier), lines(later)...), lines(entries), "the two months")
}

// A wallet without trades may come before one with trades.
func TestEachPurchaseHasOneEntry(t *testing.T) {
	t.Parallel()
	trades := []portfolio.Trade{{ExecutionDate: modeltest.OnDay("2026-01-05"), Quantity: 2e6, Price: 700,
		Type: portfolio.Buy}}
	for _, wallets := range [][]portfolio.Wallet{
		{{Quantity: 2e6, Trades: trades}}, {{}, {Quantity: 2e6, Trades: trades}},
		{{}, {}, {Quantity: 2e6, Trades: trades}, {}},
	} {
		source := yearOfTwo()
		source.Requests, source.Inventory = nil, &portfolio.Inventory{Projects: []portfolio.Project{
			{ID: "p", Vintages: []portfolio.Vintage{{ID: "v", Wallets: wallets}}},
		}}
		entries, left, doubts := posting.Entries(source)
		must.Hold(t, len(entries) == 1 && entries[0].Amount == 1400 && left == nil && doubts == nil, lines(entries), left,
			doubts)
	}
}

func TestRetirementsThatMayBeMissingAreNamed(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	source.Requests = nil
	_, left, doubts := posting.Entries(source)
	must.Hold(t,
		left == nil && len(doubts) == 2 && strings.HasPrefix(doubts[0], "Retirements of vintage f19 may be missing: "),
		left, doubts)
	source.From, source.To = day(1, 1).AddDate(-3, 0, 0), day(1, 1).AddDate(-2, 0, 0)
	entries, left, doubts := posting.Entries(source)
	must.Hold(t, entries == nil && left == nil && doubts == nil, "before the first purchase", entries, left, doubts)
}

func TestCreditsMayBeExpensedAtPurchase(t *testing.T) {
	t.Parallel()
	source := yearOfTwo()
	source.Accounts.AtPurchase = true
	source.Requests = source.Requests[:1]
	entries, left, _ := posting.Entries(source)
	must.Equal(t, left, nil, "costs of retirements are of no matter")
	for _, e := range entries {
		must.Hold(t, e.Kind == posting.Purchase && e.Debit == accounts.Expense && e.Credit == accounts.Payable, e)
	}
}

func TestAnEntryThatCannotBeMadeIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(s *posting.Source)
		says   string
	}{
		{"a request is missing", func(s *posting.Source) { s.Requests = s.Requests[1:] },
			"were bought that are neither in a wallet nor in a request of the ledger"},
		{"no date", func(s *posting.Source) { s.Requests[0].RetiredAt = model.Timestamp{} },
			"Request r1 has no date of retirement that can be read"},
		{"a trade that cannot be read", func(s *posting.Source) {
			s.Inventory.Projects[0].Vintages[0].Wallets[0].Trades[0].Price = model.UnknownPrice
		}, "cannot be read"},
		{"a sale", func(s *posting.Source) {
			s.Inventory.Projects[0].Vintages[0].Wallets[0].Trades[0].Type = portfolio.Sell
		},
			"has no entry"},
		{"items that do not add up", func(s *posting.Source) { s.Requests[0].TotalQuantity++ },
			"the items of request r1 do not add up to it"},
	} {
		source := yearOfTwo()
		all, _, _ := posting.Entries(source)
		c.change(&source)
		entries, left, _ := posting.Entries(source)
		must.Hold(t, strings.Contains(strings.Join(left, "\n"), c.says) && len(entries) < len(all), c.name, left,
			len(entries))
	}
}

func TestJournals(t *testing.T) {
	t.Parallel()
	entries := []posting.Entry{{
		Date: day(2, 8), Kind: posting.Retirement, Debit: accounts.Expense, Credit: accounts.Credits, Amount: 3105,
		Vintage: model.VintageKey{VintageID: "004a"}, Quantity: 5e6, Reference: `PO "7", b`, RequestID: "00m1",
		Memo: `Retired 5 t of "Bale"; Kenya | 2021 for A\B`,
	}}
	var hledger, beancount bytes.Buffer
	must.Succeed(t, posting.WriteHledger(&hledger, entries), posting.WriteBeancount(&beancount, entries))
	must.Equal(t, hledger.String(), `commodity 1000.00 USD
account Assets:CarbonCredits
account Expenses:CarbonRetirement

2026-02-08 * Retired 5 t of "Bale", Kenya / 2021 for A\B
    ; kind:retirement, vintage_id:004a, quantity_grams:5000000, retirement_request_id:00m1, reference:PO "7"; b
    Expenses:CarbonRetirement  31.05 USD
    Assets:CarbonCredits  -31.05 USD
`)
	must.Equal(t, beancount.String(), `option "operating_currency" "USD"
2026-02-08 open Assets:CarbonCredits USD
2026-02-08 open Expenses:CarbonRetirement USD

2026-02-08 * "Retired 5 t of \"Bale\"; Kenya | 2021 for A\\B"
  kind: "retirement"
  vintage_id: "004a"
  quantity_grams: 5000000
  retirement_request_id: "00m1"
  reference: "PO \"7\", b"
  Expenses:CarbonRetirement  31.05 USD
  Assets:CarbonCredits  -31.05 USD
`)
}

func TestNamesOfAccounts(t *testing.T) {
	t.Parallel()
	for name, accepts := range map[string]struct{ hledger, beancount bool }{
		"Assets:CarbonCredits": {true, true}, "Expenses:CO2:2026": {true, true}, "Aktiva:Zertifikate CO₂": {true, false},
		"assets:credits": {true, false}, "Assets": {true, false}, "": {}, "Assets:A:": {}, "Assets::A": {}, ":A": {},
		"a  b": {}, " a": {}, "a;b": {}, "(a)": {},
		"a\nb": {},
	} {
		must.Equal(t, posting.CheckAccount(name) == nil, accepts.hledger, name)
		all := accounts
		all.Expense = name
		must.Equal(t, posting.CheckBeancount(all) == nil, accepts.beancount, name)
	}
}

// manyHistories are the purchases and retirements of many vintages, each by chance.
func manyHistories(random *rand.Rand, n int) posting.Source {
	s := posting.Source{Inventory: &portfolio.Inventory{}, From: day(1, 1), To: day(12, 31), Accounts: accounts,
		References: map[string]string{}}
	for i := range n {
		project := portfolio.Project{ID: fmt.Sprintf("p%d;|\"\\", i),
			Vintages: []portfolio.Vintage{{ID: fmt.Sprintf("v%d,x", i)}}}
		wallet, held := portfolio.Wallet{}, model.Grams(0)
		for hour := range random.IntN(12) {
			at := model.At(day(1, 1).Add(time.Duration(hour*200) * time.Hour))
			if random.IntN(2) == 0 {
				grams := model.Grams(1 + random.Int64N(5_000_000))
				price := model.PriceCents(random.Int64N(2000))
				wallet.Trades = append(wallet.Trades,
					portfolio.Trade{ExecutionDate: at, Quantity: grams, Price: price, Type: portfolio.Buy})
				held += grams
			} else if held > 0 {
				grams := 1 + model.Grams(random.Int64N(int64(held)))
				id := fmt.Sprintf("r%d-%d", i, hour)
				s.References[id] = "line\n2: \"x\", y; z"
				s.Requests = append(s.Requests, &retirement.Request{
					ID: id, Status: retirement.Complete, TotalQuantity: grams, ProjectID: project.ID,
					VintageID: project.Vintages[0].ID,
					RetiredAt: at,
					Items:     []retirement.Item{{ID: id, Quantity: grams, CreatedAt: at, RetireeName: `O'Neil "&" Söhne; 株`}},
				})
				held -= grams
			}
		}
		wallet.Quantity = held
		project.Vintages[0].Wallets = append(make([]portfolio.Wallet, random.IntN(3)), wallet)
		s.Inventory.Projects = append(s.Inventory.Projects, project)
	}
	return s
}

// need returns the path of a program, without which the test is skipped, or fails if TONNE_TEST_REQUIRE_LEDGERS is set.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil && os.Getenv("TONNE_TEST_REQUIRE_LEDGERS") == "" {
		t.Skip(err)
	}
	must.Succeed(t, err)
	return path
}

func TestProgramsAcceptTheJournals(t *testing.T) {
	t.Parallel()
	entries, left, _ := posting.Entries(manyHistories(rand.New(rand.NewPCG(1, 2)), longtest.Runs(1000, 5000)))
	must.Need(t, len(left) == 0 && len(entries) > 2000, left, len(entries))
	for _, c := range []struct {
		program string
		write   func(*bytes.Buffer) error
		args    []string
	}{
		{"hledger", func(b *bytes.Buffer) error { return posting.WriteHledger(b, entries) },
			[]string{"check", "--strict", "-f"}},
		{"bean-check", func(b *bytes.Buffer) error { return posting.WriteBeancount(b, entries) }, nil},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			program := need(t, c.program)
			var journal bytes.Buffer
			must.Succeed(t, c.write(&journal))
			path := filepath.Join(t.TempDir(), "journal."+strings.TrimSuffix(c.program, "-check"))
			must.Succeed(t, os.WriteFile(path, journal.Bytes(), 0o600))
			said, err := exec.Command(program, append(c.args, path)...).CombinedOutput()
			must.Hold(t, err == nil && len(bytes.TrimSpace(said)) == 0, err, string(said[:min(len(said), 2000)]))
		})
	}
}

func lastWallet(s posting.Source) portfolio.Wallet {
	wallets := s.Inventory.Projects[0].Vintages[0].Wallets
	return wallets[len(wallets)-1]
}

func TestEntriesAddUpToWhatIsLeft(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		source := manyHistories(random, 1)
		entries, _, _ := posting.Entries(source)
		sum, unspent := model.Cents(0), lastWallet(source)
		for _, e := range entries {
			if e.Kind == posting.Purchase {
				sum += e.Amount
			} else {
				sum -= e.Amount
			}
		}
		// What is left are the last lots.
		left, rest := model.Cost{}, unspent.Quantity
		for i := len(unspent.Trades) - 1; rest > 0; i-- {
			part := min(rest, unspent.Trades[i].Quantity)
			left = must.Get(left.Add(must.Get(model.CostOf(part, unspent.Trades[i].Price))))
			rest -= part
		}
		off := sum - must.Get(left.Cents())
		must.Hold(t, off >= -1 && off <= 1, "the account has", sum, "but what is left cost", left)
	}
}
