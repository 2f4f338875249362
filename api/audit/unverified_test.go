package audit

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tonne/api/wire"
	must "tonne/model/musttest"
)

func unverified(of func(Unverified) []string) (all []string) {
	for _, data := range UnverifiedData {
		all = append(all, of(data)...)
	}
	slices.Sort(all)
	return all
}

func TestColumnsThatAreNotVerifiedAreListed(t *testing.T) {
	// The first is compared with the manifest, the others with the file itself.
	elsewhere := []string{doubtsColumn, "certificate_file", "certificate_sha256"}
	var want []string
	for _, column := range columns {
		check, isCheck := strings.CutPrefix(column.Name, checkPrefix)
		if !column.has(answered) && !(isCheck && needsOnlyAnswer(check)) && !slices.Contains(elsewhere, column.Name) {
			want = append(want, column.Name)
		}
	}
	slices.Sort(want)
	must.Equal(t, unverified(func(u Unverified) []string { return u.columns }), want)
}

// TestMembersThatAreNotVerifiedAreListed changes each value of each response of a pack. If the pack
// is still valid, the member must be listed.
func TestMembersThatAreNotVerifiedAreListed(t *testing.T) {
	t.Parallel()
	requests := packed()
	requests[0].Body = []byte(strings.Replace(string(requests[0].Body), "{", `{"unknown_member":"x",`, 1))
	requests[0].Retirement = must.Get(wire.DecodeRetirement(requests[0].Body))
	sound := unpacked(t, writePack(t, requests, nil))
	name := "answers/" + requests[0].Retirement.ID + ".json"
	at := slices.IndexFunc(sound, func(f file) bool { return f.name == name })
	listed := unverified(func(u Unverified) []string { return u.members })
	var document any
	must.Succeed(t, json.Unmarshal([]byte(sound[at].content), &document))
	tried := 0
	changeEach(document, "answer", func(member string) {
		files := slices.Clone(sound)
		files[at].content = string(must.Get(json.Marshal(document)))
		_, err := VerifyPack(zipOf(t, relisted(files)...), "v1", Required{})
		// At most four characters of a tax id are in the evidence.
		must.Hold(t, (err == nil) == slices.Contains(listed, member), member, err)
		tried++
	})
	must.Hold(t, tried >= 15, tried)
}

// changeEach calls changed after it has changed one value, and then restores the value.
func changeEach(of any, member string, changed func(member string)) {
	change := func(value any, set func(any)) {
		switch v := value.(type) {
		case string:
			set("9" + v)
		case bool:
			set(!v)
		case nil:
			set("new")
		}
		changed(member)
		set(value)
	}
	switch v := of.(type) {
	case map[string]any:
		for name, value := range v {
			inner := member + "." + name
			if reflect.ValueOf(value).Kind() == reflect.Slice || reflect.ValueOf(value).Kind() == reflect.Map {
				changeEach(value, inner, changed)
				continue
			}
			outer := member
			member = inner
			change(value, func(new any) { v[name] = new })
			member = outer
		}
	case []any:
		for i, value := range v {
			if _, isMap := value.(map[string]any); isMap {
				changeEach(value, member, changed)
				continue
			}
			change(value, func(new any) { v[i] = new })
		}
	}
}

func TestManifestAndMonthAreVerifiedOrListed(t *testing.T) {
	// These are compared with the evidence and the responses, or are not in a pack.
	verified := []string{
		"manifest.requests", "manifest.rows", "manifest.tax_ids_masked", "manifest.doubts", "manifest.file",
		"manifest.sha256", "manifest.created_at",
		"close.requests.id", "close.requests.state", "close.requests.status", "close.requests.total_quantity",
		"close.requests.failed_checks",
		"close.requests.retired_at", "close.counts", "close.sums.requested_grams",
	}
	var want []string
	add := func(of any, at string, nested ...string) {
		fields := reflect.TypeOf(of)
		for i := range fields.NumField() {
			name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
			if name = at + name; !slices.Contains(nested, name) && !strings.HasSuffix(name, ".-") &&
				!slices.Contains(verified, name) {
				want = append(want, name)
			}
		}
	}
	add(manifestJSON{}, "manifest.")
	add(Month{}, "close.", "close.requests", "close.sums")
	add(MonthRequest{}, "close.requests.")
	add(MonthSums{}, "close.sums.")
	slices.Sort(want)
	got := slices.DeleteFunc(
		unverified(func(u Unverified) []string { return u.members }),
		func(name string) bool { return strings.HasPrefix(name, "answer.") },
	)
	must.Equal(t, got, want)
}
