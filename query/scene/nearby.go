package scene

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Nearby is the incremental nearest-neighbour search of a scene: it returns an iterator over all
// objects that pass the filter, nearest first, in the order and with the distances of
// [AppendNearest], without a k or a distance given beforehand. Changing the scene during the
// iteration makes it panic. It panics if the filter is out of range.
//
// [Neighbor.Low] bounds the distance of all later objects by any metric that is nowhere smaller
// than the distance to the image of the box: see [query.Nearby.All].
//
// Cost: the search is best first, over the scene and all parts at once. It enters only instances
// that are no further away than the objects it has yielded, and searches each of them as
// query.Nearby searches a tree, O(log n) for each visited node, instance and object. Under transforms
// other than similarities the boxes around the images of objects are compared as well. It keeps
// some 300 bytes for each instance visited, and 400 with two heaps for each one entered, until the
// iteration ends. It allocates nothing once these have grown. Any number of goroutines may iterate at a time.
func Nearby(n query.Nearby, v linear.SceneView, flt query.Filter) iter.Seq[Neighbor] {
	return func(yield func(Neighbor) bool) { eachNearby(n.Point(), v, &flt, yield) }
}

// nearbySearch is the state of an incremental search, taken from a pool.
//
//	entry            key                                      when it is on top
//	next object      its distance                             yield it; add the next one
//	of a part
//	next object      a bound of the distances of the rest     add it, and others as near, as bounds
//	under shear
//	bound            a bound of the distance of an object     add the object with its own distance
//	next instance    a bound of the distances of the rest     add or enter the instance; add the next one
//	instance         the distance of its bounds               enter it: add its next object and instance
type nearbySearch struct {
	own, inner, gate walk.Filter // for own objects, objects in parts, and instances
	parts            []openPart  // visited parts, each after the one around it
	entries          []nearEntry // heap with the smallest on top
}

// openPart is a part on a path, and the searches of its trees.
type openPart struct {
	nearPart
	outer uint32 // number of the part around it
	level int
	path  Path
	trees *nearbyTrees // kept for the next part of the number
	ranks uint32       // number of objects that have been found
}

// nearbyTrees are the searches of the trees of a part.
type nearbyTrees struct {
	objects, instances walk.Frontier
	images             imageBounds // if metricLevel is not the level of the part
	bounded            bool        // images applies
}

// nearEntry is an element of the heap.
type nearEntry struct {
	kind     nearKind
	key, low float32
	part     uint32 // number of the part
	id, rank uint32 // of an object; id of an instance
}

type nearKind uint8

// Bounds are before objects of the same distance.
const (
	nearOpen      nearKind = iota // an instance
	nearInstances                 // the next instance of a part
	nearMore                      // the next object of a part under a transform other than a similarity
	nearBound                     // an object of such a part, whose distance in the scene is not known
	nearObject                    // an object
)

var nearbys = sync.Pool{New: func() any { return new(nearbySearch) }}

// eachNearby yields the objects until yield returns false.
func eachNearby(point [3]float32, v linear.SceneView, flt *query.Filter, yield func(Neighbor) bool) {
	if err := flt.Check(); err != nil {
		panic(err.Error())
	}
	w := nearbys.Get().(*nearbySearch)
	w.inner = walk.Filter{Mask: flt.Mask, Motion: uint8(flt.Motion), Exact: flt.Exact}
	w.own, w.gate = w.inner, walk.Filter{Mask: flt.Mask}
	if w.own.Only = flt.Only; flt.Exclude.Gen != 0 {
		w.own.ExcludeAt(v.Objects().LocateHandle(flt.Exclude))
	}
	w.add().begin(v, &point)
	w.enter(0)
	for e, ok := w.next(); ok && yield(Neighbor{w.parts[e.part].path, e.id, e.key, e.low}); e, ok = w.next() {
		v.Instances() // panics if the scene has changed
		w.follow(&e)
	}
	w.release()
}

// next removes the nearest object from the heap, and all entries before it.
func (w *nearbySearch) next() (e nearEntry, ok bool) {
	for len(w.entries) > 0 {
		e := w.entries[0]
		switch w.pop(); e.kind {
		case nearOpen:
			w.enter(e.part)
		case nearInstances:
			w.arrive(e.part, e.id, e.key)
			w.nextInstance(e.part)
		case nearMore:
			w.nextObjects(e.part)
		case nearBound:
			w.measure(&e)
		case nearObject:
			return e, true
		}
	}
	return nearEntry{}, false
}

// follow adds the object after one that was removed.
func (w *nearbySearch) follow(e *nearEntry) {
	if p := &w.parts[e.part]; p.metricLevel == p.level {
		w.nextObject(e.part)
	}
}

func (w *nearbySearch) release() {
	for i := range w.parts {
		w.parts[i].view, w.parts[i].transform = linear.SceneView{}, nil
	}
	w.own, w.parts, w.entries = walk.Filter{}, w.parts[:0], w.entries[:0]
	nearbys.Put(w)
}

// add adds a part, which is the scene itself if nothing is set.
func (w *nearbySearch) add() *openPart {
	n := len(w.parts)
	w.parts = slices.Grow(w.parts, 1)[:n+1]
	p := &w.parts[n]
	*p = openPart{trees: p.trees}
	return p
}

// enter begins the searches of a part.
func (w *nearbySearch) enter(part uint32) {
	p := &w.parts[part]
	if p.trees == nil {
		p.trees = new(nearbyTrees)
	}
	p.trees.objects.Begin(p.view.Objects().Store(), &p.Point, w.filter(part))
	p.trees.instances.Begin(p.view.Instances().Store(), &p.Point, &w.gate)
	if p.metricLevel == p.level {
		w.nextObject(part)
	} else {
		w.boundImages(p)
		w.nextObjects(part)
	}
	w.nextInstance(part)
	for _, id := range p.view.Outgrown() {
		if o, _ := p.view.Instances().Object(id); w.gate.Mask == 0 || o.Mask&w.gate.Mask != 0 {
			w.arrive(part, id, w.parts[part].low)
		}
		p = &w.parts[part]
	}
}

func (w *nearbySearch) filter(part uint32) *walk.Filter {
	if part == 0 {
		return &w.own
	}
	return &w.inner
}

// nextObject adds the next object of a part.
func (w *nearbySearch) nextObject(part uint32) {
	p := &w.parts[part]
	x, ok := p.trees.objects.Next(p.view.Objects().Store(), w.filter(part))
	if !ok {
		return
	}
	n := query.Neighbor(x)
	e := nearEntry{kind: nearObject, part: part, id: n.ID, rank: p.ranks, key: n.Dist(), low: n.Low()}
	if p.ranks++; !p.exact {
		e.key, e.low = float32(math.Sqrt(float64(n.Dist2))*p.scale), p.lower(e.low)
	}
	e.key, e.low = max(e.key, p.low), max(e.low, p.low)
	w.push(e)
}

// nextObjects adds the next objects of a part under a transform other than a similarity, by bounds of their distances,
// until the bound of the rest is above the least entry.
func (w *nearbySearch) nextObjects(part uint32) {
	p := &w.parts[part]
	v := p.view.Objects()
	s := v.Store()
	for {
		x, ok := p.trees.objects.Next(s, w.filter(part))
		if !ok {
			return
		}
		low := max(p.lower(query.Neighbor(x).Low()), p.low)
		e := nearEntry{kind: nearBound, part: part, id: x.ID, rank: p.ranks, key: low, low: low}
		if p.ranks++; p.trees.bounded {
			slot, lane, _ := v.Locate(x.ID) // it was found: see cast.refine
			box := s.Packets.Box(slot, lane)
			e.key = max(low, rounded(p.trees.images.low(&box)*w.metric(p).scale))
		}
		w.push(e)
		if w.entries[0].key < low {
			w.push(nearEntry{kind: nearMore, part: part, key: low})
			return
		}
	}
}

// metric returns the part in whose space distances are those of the scene, up to a scale.
func (w *nearbySearch) metric(p *openPart) *openPart {
	for metric := p.metricLevel; p.level != metric; {
		p = &w.parts[p.outer]
	}
	return p
}

// boundImages prepares the quick bounds of images.
func (w *nearbySearch) boundImages(p *openPart) {
	m, inner, bounds := &p.trees.images, p, p.view.Bounds()
	m.begin()
	for metric := p.metricLevel; p.level != metric; p = &w.parts[p.outer] {
		m.through(p.transform)
	}
	m.end(&p.Center, &p.Off, &bounds)
	inner.trees.bounded = !w.inner.Exact || !inner.view.Objects().Store().Packets.Bounded() // as in search.each
}

// measure adds an object under a transform other than a similarity with its distance in the scene.
func (w *nearbySearch) measure(e *nearEntry) {
	p := &w.parts[e.part]
	var b cell
	v := p.view.Objects()
	slot, lane, _ := v.Locate(e.id) // it was found: see cast.refine
	b.of(&v.Store().Packets, slot, lane, w.inner.Exact)
	for metric := p.metricLevel; p.level != metric; p = &w.parts[p.outer] {
		b.out(p.transform)
	}
	low := max(e.low, p.distance(&b))
	w.push(nearEntry{kind: nearObject, part: e.part, id: e.id, rank: e.rank, key: low, low: low})
}

// nextInstance adds the next instance of a part that has not outgrown its box.
func (w *nearbySearch) nextInstance(part uint32) {
	p := &w.parts[part]
	outgrown := p.view.Outgrown()
	for {
		x, ok := p.trees.instances.Next(p.view.Instances().Store(), &w.gate)
		if !ok {
			return
		}
		if !contains(outgrown, x.ID) {
			w.push(nearEntry{kind: nearInstances, part: part, id: x.ID, key: max(p.low, p.below(x.Dist2))})
			return
		}
	}
}

// arrive transforms the point into an instance, in which no object is nearer than low, and adds the instance.
func (w *nearbySearch) arrive(part, id uint32, low float32) {
	inner, _, transform := instanceOf(w.parts[part].view, id)
	bounds := inner.Bounds()
	if bounds.Min[0] > bounds.Max[0] {
		return
	}
	number := uint32(len(w.parts))
	p := w.add()
	outer := &w.parts[part]
	p.view, p.transform, p.outer, p.level, p.path = inner, transform, part, outer.level+1, outer.path
	p.path.push(id)
	p.into(&outer.nearPart, p.level, &bounds)
	p.low = max(p.low, low)
	w.push(nearEntry{kind: nearOpen, part: number, key: p.low})
}

// compare orders entries by key. Of the same key, bounds are before objects, and objects are ordered as neighbours.
func (w *nearbySearch) compare(e, f *nearEntry) int {
	if c := cmp.Compare(e.key, f.key); c != 0 {
		return c
	}
	if c := cmp.Compare(e.kind, f.kind); c != 0 {
		return c
	}
	if e.part != f.part && e.kind == nearObject {
		return w.parts[e.part].path.Compare(w.parts[f.part].path)
	}
	if c := cmp.Compare(e.part, f.part); c != 0 {
		return c
	}
	return cmp.Compare(e.rank, f.rank)
}

func (w *nearbySearch) push(e nearEntry) {
	w.entries = append(w.entries, e)
	heap := w.entries
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if w.compare(&heap[i], &heap[up]) >= 0 {
			break
		}
		heap[i], heap[up] = heap[up], heap[i]
		i = up
	}
}

// pop removes the smallest entry.
func (w *nearbySearch) pop() {
	last := len(w.entries) - 1
	w.entries[0] = w.entries[last]
	w.entries = w.entries[:last]
	heap := w.entries
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(heap) {
			return
		}
		if c+1 < len(heap) && w.compare(&heap[c+1], &heap[c]) < 0 {
			c++
		}
		if w.compare(&heap[i], &heap[c]) <= 0 {
			return
		}
		heap[i], heap[c] = heap[c], heap[i]
		i = c
	}
}
