package wire

import (
	"errors"
	"testing"
	"unicode/utf8"

	"tonne/model"
	"tonne/model/market"
)

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "plain", hostile, "\xff", "👨\u200d👩", "e\u0301\u0301", "می\u200cخواهم", "\u0301", "\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		assertClean(t, s, got)
		if len(got) > maxText+16 {
			t.Errorf("%d bytes are kept", len(got))
		}
		if again := Clean(got); again != got {
			t.Errorf("%q becomes %q when cleaned again", got, again)
		}
	})
}

// fuzzDecoder checks that a decoder neither panics nor returns another error
// than an *Error, and that what it accepts is sanitised.
func fuzzDecoder(f *testing.F, name string, texts func([]byte) ([]string, error)) {
	f.Add([]byte(decoders[name].good))
	for _, seed := range []string{"", "{}", "null", `{"projects":[`, `{"projects":[{}]}`, "\xff", `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		all, err := texts(body)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("error is %T", err)
		}
		if err != nil {
			all = append(all, err.Error())
		}
		for _, text := range all {
			assertClean(t, string(body), text)
		}
	})
}

func FuzzDecodeMarket(f *testing.F) {
	fuzzDecoder(f, "market", func(body []byte) ([]string, error) {
		part, _, err := DecodeMarket(body)
		if err != nil {
			return nil, err
		}
		m := market.New(part)
		var all []string
		for i := range m.Vintages() {
			if m.Vintage(i).BestAsk < model.UnknownPrice || m.Vintage(i).Available < 0 {
				return nil, errors.New("a vintage is negative")
			}
			all = append(all, m.Key(i).ProjectID, m.Key(i).VintageID)
		}
		for i := range m.Orders() {
			all = append(all, m.Order(i).ID)
		}
		return all, nil
	})
}

func FuzzDecodeInventory(f *testing.F) {
	fuzzDecoder(f, "inventory", func(body []byte) ([]string, error) {
		inv, _, err := DecodeInventory(body)
		if err != nil {
			return nil, err
		}
		var all []string
		for _, p := range inv.Projects {
			all = append(all, p.ID)
			for _, v := range p.Vintages {
				all = append(all, v.ID)
				for _, w := range v.Wallets {
					all = append(all, w.Type)
				}
			}
		}
		return all, nil
	})
}

func FuzzDecodeRetirement(f *testing.F) {
	fuzzDecoder(f, "retirement", func(body []byte) ([]string, error) {
		r, err := DecodeRetirement(body)
		return append(r.SerialNumbers, r.ID, string(r.Status), r.CertificateURL, r.RetiredAt.Text), err
	})
}

func FuzzDecodeProjects(f *testing.F) {
	fuzzDecoder(f, "projects", func(body []byte) ([]string, error) {
		projects, err := DecodeProjects(body)
		var all []string
		for _, p := range projects {
			all = append(append(all, p.ID, p.Name, p.Description), p.SDGs...)
		}
		return all, err
	})
}

func FuzzDecodeRetireAccepted(f *testing.F) {
	fuzzDecoder(f, "retire accepted", func(body []byte) ([]string, error) {
		answer, err := DecodeRetireAccepted(body)
		if err == nil && answer.RequestID == "" {
			return nil, errors.New("a call was accepted into no request")
		}
		return []string{answer.RequestID}, err
	})
}

func FuzzDecodeFailure(f *testing.F) {
	f.Add([]byte(`{"error":{"message":["a"]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		failure := DecodeFailure(body)
		assertClean(t, string(body), failure.Code+failure.Message)
		if !utf8.ValidString(failure.Message) {
			t.Error("the message is not valid UTF-8")
		}
	})
}
