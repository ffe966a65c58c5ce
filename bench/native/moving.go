package main

import (
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// In a frame of moves one object in movers moves. Of a removal one in leavers is removed.
const (
	movers  = 100
	leavers = 10
)

// steps is the number of steps of moves before results are compared.
const steps = 3

// frameWindows is the number of box queries of a frame.
const frameWindows = 100

// changing is a tree with its next changes.
type changing struct {
	tree   *linear.Tree
	motion *lab.Motion
	ids    []uint32
	boxes  []linear.AABB
}

// begin makes a tree of all objects, and runs a command of the driver on the same objects.
func (c *contest) begin(cfg linear.Config, command string) *changing {
	objects := objectsOf(c.boxes)
	give(c.native, "boxes", c.boxes)
	c.native.do(command)
	return &changing{tree: buildTree(objects, cfg), motion: lab.NewMotion(objects, c.Seed)}
}

// draw draws the next changes of count objects, and gives them to the driver.
func (c *contest) draw(l *changing, count int) {
	if count == len(c.boxes) {
		l.ids, l.boxes = l.ids[:0], l.motion.All()
		for i := range count {
			l.ids = append(l.ids, uint32(i))
		}
	} else {
		l.ids, l.boxes = l.motion.Step(l.ids[:0], l.boxes[:0], count)
	}
	moves := make([]flat.Move, len(l.ids))
	for i := range moves {
		moves[i] = flat.Move{ID: l.ids[i], Box: l.boxes[i]}
	}
	give(c.native, "moves", moves)
}

// move applies the changes.
func (l *changing) move() {
	must.Do(l.tree.MoveBatch(l.ids, l.boxes))
	must.Do(l.tree.Tick())
}

// moving compares changes, and frames of a game.
func (c *contest) moving() {
	if !c.rival.does("build") || c.field.instances != nil {
		return
	}
	c.inserts()
	c.removals()
	for _, m := range []struct {
		row   string
		count int
	}{{"move 1 %, a move", len(c.boxes) / movers}, {"move all, a move", len(c.boxes)}} {
		c.moves(m.row, m.count)
	}
	c.frames()
}

// inserts compares insertion one by one into an empty index.
func (c *contest) inserts() {
	objects := objectsOf(c.boxes)
	world := scene.Bounds(objects)
	var tree *linear.Tree
	work := func() {
		tree = must.Get(linear.New(linear.Config{World: world, Workers: 1}))
		for i := range objects {
			must.Get(tree.Insert(objects[i]))
		}
		must.Do(tree.Flush())
	}
	c.run(turns{row: "insert one by one, an object", needs: "insert", units: len(objects), ours: work, theirs: []string{"insert"},
		same: func() {
			give(c.native, "boxes", c.boxes)
			c.native.do("insert")
			work()
			c.sameWindows("insert one by one", tree, "find boxes")
		},
	})
}

// removals compares removal one by one.
func (c *contest) removals() {
	var l *changing
	before := func() {
		l = c.begin(linear.Config{}, "insert")
		c.draw(l, len(c.boxes)/leavers)
	}
	work := func() {
		for _, id := range l.ids {
			must.Do(l.tree.Remove(id))
		}
		must.Do(l.tree.Tick())
	}
	c.run(turns{row: "remove one by one, a removal", needs: "remove", units: len(c.boxes) / leavers, before: before, ours: work, theirs: []string{"remove"},
		same: func() {
			before()
			work()
			c.native.do("remove")
			c.sameWindows("remove one by one", l.tree, "find boxes")
		},
	})
}

// indexes is the command of the driver that makes the index whose objects move.
func (c *contest) indexes() string {
	if c.rival.moved == "find boxes" {
		return "build"
	}
	return "live"
}

// moves compares frames in which objects move.
func (c *contest) moves(row string, count int) {
	var l *changing
	c.run(turns{row: row, needs: "move", units: count,
		setup: func() { l = c.begin(linear.Config{}, c.indexes()) },
		same: func() {
			for range steps {
				c.draw(l, count)
				l.move()
				c.native.do("move")
			}
			if c.rival.moved == "first" {
				c.sameHits(row, l.tree)
			} else {
				c.sameWindows(row, l.tree, c.rival.moved)
			}
			if c.rival.does("frame") {
				q := c.frustaOf(row, "", "look frusta", c.frusta[10], l.tree.View)
				q.load()
				q.same(row, listsOf(q.n, q.find), c.native.answers(q.n, q.command))
			}
		},
		before: func() { c.draw(l, count) },
		ours:   func() { l.move() },
		theirs: []string{"move"},
	})
}

// frames compares frames of a game: moves and the pairs that begin and end, and also a camera and box queries.
func (c *contest) frames() {
	count := len(c.boxes) / movers
	var l *changing
	var tracker *collide.Tracker
	var visible, found []uint32
	row := "frame of 1 % moves, pairs"
	update := func() {
		l.move()
		must.Do(tracker.Update(l.tree.View()))
	}
	same := func() {
		for range steps {
			c.draw(l, count)
			update()
			c.native.do("move")
			c.native.do("update")
		}
		var pairs []collide.Pair
		for p := range tracker.Pairs() {
			pairs = append(pairs, p)
		}
		c.samePairs(row, pairs, "tracked")
	}
	setup := func() {
		l, tracker = c.begin(linear.Config{Log: true}, c.indexes()), new(collide.Tracker)
		must.Do(tracker.Update(l.tree.View()))
	}
	c.run(turns{row: row, needs: "frame", units: 1, setup: setup, same: same,
		before: func() { c.draw(l, count) },
		ours:   update,
		theirs: []string{"move", "update"},
	})

	view := func() linear.View { return l.tree.View() }
	windows := c.windows[450]
	windows = windows[:min(len(windows), frameWindows)]
	frusta := c.frusta[10]
	frusta = frusta[:min(len(frusta), 1)]
	camera, boxes := c.frustaOf(row, "", "look frusta", frusta, view), c.windowsOf(row, "", "look boxes", windows, view)
	row = "frame of 1 % moves, pairs, camera, 100 boxes"
	c.run(turns{row: row, needs: "frame", units: 1,
		setup: func() {
			setup()
			camera.load()
			boxes.load()
		},
		same: func() {
			same()
			for _, q := range []queries{camera, boxes} {
				q.same(row, listsOf(q.n, q.find), c.native.answers(q.n, q.command))
			}
		},
		before: func() { c.draw(l, count) },
		ours: func() {
			update()
			for i := range camera.n {
				visible = camera.find(visible[:0], i)
			}
			for i := range boxes.n {
				found = boxes.find(found[:0], i)
			}
		},
		theirs: []string{"move", "update", "look frusta", "look boxes"},
	})
}

// sameWindows compares box queries of a tree that has changed.
func (c *contest) sameWindows(name string, tree *linear.Tree, command string) {
	view := tree.View()
	for _, size := range windowSizes {
		q := c.windowsOf(name, "", command, c.windows[size], func() linear.View { return view })
		q.load()
		q.same(name, listsOf(q.n, q.find), c.native.answers(q.n, q.command))
	}
}

// sameHits compares the first hits of rays in a tree that has changed.
func (c *contest) sameHits(name string, tree *linear.Tree) {
	q := c.firsts(name, tree.View)
	q.load()
	q.same(name, listsOf(q.n, q.find), c.native.answers(q.n, q.command))
}
