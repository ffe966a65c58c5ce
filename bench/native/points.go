package main

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// pointContest compares searches for neighbours among points with nanoflann.
type pointContest struct {
	contest
	points [][3]float32 // of the tree
}

// run prints the rows of the table.
func (c *pointContest) run() {
	c.load()
	c.static()
	c.window("rebuilt")
	c.window("dynamic")
}

// load hands the points and the queries to the driver.
func (c *pointContest) load() {
	c.native.do("load %s %s", give(c.native, "points", c.points), give(c.native, "queries", c.session.points))
}

// newTree returns a tree of points, with the IDs 0, 1, and so on.
func newTree(points [][3]float32, frozen bool) *linear.Tree {
	tree := must.Get(linear.New(linear.Config{Workers: 1, Frozen: frozen}))
	must.Get(tree.InsertPoints(nil, points, linear.Labels{Mask: 1}))
	must.Do(tree.Tick())
	return tree
}

// search returns the squared distances of the k nearest of all queries.
func (c *pointContest) search(dst []float32, tree *linear.Tree, k int) []float32 {
	view := tree.View()
	var near []query.Neighbor
	for _, p := range c.session.points {
		near = must.Get(query.AppendNearest(near[:0], view, p, k, query.Unlimited, query.Filter{}))
		for _, n := range near {
			dst = append(dst, n.Dist2)
		}
	}
	return dst
}

// compare ends the command unless the distances of a search are equal, but for rounding.
func (c *pointContest) compare(tree *linear.Tree, command string, k int) {
	ours := c.search(nil, tree, k)
	theirs := c.native.answers(len(c.session.points)*k, "%s %d", command, k)
	if len(ours) != len(theirs) {
		must.Fail("%d and %d neighbours", len(ours), len(theirs))
	}
	for i, x := range ours {
		if y := theirs[i]; x-y > x*0x1p-20 || y-x > x*0x1p-20 {
			must.Fail("query %d, neighbour %d of %d: squared distances %v and %v", i/k, i%k, k, x, y)
		}
	}
}

// static compares the build of an index of all points, of a frozen tree, and searches in it.
func (c *pointContest) static() {
	var ours, theirs measure.Series
	var tree *linear.Tree
	for range c.Rounds {
		ours = append(ours, timed(func() { tree = newTree(c.points, true) }))
		theirs = append(theirs, c.native.do("build 0 %d", len(c.points)))
	}
	c.row("build, a point", len(c.points), ours, theirs)
	for _, k := range must.Get(c.Neighbors()) {
		c.compare(tree, "answers", k)
		c.searches(fmt.Sprintf("nearest, k = %d", k), tree, "search", k)
	}
}

// searches compares searches in existing indexes.
func (c *pointContest) searches(name string, tree *linear.Tree, command string, k int) {
	var ours, theirs measure.Series
	var found []float32
	for range c.Rounds {
		ours = append(ours, timed(func() { found = c.search(found[:0], tree, k) }))
		theirs = append(theirs, c.native.do("%s %d", command, k))
	}
	c.row(name, len(c.session.points), ours, theirs)
}

// window compares a sliding window of half of the points, in the order of the file. In each round 1/40 of the window
// enters it and as many points leave it. The static index of nanoflann is built again for that, the dynamic one
// changes.
func (c *pointContest) window(kind string) {
	const k = 5
	size := len(c.points) / 2
	step := min(size/40, size/c.Rounds)
	tree := newTree(c.points[:size], false)
	search := map[string]string{"rebuilt": "search", "dynamic": "dsearch"}[kind]
	if kind == "dynamic" {
		c.native.do("dynamic %d", size)
	}
	ids := make([]uint32, size) // of the points in the window, the oldest first
	for i := range ids {
		ids[i] = uint32(i)
	}
	var ours, theirs measure.Series
	for r := range c.Rounds {
		lo, hi := r*step, size+r*step
		ours = append(ours, timed(func() {
			ids = must.Get(tree.InsertPoints(ids, c.points[hi:hi+step], linear.Labels{Mask: 1}))
			must.Do(tree.RemoveBatch(ids[:step]))
			ids = ids[step:]
			must.Do(tree.Tick())
		}))
		if kind == "dynamic" {
			theirs = append(theirs, c.native.do("slide %d %d", step, step))
		} else {
			theirs = append(theirs, c.native.do("build %d %d", lo+step, size))
		}
	}
	c.compare(tree, map[string]string{"search": "answers", "dsearch": "danswers"}[search], k)
	c.row("window, "+kind+", a point in", step, ours, theirs)
	c.searches("window, "+kind+", k = 5", tree, search, k)
}
