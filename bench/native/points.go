package main

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// exactly is the tolerance of squared distances of points, relative: of the order of additions.
const exactly = 0x1p-20

// cloud compares searches among points with nanoflann: the lower corners of the boxes.
func (c *contest) cloud() {
	if !c.rival.does("points") || c.field.instances != nil {
		return
	}
	var points [][3]float32
	for _, b := range c.boxes {
		points = append(points, b.Min)
	}
	give(c.native, "cloud", points)
	var tree *linear.Tree
	build := fmt.Sprint("build 0 ", len(points))
	c.run(turns{row: "points: build, a point", needs: "points", units: len(points), theirs: []string{build},
		ours: func() { tree = treeOf(points, true) },
	})
	if tree == nil { // the row is excluded
		tree = treeOf(points, true)
		c.native.do(build)
	}
	for _, k := range must.Get(c.Neighbors()) {
		c.query(c.nearPoints(fmt.Sprintf("points: nearest %d", k), "near", k, tree))
	}
	c.query(c.inRadius(tree))
	c.slide(points, "rebuilt", "near")
	c.slide(points, "dynamic", "dnear")
}

// treeOf returns a tree of points, with the IDs 0, 1, and so on.
func treeOf(points [][3]float32, frozen bool) *linear.Tree {
	tree := must.Get(linear.New(linear.Config{Workers: 1, Frozen: frozen}))
	must.Get(tree.InsertPoints(nil, points, linear.Labels{Mask: 1}))
	must.Do(tree.Tick())
	return tree
}

// nearPoints returns searches for the k nearest points: their squared distances.
func (c *contest) nearPoints(row, command string, k int, tree *linear.Tree) queries {
	view := tree.View()
	var near []query.Neighbor
	return queries{row: row, needs: "points", command: fmt.Sprint(command, " ", k), n: len(c.points), load: c.givePoints, same: c.numbers(0, exactly, 0),
		find: func(dst []uint32, i int) []uint32 {
			near = must.Get(query.AppendNearest(near[:0], view, c.points[i], k, query.Unlimited, query.Filter{}))
			for _, n := range near {
				dst = append(dst, math.Float32bits(n.Dist2))
			}
			return dst
		},
	}
}

// inRadius returns searches for the points within a radius.
func (c *contest) inRadius(tree *linear.Tree) queries {
	view := tree.View()
	var spheres []query.Sphere
	for _, p := range c.points {
		spheres = append(spheres, must.Get(query.NewSphere(p, c.radius)))
	}
	return queries{row: "points: within a radius", needs: "points", command: fmt.Sprint("radius ", c.radius), n: len(c.points),
		load: c.givePoints, same: c.sets(atPlanes),
		find: func(dst []uint32, i int) []uint32 { return spheres[i].Append(dst, view, query.Filter{}) },
	}
}

// slide compares a sliding window of half of the points, in the order of the file. In each round 1/40 of the window
// enters it and as many points leave it. The static index of nanoflann is built again for that, the dynamic one
// changes.
func (c *contest) slide(points [][3]float32, kind, near string) {
	size := len(points) / 2
	step := min(size/40, size/c.Rounds)
	var tree *linear.Tree
	var ids []uint32 // of the points in the window, the oldest first
	first, next := 0, 0
	command := []string{""}
	row := "points: window, " + kind
	c.run(turns{row: row + ", a point", needs: "points", units: step, theirs: command,
		setup: func() {
			tree = treeOf(points[:size], false)
			for i := range size {
				ids = append(ids, uint32(i))
			}
			if kind == "dynamic" {
				c.native.do(fmt.Sprint("dynamic ", size))
			}
		},
		before: func() {
			first, next = next, next+step
			command[0] = fmt.Sprintf("build %d %d", next, size)
			if kind == "dynamic" {
				command[0] = fmt.Sprintf("slide %d %d", step, step)
			}
		},
		ours: func() {
			ids = must.Get(tree.InsertPoints(ids, points[first+size:next+size], linear.Labels{Mask: 1}))
			must.Do(tree.RemoveBatch(ids[:step]))
			ids = ids[step:]
			must.Do(tree.Tick())
		},
	})
	if tree != nil {
		c.query(c.nearPoints(row+", nearest 5", near, 5, tree))
	}
}
