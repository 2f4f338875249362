package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
)

const pagination = `"pagination":{"per_page":20,"total_pages":1,"total_items":1,"current_page":1}`

// decoders are the decoders of the interface: each returns all that it has read. good is a body that it accepts.
var decoders = map[string]struct {
	read func([]byte) (any, error)
	good string
}{
	"market": {readAllOfMarket,
		`{"projects":[{"project_id":"p","vintages":[{"vintage_id":"v","vintage_year":2019,"sell_orders":[{"sell_order_id":"o","quantity_grams":"1","price_cents":"2"}]}]}],` + pagination + `}`},
	"inventory": {func(b []byte) (any, error) {
		inv, page, err := DecodeInventory(b)
		if err != nil {
			return nil, err
		}
		return []any{*inv, page}, nil
	}, `{"projects":[{"project_id":"p","vintages":[{"vintage_id":"v","wallets":[{"type":"CAAS","quantity_grams":"1","trades":[{"execution_date":"2024-01-02T03:04:05Z","quantity_grams":"1","price_cents":"2","type":"BUY"}]}]}]}],` + pagination + `}`},
	"retirement": {readAll(DecodeRetirement),
		`{"id":"r","status":"OPEN","total_quantity":"1","type":"FRACTIONALISED","project_id":"p","vintage_id":"v","created_at":"2024-01-02T03:04:05Z","retirement_request_items":[{"id":"i","quantity":"1","created_at":"2024-01-02T03:04:05Z"}]}`},
	"projects": {readAll(DecodeProjects),
		`{"projects":[{"project_id":"p","project_name":"n","vintages":[{"vintage_id":"v","vintage_year":2019}]}]}`},
	"accepted": {readAll(func(b []byte) (RetireAccepted, error) {
		answer, err := DecodeRetireAccepted(b)
		if err == nil && answer.RequestID == "" {
			err = errors.New("a call was accepted into no request")
		}
		return answer, err
	}), `{"retirement_request_id":"00m1","external_id_already_processed":true,"vintage_id":"v"}`},
}

func readAll[T any](decode func([]byte) (T, error)) func([]byte) (any, error) {
	return func(body []byte) (any, error) { return decode(body) }
}

func readAllOfMarket(body []byte) (any, error) {
	part, page, err := DecodeMarket(body)
	if err != nil {
		return nil, err
	}
	m := market.New(part)
	var all []any
	for p := range m.Projects() {
		all = append(all, m.Project(p), m.Extra(m.Project(p).ID))
	}
	for i := range m.Vintages() {
		if m.Vintage(i).BestAsk < model.UnknownPrice || m.Vintage(i).Available < model.UnknownGrams {
			return nil, errors.New("a vintage is negative")
		}
		all = append(all, m.Vintage(i), m.Extra(m.Vintage(i).ID))
	}
	for i := range m.Orders() {
		all = append(all, m.Order(i), m.Extra(m.Order(i).ID))
	}
	return append(all, m.Faults(), page), nil
}

func decode(name, body string) error {
	_, err := decoders[name].read([]byte(body))
	return err
}

func TestBodyThatIsNotTheDocumentedObjectIsAnError(t *testing.T) {
	bodies := map[string]string{
		"nothing":                           "",
		"blanks":                            " \n",
		"an empty object":                   "{}",
		"null":                              "null",
		"an array":                          "[]",
		"a string":                          `"projects"`,
		"a number":                          "1",
		"HTML":                              "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
		"an error":                          `{"statusCode":500,"message":"Internal server error"}`,
		"2 million deep":                    strings.Repeat("[", 2_000_000),
		"deep in a member it does not know": `{"x":` + strings.Repeat(`{"x":`, 2_000_000),
	}
	for name := range decoders {
		for what, body := range bodies {
			t.Run(name+"/"+what, func(t *testing.T) {
				assertError(t, decode(name, body))
			})
		}
	}
}

func TestBodyThatIsNotWholeIsAnError(t *testing.T) {
	for name, d := range decoders {
		t.Run(name, func(t *testing.T) {
			must.Need(t, decode(name, d.good) == nil, "the whole body is refused")
			must.Succeed(t, decode(name, d.good+" \r\n\t"))
			for end := range len(d.good) {
				assertError(t, decode(name, d.good[:end]))
			}
			for _, behind := range []string{"x", "{}", "]", "\x00", ","} {
				assertError(t, decode(name, d.good+behind))
			}
		})
	}
}

// essentialMembers are the members without which a body is unusable, and expectedMembers
// those without which a value of it is unknown. Each is once in the good body of its
// decoder. docs/interface.md lists them.
var (
	essentialMembers = map[string][]string{
		"market":     {"projects", "pagination", "total_pages", "total_items", "vintages", "sell_orders"},
		"inventory":  {"projects", "pagination", "total_pages", "total_items", "vintages", "wallets", "trades"},
		"retirement": {"id", "status"},
		"projects":   {"projects"},
		"accepted":   {"retirement_request_id"},
	}
	expectedMembers = map[string][]string{
		"market": {"per_page", "current_page", "project_id", "vintage_id", "vintage_year", "sell_order_id", "quantity_grams",
			"price_cents"},
		"inventory":  {"per_page", "current_page", "project_id", "vintage_id", "execution_date", "price_cents"},
		"retirement": {"total_quantity", "type", "project_id", "vintage_id", "quantity"},
		"projects":   {"project_id", "vintage_id"},
	}
)

func TestEssentialMemberThatIsMissingOrNullIsAnErrorWithItsName(t *testing.T) {
	for name, members := range essentialMembers {
		d := decoders[name]
		for _, member := range members {
			err := decode(name, strings.Replace(d.good, `"`+member+`"`, `"renamed"`, 1))
			assertError(t, err)
			must.Hold(t, err == nil || strings.Contains(err.Error(), member), name, err, member)
		}
	}
}

func TestExpectedMemberThatIsMissingOrOfAnotherTypeIsUnknown(t *testing.T) {
	for name, members := range expectedMembers {
		d := decoders[name]
		for _, member := range members {
			missing := strings.Replace(d.good, `"`+member+`"`, `"renamed"`, 1)
			must.Hold(t, missing != d.good, name, "has no", member)
			read, err := d.read([]byte(missing))
			must.Hold(t, err == nil, name, member, err)
			// Project details have no faults.
			must.Hold(t, name == "projects" || strings.Contains(fmt.Sprintf("%+v", read), member+" is missing"), name, member,
				read)
			for _, value := range []string{"null", "{}", "[]", "true", "7.5"} {
				_, err := d.read([]byte(strings.Replace(d.good, `"`+member+`":`, `"`+member+`":`+value+`,"renamed":`, 1)))
				must.Hold(t, err == nil, name, member, value, err)
			}
		}
	}
}

func TestByteOrderMarkIsIgnored(t *testing.T) {
	const mark = "\ufeff"
	for name, d := range decoders {
		must.Succeed(t, decode(name, mark+d.good))
		assertError(t, decode(name, d.good+mark))
	}
	must.Hold(t, IsWebPage([]byte(mark+"\r\n<html>")), "not a web page")
	must.Equal(t, DecodeFailure([]byte(mark+`{"message":"m"}`)), Failure{Message: "m", JSON: true})
}

func TestTitleOfAWebPage(t *testing.T) {
	for _, tt := range []struct{ body, title string }{
		{"<html><head><title>Access Denied</title>", "Access Denied"},
		{"\ufeff<!DOCTYPE html>\n<TITLE lang=en>\n Just a\tmoment&hellip; </TITLE>", "Just a moment…"},
		{"<title>\x1b[2J\u202e</title>", "␛[2J<U+202E>"},
		{"<title>" + strings.Repeat("x", 100) + "</title>", strings.Repeat("x", maxTitle) + "…"},
		{"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", ""},
		{"<html><title>not closed", ""},
		{"{\"title\":\"<title>x</title>\"}", ""},
		{"<html>" + strings.Repeat(" ", maxHead) + "<title>too late</title>", ""},
	} {
		must.Equal(t, PageTitle([]byte(tt.body)), tt.title)
	}
}

func TestMemberThatIsThereTwiceIsAnError(t *testing.T) {
	for name, d := range decoders {
		for _, twice := range []string{
			strings.Replace(d.good, "{", `{"extra":1,"extra":1,`, 1),
			strings.Replace(d.good, `"vintage_id":`, `"vintage_id":"other","vintage_id":`, 1),
			strings.Replace(d.good, `"vintage_id":`, `"vintage\u005fid":"other","vintage_id":`, 1),
		} {
			err := decode(name, twice)
			assertError(t, err)
			must.Hold(t, err == nil || strings.Contains(err.Error(), "twice"), name, err)
		}
	}
}

func TestListThatIsNoArrayIsAnError(t *testing.T) {
	for name, member := range map[string]string{"market": "projects", "inventory": "projects", "projects": "projects"} {
		for _, value := range []string{"{}", `"x"`, "[null]", "[1]", "[[]]"} {
			body := `{"` + member + `":` + value + `,` + pagination + `}`
			assertError(t, decode(name, body))
		}
	}
}

// Orders without white space are read in another way, if they are as the interface has them.
func TestOrderIsTheSameWithWhiteSpace(t *testing.T) {
	const good = `{"sell_order_id":"006a","quantity_grams":"5000000","price_cents":"620"}`
	for _, with := range [][2]string{
		{}, {"006a", ""}, {"006a", "a b"}, {"006a", `a\u0062`}, {"006a", "\xff"}, {"006a", strings.Repeat("x", maxText)},
		{"006a", strings.Repeat("x", maxText+1)}, {`"006a"`, "6"}, {"5000000", ""}, {"5000000", "5x"}, {"5000000", "-5"},
		{"5000000", "9223372036854775808"}, {"5000000", "007"}, {`"5000000"`, "5"}, {`"5000000"`, "null"}, {"620", "6.0"},
		{`"620"`, `"620","price_cents":"1"`}, {`"620"`, `"620","note":"x"`}, {`"620"}`, `"620"`}, {`}`, `}}`},
		{`,"price_cents":"620"`, ""}, {"price_cents", "price_\\u0063ents"}, {"price_cents", "sell_order_id"}, {"price", "Price"},
	} {
		order := strings.Replace(good, with[0], with[1], 1)
		for _, orders := range []string{order, good + "," + order, good + order, order + "," + good, "," + order} {
			body := `{"projects":[{"project_id":"p","vintages":[{"vintage_id":"v","vintage_year":2020,"sell_orders":[` +
				orders + `]}]}],` + pagination + `}`
			plain, err := readAllOfMarket([]byte(body))
			spaced, spacedErr := readAllOfMarket([]byte(strings.ReplaceAll(body, `":`, `" : `)))
			must.Equal(t, fmt.Sprint(plain, err), fmt.Sprint(spaced, spacedErr), orders)
		}
	}
}

// Each array of a good body may be null instead, which is empty. One that is
// missing is still an error if it is required.
func TestNullArrayIsEmpty(t *testing.T) {
	arrays := map[string][]string{
		"market": {"projects", "vintages", "sell_orders"}, "inventory": {"projects", "vintages", "wallets", "trades"},
		"retirement": {"retirement_request_items"}, "projects": {"projects", "vintages"},
	}
	for name, members := range arrays {
		d := decoders[name]
		for _, member := range members {
			before, rest, _ := strings.Cut(d.good, `"`+member+`":[`)
			depth := 1
			end := strings.IndexFunc(rest, func(c rune) bool {
				switch c {
				case '[':
					depth++
				case ']':
					depth--
				}
				return depth == 0
			})
			body := before + `"` + member + `":null` + rest[end+1:]
			err := decode(name, body)
			must.Hold(t, err == nil, name, body, err)
		}
	}
}

func TestErrorIsBounded(t *testing.T) {
	body := strings.Replace(decoders["market"].good, `"total_pages":1`, `"total_pages":"`+strings.Repeat("ж", 9000)+`"`, 1)
	must.Equal(t, decode("market", body).Error(),
		`pagination.total_pages is not a whole number: "`+strings.Repeat("ж", 29)+"…")
}

func assertError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	must.Hold(t, errors.As(err, &e), err)
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "plain", hostile, "\xff", "👨\u200d👩", "e\u0301\u0301", "می\u200cخواهم", "\u0301",
		"\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		assertClean(t, s, got)
		must.Hold(t, len(got) <= maxText+16, len(got))
		must.Equal(t, Clean(got), got)
	})
}

// fuzzDecoder checks that a decoder neither panics nor returns another error than an *Error, and that what it reads is
// sanitised.
func fuzzDecoder(f *testing.F, name string) {
	f.Add([]byte(decoders[name].good))
	for _, seed := range []string{"", "{}", "null", `{"projects":[`, `{"projects":[{}]}`, "\xff", `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		read, err := decoders[name].read(body)
		text := fmt.Sprintf("%+v", read)
		if err != nil {
			assertError(t, err)
			text = err.Error()
		}
		assertClean(t, string(body), text)
	})
}

func FuzzDecodeMarket(f *testing.F)         { fuzzDecoder(f, "market") }
func FuzzDecodeInventory(f *testing.F)      { fuzzDecoder(f, "inventory") }
func FuzzDecodeRetirement(f *testing.F)     { fuzzDecoder(f, "retirement") }
func FuzzDecodeProjects(f *testing.F)       { fuzzDecoder(f, "projects") }
func FuzzDecodeRetireAccepted(f *testing.F) { fuzzDecoder(f, "accepted") }

func FuzzDecodeFailure(f *testing.F) {
	f.Add([]byte(`{"error":{"message":["a"]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		failure := DecodeFailure(body)
		assertClean(t, string(body), failure.Code+failure.Message)
		must.Hold(t, utf8.ValidString(failure.Message), "the message is not valid UTF-8")
	})
}
