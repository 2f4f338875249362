package wire

import (
	"strings"
	"testing"
)

func TestFailureIsReadFromWhateverBody(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Failure{
		`{"statusCode":401,"message":"Unauthorized"}`:                                              {401, "", "Unauthorized", true},
		`{"statusCode":403,"message":"Permission denied","error":"Forbidden"}`:                     {403, "Forbidden", "Permission denied", true},
		`{"statusCode":422,"url":"/","timestamp":"t","error":"NOT_FOUND","message":"No such id"}`:  {422, "NOT_FOUND", "No such id", true},
		`{"statusCode":422,"error":"VALIDATION_ERROR","message":["id must be text","id is long"]}`: {422, "VALIDATION_ERROR", "id must be text; id is long", true},
		`{"error":{"code":"NOT_FOUND","message":"gone","error":{"code":"x"}}}`:                     {0, "NOT_FOUND", "gone", true},
		`{"type":"VALIDATION_ERROR"}`:                                                              {0, "VALIDATION_ERROR", "", true},
		`{"code":"A","error":"B"}`:                                                                 {0, "B", "", true},
		`{"errors":[{"kind":"NOT_FOUND"}]}`:                                                        {0, "NOT_FOUND", "", true},
		`{"error":"Unprocessable Entity","message":"NOT_FOUND"}`:                                   {0, "NOT_FOUND", "NOT_FOUND", true},
		`{"message":"a\u001b]0;x","message":"b\nc"}`:                                               {0, "", "b␊c", false},
		`{"statusCode":"422","message":7,"error":null}`:                                            {422, "", "", true},
		`{"error":"CUT_OFF","message":"x`:                                                          {0, "CUT_OFF", "", false},
		`NOT_FOUND`:                                                                                {0, "NOT_FOUND", "NOT_FOUND", false},
		" No such\nproject \u202e ":                                                                {0, "", "No such␊project <U+202E>", false},
		`"no such project"`:                                                                        {0, "", "no such project", false},
		`["a","b"]`:                                                                                {0, "", "a; b", false},
		`<html>502</html>`:                                                                         {},
		``:                                                                                         {},
		`null`:                                                                                     {},
		`[]`:                                                                                       {},
	} {
		if got := DecodeFailure([]byte(body)); got != want {
			t.Errorf("%s is read as %+v, want %+v", body, got, want)
		}
	}
}

func TestFailureIsBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"error":`, 1_000_000)
	if got := DecodeFailure([]byte(deep)); got != (Failure{}) {
		t.Errorf("a million errors in one another are read as %+v", got)
	}
	text := strings.Repeat("ж", 1<<20)
	for _, long := range []string{`{"message":"` + text + `"}`, text} {
		if got := DecodeFailure([]byte(long)).Message; len(got) > maxMessage+len("…") || !strings.HasSuffix(got, "ж…") {
			t.Errorf("a message of a megabyte is kept with %d bytes", len(got))
		}
	}
}
