package exchange

import "testing"

func TestDigest(t *testing.T) {
	digest := func(rows ...[]any) (d Digest) {
		for _, row := range rows {
			d.add(row)
		}
		return d
	}
	one, two := []any{"a", "bc"}, []any{"ab", "c"}
	if digest(one, two) != digest(two, one) {
		t.Error("the order of rows counts")
	}
	different := []Digest{
		{}, digest(one), digest(two), digest(one, two), digest(one, one), digest([]any{"", ""}), digest([]any{nil, ""}), digest([]any{"", nil}),
		digest([]any{int64(1), int64(0)}), digest([]any{int64(1), int64(1)}), digest([]any{int64(-1), int64(1)}), digest([]any{[]byte("a"), "b"}),
	}
	for i, d := range different {
		for j, other := range different[:i] {
			if d.Hash() == other.Hash() {
				t.Errorf("digests %d and %d are alike", i, j)
			}
		}
	}
	if d := digest([]any{int64(2), int64(-3)}); d.Rows != 1 || int64(d.Sum) != -1 {
		t.Errorf("%+v", d)
	}
}
