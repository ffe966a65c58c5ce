package input_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/input"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/collide"
)

// The overlapping polygons of the town, z ignored: the library returns the pairs of its boxes, which are
// rounded outward; 60,211 of these pairs overlap in float64, and no others do.
func TestDataTownPairs(t *testing.T) {
	names := [4]string{"minx", "miny", "maxx", "maxy"}
	data, trees := grove(t, "osm_bad_hersfeld_polygons.csv.gz", input.Options{Columns: names[:]}, 12_746)
	var column [4][]float64
	for i, name := range names {
		column[i] = data.Cloud.Columns[name]
	}
	overlap := func(i, j int) bool {
		return column[0][i] <= column[2][j] && column[0][j] <= column[2][i] &&
			column[1][i] <= column[3][j] && column[1][j] <= column[3][i]
	}
	const published = 60_211
	all := 0
	for i := range data.Objects {
		for j := range i {
			if overlap(i, j) {
				all++
			}
		}
	}
	if all != published {
		t.Errorf("%d pairs overlap in float64, want %d", all, published)
	}
	var want []collide.Pair
	for _, p := range testkit.ReferencePairs(data.Objects) {
		want = append(want, collide.Pair{A: uint32(p.A), B: uint32(p.B)})
	}
	for _, tree := range trees {
		v := tree.View()
		testkit.EachTier(t, func(t *testing.T) {
			got := collide.Append(nil, collide.Within(v), collide.Filter{})
			exact := 0
			for _, p := range got {
				if overlap(int(p.A), int(p.B)) {
					exact++
				}
			}
			if exact != published {
				t.Errorf("%d of %d pairs overlap in float64, want %d", exact, len(got), published)
			}
			slices.SortFunc(got, func(p, q collide.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
			if !slices.Equal(got, want) {
				t.Errorf("%d pairs, the double loop over the rounded boxes finds %d, or others", len(got), len(want))
			}
		})
	}
}
