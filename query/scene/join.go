package scene

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// join is the state of one query for pairs, taken from a pool.
//
//	part    own x own              a query of package collide
//	        own x instance         descend, with the own objects on the one side
//	        instance x instance    descend, for each two whose boxes overlap
//
//	descend disjoint               nothing
//	        instances in a side    its own objects, and each instance that overlaps the other side
//	        neither has any        leaves
type join struct {
	flt      collide.Filter
	gate     query.Filter // for instances
	distance float64
	live     live
	top      bool // of the scene alone, unless for each instance
	within   bool // only inside of instances
	accepts  collide.Layers
	number   uint32
	out      []Pair

	whole   pairSide
	parties [2 * linear.MaxDepth]pairSide
	depth   int      // number of sides in use
	ids     []uint32 // a stack of lists
	leaf    leafSearch
	pairs   []collide.Pair
	marks   []uint64 // instances that overlap own objects
	awake   []bool   // parts that pass the instance masks
	grown   grownList
	once    []Pair
	ends    []int // ends of the pairs of parts in once
	prefix  Path
	step    stepSearch
}

var joins = sync.Pool{New: func() any { return new(join) }}

func (w *join) release() {
	w.flt, w.out, w.live, w.top, w.within = collide.Filter{}, nil, live{}, false, false
	w.whole = pairSide{}
	clear(w.parties[:])
	w.leaf.release()
	w.step.release()
	joins.Put(w)
}

// prepare sets the filter.
func (w *join) prepare(flt *PairFilter) {
	if err := flt.Check(); err != nil {
		panic(err.Error())
	}
	w.distance = float64(flt.Distance)
	w.flt, w.gate = flt.Filter, query.Filter{Mask: flt.Mask}
	w.live = live{liveSetOf(flt.Live, flt.LiveInstances), liveSetOf(flt.LiveBoth, flt.LiveBothInstances)}
	w.flt.Live, w.flt.LiveBoth, w.flt.Exclude = nil, nil, soa.Handle{}
	if flt.Layers != nil {
		w.accepts = *flt.Layers
		for c := range w.accepts {
			for d := range c { // layers that accept each other
				if (w.accepts[c]>>d)&(w.accepts[d]>>c)&1 == 0 {
					w.accepts.Set(c, d, false)
				}
			}
		}
	}
	w.ids, w.number = w.ids[:0], 0
}

func (w *join) run(dst []Pair, v linear.SceneView, flt *PairFilter) []Pair {
	w.prepare(flt)
	w.awake = w.awake[:0]
	if (w.top || w.live.on()) && !flt.Instances {
		w.awake = append(w.awake, true)
	} else {
		w.wake(v, 0)
	}
	if w.out = dst; flt.Instances {
		w.out = w.once[:0]
	}
	w.ends = w.ends[:0]
	for number, part := range v.Parts() {
		if int(number) < len(w.awake) && w.awake[number] && (number > 0 || !w.within) {
			from := len(w.out)
			w.part(part, number)
			if number == 0 && w.live.on() {
				w.keepLive(from)
			}
			if number == 0 {
				w.exclude(v.Objects(), flt.Exclude, from)
			}
		}
		w.ends = append(w.ends, len(w.out))
	}
	if flt.Instances {
		w.once, w.out = w.out, dst
		w.prefix = Path{}
		w.instances(v, 0)
	}
	return w.out
}

// exclude removes the pairs from index from on of an own object of the scene.
func (w *join) exclude(own linear.View, h soa.Handle, from int) {
	if h == (soa.Handle{}) {
		return
	}
	if _, _, ok := own.LocateHandle(h); ok {
		o := Object{ID: h.ID}
		kept := slices.DeleteFunc(w.out[from:], func(p Pair) bool { return p.A == o || p.B == o })
		w.out = w.out[:from+len(kept)]
	}
}

// gated appends to ids the instances of a part whose instance masks pass the filter.
func (w *join) gated(v linear.SceneView) (from, to int) {
	from = len(w.ids)
	if instances := v.Instances(); instances.Len() > 0 {
		w.ids = query.Frustum{}.Append(w.ids, instances, w.gate)
	}
	return from, len(w.ids)
}

// wake marks the parts that are reachable through instance masks that pass the filter.
func (w *join) wake(v linear.SceneView, number uint32) {
	for int(number) >= len(w.awake) {
		w.awake = append(w.awake, false)
	}
	w.awake[number] = true
	from, to := w.gated(v)
	for i := from; i < to; i++ {
		if number == 0 && !w.live.enters(w.ids[i]) {
			continue
		}
		inner, number, _ := v.Instance(w.ids[i])
		if int(number) >= len(w.awake) || !w.awake[number] {
			w.wake(inner, number)
		}
	}
	w.ids = w.ids[:from]
}

// instances adds the pairs inside of a part and of everything in it, for this path.
func (w *join) instances(v linear.SceneView, number uint32) {
	from := 0
	if number > 0 {
		from = w.ends[number-1]
	}
	for _, p := range w.once[from:w.ends[number]] {
		w.out = append(w.out, Pair{0, p.A.in(&w.prefix), p.B.in(&w.prefix)})
	}
	at, to := w.gated(v)
	for i := at; i < to; i++ {
		if w.prefix.n == 0 && !w.live.enters(w.ids[i]) {
			continue
		}
		inner, number, _ := v.Instance(w.ids[i])
		w.prefix.push(w.ids[i])
		w.instances(inner, number)
		w.prefix.pop()
	}
	w.ids = w.ids[:at]
}

// in prepends a path to the path of an object.
func (o Object) in(prefix *Path) Object {
	path := *prefix
	copy(path.ids[path.n:], o.Path.ids[:o.Path.n])
	path.n += o.Path.n
	return Object{path, o.ID}
}

// part finds the pairs of a part.
func (w *join) part(v linear.SceneView, number uint32) {
	w.number = number
	own, instances := v.Objects(), v.Instances()
	f, some := w.flt, own.Len() > 0
	if number == 0 {
		f, some = w.live.ownFilter(f, own)
	}
	if some {
		w.pairs = collide.Append(w.pairs[:0], collide.Within(own), f)
		w.out = slices.Grow(w.out, len(w.pairs))
		for _, p := range w.pairs {
			w.out = append(w.out, Pair{number, Object{ID: p.A}, Object{ID: p.B}})
		}
	}
	if instances.Len() > 0 {
		w.whole.top(v)
		w.withInstances(own, instances, v.Outgrown())
	}
}

// withInstances finds the pairs of own objects and instances, and of two instances. The boxes of instances in outgrown
// do not count.
func (w *join) withInstances(own, instances linear.View, outgrown []uint32) {
	if w.number == 0 && w.live.on() {
		w.liveInstances(own, instances, outgrown)
		return
	}
	if own.Len() > 0 {
		from, to := w.overlapping(own, instances)
		for i := from; i < to; i++ {
			if id := w.ids[i]; !contains(outgrown, id) {
				w.beside(id)
			}
		}
		w.ids = w.ids[:from]
	}
	w.pairs = collide.Append(w.pairs[:0], collide.Within(instances), w.instanceFilter())
	w.instancePairs(outgrown)
	if len(outgrown) > 0 {
		w.grownPairs(own, instances, outgrown)
	}
}

// instancePairs finds the pairs of objects in two instances, for the pairs of instances in w.pairs. It enters an
// instance once for a run of pairs.
func (w *join) instancePairs(outgrown []uint32) {
	for i := 0; i < len(w.pairs); {
		a := w.pairs[i].A
		var s *pairSide
		if !contains(outgrown, a) {
			s = w.enter(&w.whole, a)
		}
		for ; i < len(w.pairs) && w.pairs[i].A == a; i++ {
			if i%fetchHits == 0 {
				w.whole.fetchPairs(w.pairs[min(i+fetchHits, len(w.pairs)):min(i+2*fetchHits, len(w.pairs))])
			}
			if b := w.pairs[i].B; s != nil && !contains(outgrown, b) {
				w.second(s, b)
			}
		}
		if s != nil {
			w.depth--
		}
	}
}

// instanceFilter returns the filter for pairs of instances.
func (w *join) instanceFilter() collide.Filter {
	return collide.Filter{Mask: w.flt.Mask, StaticPairs: true, Distance: w.flt.Distance}
}

// near returns a box grown by the distance, within float32.
func (w *join) near(b soa.AABB) soa.AABB {
	if w.distance > 0 {
		return b.Grow(w.flt.Distance).Intersect(everywhere)
	}
	return b
}

// overlapping appends the instances that may overlap own objects to ids. If there are at least as many
// own objects as instances, it queries the instances with the bounds of the objects; else it
// pairs both trees.
func (w *join) overlapping(own, instances linear.View) (from, to int) {
	from = len(w.ids)
	if own.Len() >= instances.Len() {
		b := w.near(own.Bounds())
		w.ids = boxQuery(&b).Append(w.ids, instances, w.gate)
		return from, len(w.ids)
	}
	w.marks = w.marks[:0]
	for p := range collide.All(collide.Between(own, instances), w.instanceFilter()) {
		for int(p.B/64) >= len(w.marks) {
			w.marks = append(w.marks, 0)
		}
		w.marks[p.B/64] |= 1 << (p.B % 64)
	}
	for i, m := range w.marks {
		for ; m != 0; m &= m - 1 {
			w.ids = append(w.ids, uint32(64*i+bits.TrailingZeros64(m)))
		}
	}
	return from, len(w.ids)
}

// beside finds the pairs of own objects and objects in an instance.
func (w *join) beside(id uint32) {
	if s := w.enter(&w.whole, id); s != nil {
		w.apartBy(s, &w.whole)
		w.descend(&w.whole, s, true, false)
		w.depth--
	}
}

// two finds the pairs of objects in two instances.
func (w *join) two(a, b uint32) {
	if s := w.enter(&w.whole, a); s != nil {
		w.second(s, b)
		w.depth--
	}
}

// second finds the pairs of objects of a side and in an instance.
func (w *join) second(s *pairSide, id uint32) {
	if t := w.enter(&w.whole, id); t != nil {
		w.apartBy(s, t)
		w.descend(s, t, false, false)
		w.depth--
	}
}

// enter returns a side with the contents of an instance, until depth is lowered; nil if it is
// empty.
func (w *join) enter(outer *pairSide, id uint32) *pairSide {
	s := &w.parties[w.depth]
	if !s.enter(outer, id) {
		return nil
	}
	if w.step.on {
		w.step.enter(s, id)
	}
	w.depth++
	return s
}
