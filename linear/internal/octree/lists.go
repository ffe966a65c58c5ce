package octree

import (
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// Lists holds the lists of work that a tree has not done yet, and of the objects that it has removed by itself.
//
// A tick visits all underfull nodes, the empty nodes whose time is over, and a few degraded nodes. One set for them
// would be visited as a whole: of 1,664 nodes of 200,000 objects, of which 2,000 move in each frame, 351 are underfull,
// and 691 wait as degraded while a tick re-splits 2 of them.
type Lists struct {
	Displaced      []uint32     // objects whose key may be outside their packet's interval
	EmptyNodes     []EmptyNode  // nodes of packets without objects
	RemovedOutside []soa.Handle // objects of Leaving removed by the last flush or tick
	Dirty          bitset.Set   // slots whose lanes may have larger bounds than necessary
	Underfull      bitset.Set   // nodes of packets that lost objects
	Degraded       bitset.Set   // nodes of packets to re-split
	Leaving        bitset.Set   // IDs of objects that moved out and will be removed
	RefitByHeight  []bitset.Set // nodes to refit, by height
}

// Sets returns the sets, except those by height.
func (l *Lists) Sets() [4]*bitset.Set {
	return [...]*bitset.Set{&l.Dirty, &l.Underfull, &l.Degraded, &l.Leaving}
}

// clone returns a deep copy, without spare capacity in lists.
func (l *Lists) clone() Lists {
	c := Lists{
		Displaced: slices.Clone(l.Displaced), EmptyNodes: slices.Clone(l.EmptyNodes), RemovedOutside: slices.Clone(l.RemovedOutside),
		RefitByHeight: slices.Clone(l.RefitByHeight),
	}
	from := l.Sets()
	for i, set := range c.Sets() {
		*set = from[i].Clone()
	}
	for h := range c.RefitByHeight {
		c.RefitByHeight[h] = c.RefitByHeight[h].Clone()
	}
	return c
}

// trim releases the memory that the lists do not need.
func (l *Lists) trim() {
	l.Displaced, l.EmptyNodes, l.RemovedOutside = slices.Clone(l.Displaced), slices.Clone(l.EmptyNodes), slices.Clone(l.RemovedOutside)
	l.RefitByHeight = slices.Clone(l.RefitByHeight)
	for _, set := range l.Sets() {
		set.Trim()
	}
	for h := range l.RefitByHeight {
		l.RefitByHeight[h].Trim()
	}
}

// forget empties the lists that refer to packets and nodes.
func (l *Lists) forget() {
	l.Displaced, l.EmptyNodes = l.Displaced[:0], l.EmptyNodes[:0]
	l.Dirty.Clear()
	l.Underfull.Clear()
	l.Degraded.Clear()
	for h := range l.RefitByHeight {
		l.RefitByHeight[h].Clear()
	}
}
