package field_test

import (
	"encoding/json"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tonne/model/field"
	must "tonne/model/musttest"
)

// tree is a vintage with its sell orders, or a request with its items.
type tree struct {
	Name   int   `json:"name"`
	Leaves []int `json:"leaves"`
}

func (t tree) value() field.Value {
	return field.Object(func(yield func(string, field.Value) bool) {
		_ = yield("name", field.Number(t.Name)) && yield("leaves", field.Array(field.Each(slices.Values(t.Leaves), field.Number)))
	})
}

func trees(all []tree) iter.Seq[field.Value] { return field.Each(slices.Values(all), tree.value) }

// cutTrees leaves the leaves after the first most out, one by one, and the trees without a leaf among the first.
func cutTrees(all []tree, most int, lone bool) (cut []tree, rows int) {
	cut = []tree{}
	for _, t := range all {
		first, some := rows, []int{}
		for _, leaf := range t.Leaves {
			if rows++; rows <= most {
				some = append(some, leaf)
			}
		}
		if lone && len(t.Leaves) == 0 {
			rows++
		}
		if first < most {
			cut = append(cut, tree{t.Name, some})
		}
	}
	return cut, rows
}

func TestLimitLeavesTheRowsBeyondItOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.Custom(func(t *rapid.T) tree {
			return tree{rapid.IntRange(0, 9).Draw(t, "name"), rapid.SliceOfN(rapid.IntRange(0, 9), 0, 4).Draw(t, "leaves")}
		})).Draw(t, "trees")
		most, lone := rapid.IntRange(1, 9).Draw(t, "most"), rapid.Bool().Draw(t, "lone")
		paths := []string{"[].leaves[]", "[]"}
		if !lone {
			paths = paths[:1]
		}
		want, rows := cutTrees(all, most, lone)
		limit := field.NewLimit(paths, most)
		got := must.Get(json.Marshal(field.Array(limit.Items("", trees(all)))))
		must.Need(t, string(got) == string(must.Get(json.Marshal(want))) && limit.Rows == rows, string(got), want, rows)

		limit = field.NewLimit([]string{"trees[].leaves[]"}, most)
		want, rows = cutTrees(all, most, false)
		document := field.Object(func(yield func(string, field.Value) bool) {
			_ = yield("leaves", field.Number(1)) && yield("trees", field.Array(trees(all)))
		})
		got = must.Get(json.Marshal(limit.Document(document)))
		inside := string(must.Get(json.Marshal(want)))
		must.Need(t, string(got) == `{"leaves":1,"trees":`+inside+`}` && limit.Rows == rows, string(got), want)

		limit = field.NewLimit([]string{"trees[].leaves[]"}, most)
		got = must.Get(json.Marshal(field.Array(limit.Items("trees", trees(all)))))
		must.Need(t, string(got) == inside && limit.Rows == rows, string(got), inside)
		must.Need(t, len(slices.Collect(limit.Items("others", trees(all)))) == len(all), "another member is cut")

		limit = field.NewLimit([]string{"trees[].leaves[]"}, most)
		must.Need(t, len(slices.Collect(limit.Items("", trees(all)))) == min(len(all), most) && limit.Rows == len(all), limit.Rows)
	})
}
