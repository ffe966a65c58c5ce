package show_test

import (
	"bytes"
	"fmt"
	"image/png"
	"log"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/show"
)

// grid returns a tree of 900 points.
func grid() *linear.Tree {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 900 {
		at := [3]float32{float32(i % 30), float32(i / 30), 0}
		if _, err := tree.Insert(linear.Object{Box: linear.AABB{Min: at, Max: at}}); err != nil {
			log.Fatal(err)
		}
	}
	if err := tree.Tick(); err != nil {
		log.Fatal(err)
	}
	return tree
}

// The nodes that a query visits, as an image.
func ExamplePNG() {
	view := grid().View()
	sphere, err := query.NewSphere([3]float32{15, 15, 0}, 5)
	if err != nil {
		log.Fatal(err)
	}
	trace, err := show.TraceQuery(sphere, view, query.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := show.PNG(&file, show.Scene{Kind: show.Walk, View: view, About: "a grid", Trace: trace, Width: 800}); err != nil {
		log.Fatal(err)
	}
	img, err := png.DecodeConfig(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.Width, len(trace.Hits), "hits")
	// Output: 800 81 hits
}

// The tree with the visits of a query, for go tool pprof.
func ExampleWriteProfile() {
	view := grid().View()
	heat := query.NewHeat(view)
	box, err := query.NewBox([3]float32{0, 0, 0}, [3]float32{9, 9, 0})
	if err != nil {
		log.Fatal(err)
	}
	counters := box.Explain(view, query.Filter{}, heat)
	var file bytes.Buffer
	if err := show.WriteProfile(&file, view, heat); err != nil {
		log.Fatal(err)
	}
	p, err := profile.Parse(&file)
	if err != nil {
		log.Fatal(err)
	}
	sums := show.Sums(p)
	fmt.Println(sums[show.Objects], sums[show.Visits] == int64(counters.Nodes+counters.Packets))
	// Output: 900 true
}

// A map of a town leaves out two distant objects; a query is drawn on the map.
func ExampleDensestRegion() {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 400 {
		at := [3]float32{float32(i % 20), float32(i / 20), 0}
		if i >= 398 {
			at[0] = 1e6
		}
		if _, err := tree.Insert(linear.Object{Box: linear.AABB{Min: at, Max: at}}); err != nil {
			log.Fatal(err)
		}
	}
	if err := tree.Tick(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(show.DensestRegion(tree.View()).Max[0] < 1e5, tree.Bounds().Max[0])
	// Output: true 1e+06
}

// An animation of a tree that is filled with a hundred points a step.
func ExampleAnimation() {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	film := show.Animation{Title: "It fills", About: "points of a grid", Width: 800, Step: 0.5}
	for i := range 500 {
		at := [3]float32{float32(i % 25), float32(i / 25), 0}
		if _, err := tree.Insert(linear.Object{Box: linear.AABB{Min: at, Max: at}}); err != nil {
			log.Fatal(err)
		}
		if i%100 < 99 {
			continue
		}
		if err := tree.Tick(); err != nil {
			log.Fatal(err)
		}
		film.Add(tree, "100 inserted")
	}
	var file bytes.Buffer
	if err := film.SVG(&file); err != nil {
		log.Fatal(err)
	}
	fmt.Println(film.Len(), "states", bytes.Contains(file.Bytes(), []byte(`dur="2.5s"`)))
	// Output: 5 states true
}
