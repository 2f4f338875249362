package wire

import (
	"testing"
	"tonne/model/must"
	"unicode/utf8"
)

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "plain", hostile, "\xff", "👨\u200d👩", "e\u0301\u0301", "می\u200cخواهم", "\u0301", "\\"} {
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
		text, err := decoders[name].read(body)
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
func FuzzDecodeRetireAccepted(f *testing.F) { fuzzDecoder(f, "retire accepted") }

func FuzzDecodeFailure(f *testing.F) {
	f.Add([]byte(`{"error":{"message":["a"]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		failure := DecodeFailure(body)
		assertClean(t, string(body), failure.Code+failure.Message)
		must.Hold(t, utf8.ValidString(failure.Message), "the message is not valid UTF-8")
	})
}
