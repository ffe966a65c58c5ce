package classic

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// contender is a fully built tree, or a linear search.
type contender interface {
	// build replaces the contents by these objects.
	build(objects []soa.Object)

	// ask appends the objects that overlap a box to dst.
	ask(dst []uint32, b soa.AABB) []uint32

	// move changes the boxes of objects and ends the frame. If an ID occurs twice, the last box counts.
	move(ids []uint32, to []soa.AABB)

	// candidates returns the number of objects that remain after the tree walk, whether tested or taken untested.
	candidates(b soa.AABB) int

	// shape returns the bytes, and the number of nodes on the longest path from the root.
	shape() (bytes, depth int)
}

// paper is the octree of the report.
type paper struct {
	tree *irregular.Tree
	ids  []uint32
}

func (p *paper) build(objects []soa.Object) {
	p.tree = irregular.New(irregular.Config{})
	p.tree.Build(objects)
	p.tree.Settle()
}

func (p *paper) ask(dst []uint32, b soa.AABB) []uint32 {
	v := index.Box(b)
	return p.tree.Append(dst, &v)
}

func (p *paper) move(ids []uint32, to []soa.AABB) {
	for i, id := range ids {
		p.tree.Move(id, to[i])
	}
}

func (p *paper) candidates(b soa.AABB) int {
	v := index.Box(b)
	p.ids = p.tree.AppendCandidates(p.ids[:0], &v)
	return len(p.ids)
}

func (p *paper) shape() (bytes, depth int) { return p.tree.Bytes(), p.tree.Stats().Depth }

// library is the tree of this library, built with one worker.
type library struct {
	tree   *linear.Tree
	phases baseline.Phases
}

func (l *library) build(objects []soa.Object) {
	l.tree = must.Get(linear.New(linear.Config{Workers: 1}))
	must.Get(l.tree.InsertBatch(make([]uint32, 0, len(objects)), objects))
}

func (l *library) ask(dst []uint32, b soa.AABB) []uint32 {
	q := must.Get(query.NewBox(b.Min, b.Max))
	return q.Append(dst, l.tree.View(), query.Filter{})
}

func (l *library) move(ids []uint32, to []soa.AABB) {
	must.Do(l.tree.MoveBatch(ids, to))
	must.Do(l.tree.Tick())
}

func (l *library) candidates(b soa.AABB) int {
	s, box := l.tree.View().Store(), cull.MakeBox(b.Min, b.Max)
	l.phases.Query(s, &box)
	return l.phases.Found(s)
}

func (l *library) shape() (bytes, depth int) {
	l.tree.Trim()
	s := l.tree.Stats()
	return s.LiveBytes() + s.Slack + s.Scratch, s.Depth
}

// brute tests every object.
type brute struct{ boxes []soa.AABB }

func (x *brute) build(objects []soa.Object) {
	x.boxes = make([]soa.AABB, len(objects))
	for i := range objects {
		x.boxes[i] = objects[i].Box
	}
}

func (x *brute) ask(dst []uint32, b soa.AABB) []uint32 {
	for i := range x.boxes {
		if x.boxes[i].Overlaps(b) {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}

func (x *brute) move(ids []uint32, to []soa.AABB) {
	for i, id := range ids {
		x.boxes[id] = to[i]
	}
}

func (x *brute) candidates(soa.AABB) int   { return len(x.boxes) }
func (x *brute) shape() (bytes, depth int) { return 0, 0 }
