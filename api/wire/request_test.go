package wire

import (
	"errors"
	"strings"
	"testing"
)

func TestParseRequest(t *testing.T) {
	t.Parallel()
	r, err := ParseRequest([]byte(` {"name":"a\u00e9\"", "flag":true, "none":null, "number":7, "nested":{"name":1}} `))
	if err != nil {
		t.Fatal(err)
	}
	if name, err := r.Text("name"); name != "aé\"" || err != nil {
		t.Errorf("%q %v", name, err)
	}
	for _, absent := range []string{"none", "missing"} {
		if text, err := r.Text(absent); text != "" || err != nil {
			t.Errorf("%s: %q %v", absent, text, err)
		}
		if flag, err := r.Flag(absent); flag || err != nil {
			t.Errorf("%s: %v %v", absent, flag, err)
		}
	}
	if flag, err := r.Flag("flag"); !flag || err != nil {
		t.Errorf("%v %v", flag, err)
	}
	for _, other := range []string{"number", "nested", "flag"} {
		if _, err := r.Text(other); !errors.Is(err, ErrNotString) {
			t.Errorf("%s as a text: %v", other, err)
		}
	}
	if _, err := r.Flag("name"); !errors.Is(err, ErrNotBoolean) {
		t.Error(err)
	}
	if empty, err := ParseRequest(nil); len(empty) != 0 || err != nil {
		t.Errorf("an empty body: %v %v", empty, err)
	}
}

func TestParseRequestRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"null", "[]", `"a"`, "7", "{", `{"a":1`, `{"a":1}x`, `{"a":1}{}`, `{"a":1,"a":2}`, "{'a':1}", `{"a":"` + "\xff" + `"}`, "\x00",
		strings.Repeat(`{"a":`, 20_000),
	} {
		if r, err := ParseRequest([]byte(body)); !errors.Is(err, ErrNotObject) {
			t.Errorf("%.40q: %v %v", body, r, err)
		}
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"id":"00m","flag":false}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := ParseRequest(body)
		if err != nil && len(r) > 0 {
			t.Fatal("members together with an error")
		}
		for name := range r {
			if _, err := r.Text(name); err != nil && !errors.Is(err, ErrNotString) {
				t.Fatalf("%q: %v", name, err)
			}
			if _, err := r.Flag(name); err != nil && !errors.Is(err, ErrNotBoolean) {
				t.Fatalf("%q: %v", name, err)
			}
		}
	})
}
