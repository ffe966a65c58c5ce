package convert_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/paulmach/orb"
	"github.com/zoctree/zoctree/bench/programs/convert"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"gonum.org/v1/gonum/spatial/r3"
)

// The boxes of a geographic index: the restaurants in a map's view, relative to the city.
func Example() {
	city := orb.Point{13.4, 52.5}
	bounds := []orb.Bound{
		orb.Point{13.41, 52.52}.Bound(),
		orb.LineString{{13.39, 52.49}, {13.42, 52.51}}.Bound(),
		orb.Point{13.7, 52.9}.Bound(),
	}
	var tree linear.Tree
	for _, b := range bounds {
		if _, err := tree.Insert(linear.Object{Box: convert.FromBound(b, city)}); err != nil {
			panic(err)
		}
	}
	view := convert.FromBound(orb.Bound{Min: orb.Point{13.35, 52.45}, Max: orb.Point{13.45, 52.55}}, city)
	box, err := query.NewBox(view.Min, view.Max)
	if err != nil {
		panic(err)
	}
	fmt.Println(box.Append(nil, tree.View(), query.Filter{}))
	// Output: [0 1]
}

func TestOutward(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		at := r3.Vec{X: rng.NormFloat64() * 1e6, Y: rng.NormFloat64(), Z: rng.NormFloat64() * 1e-6}
		b := r3.Box{Min: at, Max: r3.Add(at, r3.Vec{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()})}
		got := convert.ToBox(convert.FromBox(b, r3.Vec{}))
		if !got.Contains(b.Min) || !got.Contains(b.Max) {
			t.Fatalf("%v does not contain %v", got, b)
		}
		flat := orb.Bound{Min: orb.Point{b.Min.X, b.Min.Y}, Max: orb.Point{b.Max.X, b.Max.Y}}
		box := convert.FromBound(flat, orb.Point{})
		if wide := convert.ToBound(box); !wide.Contains(flat.Min) || !wide.Contains(flat.Max) {
			t.Fatalf("%v does not contain %v", wide, flat)
		}
		if box.Min[2] != 0 || box.Max[2] != 0 {
			t.Fatalf("heights of %v", box)
		}
		if v := convert.FromVec(at); convert.FromVec(convert.ToVec(v)) != v {
			t.Fatalf("%v", v)
		}
	}
	far := r3.Vec{X: 1e9}
	near := convert.FromBox(r3.Box{Min: r3.Vec{X: 1e9 + 1}, Max: r3.Vec{X: 1e9 + 2}}, far)
	if near.Min[0] != 1 || near.Max[0] != 2 {
		t.Errorf("relative to an origin: %v", near)
	}
}
