package linear

import (
	"sync"
	"sync/atomic"
)

// table lists the parts of a scene, at any depth, each once.
type table struct {
	shape  atomic.Uint64 // shape that it was made for; 0: never made
	lock   sync.Mutex    // held while it is made
	levels []level

	// Numbers of the scene and of the version, for tables of published or immutable scenes. Both
	// are 0 in the table of a Scene: see SceneView.Stamp.
	source, version uint64
}

// level is a part in a table.
type level struct {
	state  *state
	inner  []*level // by entry of a scene; nil where it holds no part
	table  *table
	number uint32
}

var shapes atomic.Uint64

// nextShape returns a number that no scene has had before.
func nextShape() uint64 { return shapes.Add(1) }

// make lists the parts of a scene, outer ones first, in the order of entries.
func (tb *table) make(top *partNode) {
	tb.lock.Lock()
	defer tb.lock.Unlock()
	if tb.shape.Load() == top.state.shape {
		return // made by another goroutine
	}
	list := partsBelow(top)
	tb.fill(list, func(k int) *state { return &list[k].state })
	tb.shape.Store(top.state.shape)
}

// fill makes the levels of listed parts with their states.
func (tb *table) fill(list []*partNode, stateOf func(k int) *state) {
	links := 0
	number := make(map[*partNode]uint32, len(list))
	for k, u := range list {
		number[u] = uint32(k)
		if u.scene != nil {
			links += len(u.scene.entries)
		}
	}
	tb.levels = make([]level, len(list))
	all := make([]*level, links)
	for k, u := range list {
		l := &tb.levels[k]
		*l = level{state: stateOf(k), table: tb, number: uint32(k)}
		if u.scene == nil {
			continue
		}
		n := len(u.scene.entries)
		l.inner, all = all[:n:n], all[n:]
		for i, e := range u.scene.entries[firstPart:] {
			if e.partNode != nil {
				l.inner[firstPart+i] = &tb.levels[number[e.partNode]]
			}
		}
	}
}

// partsBelow lists a part and all parts below it, each once, outer ones first, in the order of
// entries.
func partsBelow(top *partNode) []*partNode {
	seen := map[*partNode]bool{top: true}
	list := []*partNode{top}
	for k := 0; k < len(list); k++ {
		if list[k].scene == nil {
			continue
		}
		for _, e := range list[k].scene.entries[firstPart:] {
			if e.partNode != nil && !seen[e.partNode] {
				seen[e.partNode] = true
				list = append(list, e.partNode)
			}
		}
	}
	return list
}
