// The tour, 8 of 8: pictures and profiles of a tree. Before it: query/interest; the first is morton. The
// package comments are the manual, and go run ./bench help lists the other outputs.
package show_test

import (
	"bytes"
	"fmt"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/show"
)

// A town that has grown along one road.
func alongTheRoad() *linear.Tree {
	town, err := linear.New(linear.Config{})
	if err != nil {
		panic(err)
	}
	var objects []linear.Object
	for i := range 5000 {
		x, y := float32(i), float32(i%7*i%50)
		objects = append(objects, linear.Object{Box: linear.AABB{Min: [3]float32{x, y, 0}, Max: [3]float32{x + 1, y + 1, 3}}})
	}
	if _, err := town.InsertBatch(nil, objects); err != nil {
		panic(err)
	}
	return town
}

func Example_tour() {
	view := alongTheRoad().View()

	// A picture of the visits of a query: an SVG for a browser, or a PNG.
	box, err := query.NewBox([3]float32{1000, 0, 0}, [3]float32{1500, 30, 3})
	if err != nil {
		panic(err)
	}
	trace, err := show.TraceQuery(box, view, query.Filter{})
	if err != nil {
		panic(err)
	}
	var picture bytes.Buffer
	err = show.Scene{Kind: show.Walk, View: view, Trace: trace, Width: 960}.SVG(&picture)
	fmt.Println(len(trace.Hits), "in the result;", picture.Len() > 0, err)

	// The tree as a profile: go tool pprof -http=: town.prof shows the distribution of objects and bytes,
	// and of the visits of queries.
	var file bytes.Buffer
	if err := show.WriteProfile(&file, view, trace.Heat); err != nil {
		panic(err)
	}
	p, err := profile.Parse(&file)
	if err != nil {
		panic(err)
	}
	fmt.Println(show.Sums(p)[show.Objects], "objects")
	// Output:
	// 349 in the result; true <nil>
	// 5000 objects
}
