package main

import (
	"flag"
	"fmt"
	"time"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/bench/rivals/adapters"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/machine"
	"github.com/zoctree/zoctree/soa"
)

// frameShare is the share of objects, one in so many, that change in a frame of few objects. As many boxes, rays and
// neighbours are asked for in the frame.
const frameShare = 10

// smallCommand finds the number of objects from which an index pays.
var smallCommand = command.Command{Name: "small", Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
	var o versus.Small
	o.Declare(flags)
	return func(e *command.Env) error {
		if err := o.Check(); err != nil {
			return command.Usage(err)
		}
		c := newComparison(*o.Options(), e.Out, e.Errs)
		c.share = frameShare
		c.small()
		return nil
	}
}}

// pairing is a slice with a search for all pairs, which takes the time of a square.
type pairing struct {
	*adapters.Slice
	objects []soa.Object
}

// Build implements [index.Index].
func (p *pairing) Build(objects []soa.Object) {
	p.objects = objects
	p.Slice.Build(objects)
}

// Pairs implements [index.Pairs].
func (p *pairing) Pairs(yield func(a, b uint32)) {
	p.AllPairs(func(a, b uint32) {
		if !p.objects[a].Static || !p.objects[b].Static {
			yield(a, b)
		}
	})
}

// smallEntrants are the entrants of the comparison of few objects.
var smallEntrants = []entrant{
	{library, "this library, one worker, default configuration", false, func() index.Index { return new(ours) }},
	{plain, "a slice of boxes, searched from end to end", false,
		func() index.Index { return &pairing{Slice: adapters.NewSlice()} }},
	{"tidwall", "github.com/tidwall/rtree: x and y, a filter on z; float32", false,
		func() index.Index { return adapters.NewTidwall() }},
}

// smallRows are the rows of queries.
var smallRows = map[string]bool{"frustum 10 %": true, "box of 8": true, "ray, first hit": true, "nearest 8": true}

// small measures the entrants on each scene at each size, and lists the ratios and the sizes from which the tree pays.
func (c *comparison) small() {
	measure.ListenAnew()
	c.out.Machine(machine.Here())
	c.out.Note("tier", asm.Info().Tier.String())
	for _, e := range smallEntrants {
		c.out.Note("entrant", e.name+": "+e.about)
	}
	c.out.Note("cells", fmt.Sprintf("minima of %d samples on one goroutine, and means for changes; %s leads; %s is measured on a part of the queries or moves", c.options.Rounds, leads, fewer))
	c.out.Note("changes", fmt.Sprintf("one in %d objects, and the end of a frame, for each object changed", frameShare))
	c.out.Note("frame", fmt.Sprintf("moves one in %d objects at once; then a frustum of 10 %%, as many boxes of 8, first hits and 8 nearest as moves, and all pairs", frameShare))
	for _, p := range must.Get(c.options.Datasets()) {
		var all []*results
		var sizes []int
		for _, n := range must.Get(c.options.Counts()) {
			must.Within(func() { all = append(all, c.smallScene(p, n)) }, "%s, %d objects", p.Name, n)
			sizes = append(sizes, n)
		}
		c.pays(p.Name, sizes, all)
	}
	c.out.Note("noise", measure.Heard().String())
	must.Do(c.out.Close())
}

// smallScene measures one scene.
func (c *comparison) smallScene(p versus.Dataset, n int) *results {
	w := newWorkload(p, n, c.options.Seed)
	s := newResults(smallEntrants)
	var competitors []*competitor
	for _, e := range smallEntrants {
		x := &competitor{entrant: e, ix: e.empty()}
		x.ix.Build(w.objects)
		competitors = append(competitors, x)
	}
	for _, r := range w.rows {
		if smallRows[r.name] {
			must.Within(func() { c.ask(s, w, r, competitors) }, "%s", r.name)
			w.asked = append(w.asked, r)
		}
	}
	must.Within(func() { c.pairs(s, w, competitors) }, "pairs")
	must.Within(func() { c.turnover(s, w, competitors) }, "insertion and removal")
	c.changes(s, w, competitors)
	s.write(c.out, w)
	return s
}

// frame runs the queries of a frame.
func (w *workload) frame(x index.Index) {
	for _, r := range w.asked {
		n := len(w.objects) / frameShare
		if r.queries == queries(w.view) {
			n = 1
		}
		r.pass(x, min(n, r.size()))
	}
	if p, ok := x.(index.Pairs); ok {
		p.Pairs(func(_, _ uint32) {})
		return
	}
	var ids []uint32
	for i := range w.objects {
		v := index.Box(w.objects[i].Box)
		ids = x.(index.Volumes).Append(ids[:0], &v)
	}
}

// turnover measures removals and insertions apart. Each object is inserted again as it was, the last one removed first.
func (c *comparison) turnover(s *results, w *workload, competitors []*competitor) {
	removals, insertions := s.figure("remove", "ns"), s.figure("insert", "ns")
	removals.mean, insertions.mean = true, true
	order, count := newMotion(w.objects, c.options.Seed).order, c.fullStep(len(w.objects))
	end := func(x *competitor) {
		if t, ok := x.ix.(index.Ticker); ok {
			t.Tick()
		}
	}
	next := 0
	for range c.options.Rounds + 1 { // the first round is not timed
		for _, x := range competitors {
			var removed, inserted time.Duration
			frames := 0
			for ; frames == 0 || removed+inserted < c.sample/4; frames++ {
				start := time.Now()
				for i := range count {
					x.ix.(index.Remover).Remove(uint32(order[(next+i)%len(order)]))
				}
				end(x)
				middle := time.Now()
				for i := count - 1; i >= 0; i-- {
					id := order[(next+i)%len(order)]
					x.ix.(index.Inserter).Insert(uint32(id), w.objects[id])
				}
				end(x)
				removed, inserted = removed+middle.Sub(start), inserted+time.Since(middle)
				next += count
			}
			changes := float64(frames * count)
			removals.add(x.name, float64(removed.Nanoseconds())/changes)
			insertions.add(x.name, float64(inserted.Nanoseconds())/changes)
		}
	}
	var same []change
	for id := range w.objects {
		same = append(same, change{uint32(id), w.objects[id].Box})
	}
	for _, x := range competitors {
		removals.values[x.name], insertions.values[x.name] = removals.values[x.name][1:], insertions.values[x.name][1:]
		must.Within(func() { sound(x, w.objects, same) }, "%s", x.name)
	}
}

// pays writes, for each row and size, the ratio of the better of the others to the tree, and the size from which the
// tree leads.
func (c *comparison) pays(scene string, sizes []int, all []*results) {
	cols := []table.Column{{Title: "row", Width: -17}}
	for _, n := range sizes {
		cols = append(cols, table.Column{Title: fmt.Sprint(n), Width: 8})
	}
	c.out.Note("pays", "the time of the better of the others divided by that of the tree, and the number of objects from which the tree leads")
	t := c.out.Table("pays, "+scene, append(cols, table.Column{Title: "from", Width: 8})...)
	for row := range all[0].figures {
		cells, from := []string{all[0].figures[row].name}, blank
		for i, s := range all {
			f := s.figures[row]
			best := f.leader(s.all, func(name string) bool { return !isOurs(name) })
			ratio := f.value(best) / f.value(library)
			if ratio < 1 {
				from = blank
			} else if from == blank {
				from = fmt.Sprint(sizes[i])
			}
			cells = append(cells, table.Number(ratio))
		}
		t.Row(append(cells, from)...)
	}
}
