package lab

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The kinds of calls besides queries.
const (
	callInsert      = "insert"
	callInsertBatch = "insert batch"
	callMove        = "move"
	callMoveBatch   = "move batch"
	callMoveAll     = "move all"
	callRemove      = "remove"
	callRemoveBatch = "remove batch"
	callApply       = "apply"
	callView        = "view"
	callTick        = "tick"
)

// singles returns the number of single calls in a frame that changes count objects. A batch changes the others.
func singles(count int) int { return min(count/2, 5000) }

// Mix is a program that changes the objects of a tree in each frame.
type Mix struct {
	Name    string
	Kinds   []string // kinds of calls, besides queries
	Event   bool     // all changes are in the first frame
	objects func(n int, seed uint64) []soa.Object
	step    func(p *player)
}

// Mixes returns the mixes.
func Mixes() []Mix {
	moves := []string{callMove, callMoveBatch, callView, callTick}
	stream := []string{callInsert, callInsertBatch, callRemove, callRemoveBatch, callView, callTick}
	all := []string{callMoveAll, callView, callTick}
	return []Mix{
		{"drift of all", all, false, uniform, func(p *player) { p.moveAll(p.drift) }},
		{"1 % teleport", moves, false, uniform, func(p *player) { p.moveSome(0.01, p.jump) }},
		{"10 % teleport", moves, false, uniform, func(p *player) { p.moveSome(0.1, p.jump) }},
		{"all teleport once", all, true, uniform, once(func(p *player) { p.moveAll(p.jump) })},
		{"1 % stream in and out", stream, false, uniform, func(p *player) { p.remove(0.01); p.insert(len(p.ids), singles(len(p.ids))) }},
		{"burst of 10 % at once", []string{callInsertBatch, callView, callTick}, true, uniform, once(func(p *player) { p.insert(len(p.Boxes)/10, 0) })},
		{"burst of 10 % one by one", []string{callInsert, callView, callTick}, true, uniform, once(func(p *player) { p.insert(len(p.Boxes)/10, len(p.Boxes)/10) })},
		{"swarm beside static", moves, false, swarmBesideTiles, (*player).swarm},
		{"converge", all, false, uniform, func(p *player) { p.moveAll(p.converge) }},
		{"removals only", []string{callRemove, callRemoveBatch, callView, callTick}, false, uniform, func(p *player) { p.remove(0.01) }},
		{"edits through Apply", []string{callApply, callView, callTick}, false, uniform, (*player).edit},
		{"mixed bodies", moves, false, uniform, (*player).moveBodies},
	}
}

func uniform(n int, seed uint64) []soa.Object {
	s, _ := scene.ByName("uniform")
	return s.Make(n, seed)
}

// swarmBesideTiles returns n/2 uniform objects above as many tiles, which extend ten times as far.
func swarmBesideTiles(n int, seed uint64) []soa.Object {
	objects := uniform(n/2, seed)
	b := scene.Bounds(objects)
	k := int(math.Sqrt(float64(n / 2)))
	return append(objects, boxObjects(tiles(k, 10*(b.Max[0]-b.Min[0])/float32(k)))...)
}

// once returns a step that does something in the first frame only.
func once(step func(p *player)) func(p *player) {
	return func(p *player) {
		if p.frame == 1 {
			step(p)
		}
	}
}

// pick stores a share of the first of live objects in ids, at random, and puts them first in the deck. The share is of
// the initial objects.
func (p *player) pick(share float64, live int) {
	count := min(max(int(share*float64(len(p.Boxes))), 2), live)
	for i := range count {
		k := i + p.rng.IntN(live-i)
		p.deck[i], p.deck[k] = p.deck[k], p.deck[i]
	}
	p.ids = append(p.ids[:0], p.deck[:count]...)
}

// moveAll moves all objects in one batch.
func (p *player) moveAll(move func(b *soa.AABB)) {
	for _, id := range p.deck {
		move(&p.Boxes[id])
	}
	p.call(callMoveAll, len(p.deck), func() { must.Do(p.tree.MoveBatch(p.deck, p.Boxes)) })
}

// moveSome moves a share of the objects.
func (p *player) moveSome(share float64, move func(b *soa.AABB)) {
	p.pick(share, len(p.deck))
	p.moveIDs(move)
}

// moveIDs moves the objects of ids by single calls and a batch.
func (p *player) moveIDs(move func(b *soa.AABB)) {
	p.boxes = p.boxes[:0]
	for _, id := range p.ids {
		move(&p.Boxes[id])
		p.boxes = append(p.boxes, p.Boxes[id])
	}
	single := singles(len(p.ids))
	for i, id := range p.ids[:single] {
		p.call(callMove, 1, func() { must.Do(p.tree.Move(id, p.boxes[i])) })
	}
	ids, boxes := p.ids[single:], p.boxes[single:]
	p.call(callMoveBatch, len(ids), func() { must.Do(p.tree.MoveBatch(ids, boxes)) })
}

// swarm moves the first half of the objects, in the order of their IDs.
func (p *player) swarm() {
	p.ids = append(p.ids[:0], p.deck[:len(p.deck)/2]...)
	p.moveIDs(p.drift)
}

// converge moves a box towards the middle of the scene, to half of its distance in 70 frames.
func (p *player) converge(b *soa.AABB) {
	c, middle := b.Center(), p.bounds.Center()
	for a := range 3 {
		shift(b, a, 0.01*(float64(middle[a])-float64(c[a])))
	}
}

// remove removes a share of the objects by single calls and a batch.
func (p *player) remove(share float64) {
	p.pick(share, len(p.deck))
	single := singles(len(p.ids))
	for _, id := range p.ids[:single] {
		p.call(callRemove, 1, func() { must.Do(p.tree.Remove(id)) })
	}
	ids := p.ids[single:]
	p.call(callRemoveBatch, len(ids), func() { must.Do(p.tree.RemoveBatch(ids)) })
	p.forget(len(p.ids))
}

// forget drops the first objects of the deck, which have been removed.
func (p *player) forget(count int) { p.deck = slices.Delete(p.deck, 0, count) }

// insert inserts objects anywhere, the first of them by single calls and the others by a batch.
func (p *player) insert(count, single int) {
	p.prepare(count)
	p.ids = p.ids[:0]
	for i := range p.objects[:single] {
		var id uint32
		p.call(callInsert, 1, func() { id = must.Get(p.tree.Insert(p.objects[i])) })
		p.ids = append(p.ids, id)
	}
	if rest := p.objects[len(p.ids):]; len(rest) > 0 {
		p.call(callInsertBatch, len(rest), func() { p.ids = must.Get(p.tree.InsertBatch(p.ids, rest)) })
	}
	p.add(p.ids)
}

// prepare makes objects anywhere in the scene.
func (p *player) prepare(count int) {
	p.objects = p.objects[:0]
	for i := range count {
		b := p.Boxes[i]
		p.jump(&b)
		p.objects = append(p.objects, soa.Object{Box: b, Mask: 1})
	}
}

// add puts inserted objects in the deck.
func (p *player) add(ids []uint32) {
	for i, id := range ids {
		for int(id) >= len(p.Boxes) {
			p.Boxes = append(p.Boxes, soa.AABB{})
		}
		p.Boxes[id] = p.objects[i].Box
		p.deck = append(p.deck, id)
	}
}

// edit applies a batch: 1 % of the objects move, half of them far, and a fifth of that are replaced.
func (p *player) edit() {
	p.pick(0.012, len(p.deck))
	removed := len(p.ids) / 6
	p.prepare(removed)
	p.batch.Reset()
	for i, id := range p.ids {
		switch b := &p.Boxes[id]; {
		case i < removed:
			p.batch.Remove(id)
			p.batch.Insert(p.objects[i])
			continue
		case i%2 == 0:
			p.jump(b)
		default:
			p.drift(b)
		}
		p.batch.Move(id, p.Boxes[id])
	}
	var ids []uint32
	p.call(callApply, len(p.ids)+removed, func() { ids = must.Get(p.tree.Apply(&p.batch)) })
	p.forget(removed)
	p.add(ids)
}

// moveBodies moves a tenth of the objects a little, a third each to boxes, to spheres and to oriented boxes.
func (p *player) moveBodies() {
	p.pick(0.1, len(p.deck))
	single := singles(len(p.ids))
	for i, id := range p.ids[:single] {
		p.drift(&p.Boxes[id])
		b := &p.Boxes[id]
		switch i % 3 {
		case 0:
			p.call(callMove, 1, func() { must.Do(p.tree.Move(id, *b)) })
		case 1:
			s := ballIn(b)
			p.call(callMove, 1, func() { must.Do(p.tree.MoveSphere(id, s)) })
		default:
			o := turnedIn(b)
			p.call(callMove, 1, func() { must.Do(p.tree.MoveOriented(id, o)) })
		}
	}
	ids := p.ids[single:]
	var to linear.Bodies
	for i, id := range ids {
		p.drift(&p.Boxes[id])
		switch b := &p.Boxes[id]; {
		case i < len(ids)/3:
			to.Boxes = append(to.Boxes, *b)
		case i < 2*len(ids)/3:
			to.Spheres = append(to.Spheres, ballIn(b))
		default:
			to.Oriented = append(to.Oriented, turnedIn(b))
		}
	}
	p.call(callMoveBatch, len(ids), func() { must.Do(p.tree.MoveBodies(ids, to)) })
}

// ballIn returns a ball about the centre of a box, within its faces.
func ballIn(b *soa.AABB) [4]float32 {
	c := b.Center()
	return [4]float32{c[0], c[1], c[2], (b.Max[0] - b.Min[0]) / 2}
}

// turnedIn returns a box turned by an eighth about z, inside a box.
func turnedIn(b *soa.AABB) soa.OrientedBox {
	h := (b.Max[0] - b.Min[0]) / 4
	return soa.OrientedBox{Center: b.Center(), Axes: [3][3]float32{{h, h, 0}, {-h, h, 0}, {0, 0, h}}}
}
