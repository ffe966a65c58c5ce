package linear

// Work counts what the changes since the last [Tree.Tick] and that tick did. It
// is a function of the calls, not of time.
type Work struct {
	Homed        int // objects inserted at the home of their key
	Splits       int // packets and nodes parted
	Merges       int // packets and nodes joined
	Emptied      int // nodes of packets that became empty
	Reused       int // of these, used again in their lifespan
	Freed        int // nodes given back at the end of their lifespan, with those above
	RefitPackets int
	RefitNodes   int
	Rebuilt      int // objects that a rebuild moved
}

// Work returns what the last tick and the changes before it did.
func (t *Tree) Work() Work { return t.done }

// Tick ends a frame: it flushes pending objects and strays, merges and frees
// what has become too small or has been empty for its lifespan, fits the world
// to the objects when many have left it or all have gathered in a small part of
// it, and refits. A tree that is ticked each frame stays as fast as a new one.
func (t *Tree) Tick() error {
	t.tick++
	if err := t.Flush(); err != nil {
		return err
	}
	if t.pruned() {
		t.change()
		t.prune()
	}
	t.Refit()
	if t.worldIsOff() {
		if err := t.Rebuild(nil, RebuildOptions{}); err != nil {
			return err
		}
	}
	t.done, t.work = t.work, Work{}
	return nil
}

// pruned reports whether there is something to prune.
func (t *Tree) pruned() bool { return t.thin.n > 0 || len(t.graves) > 0 }

// Objects outside the world share the keys of its border, and a world that is
// much too large has few keys for what is in it. Both are found, only slower.
const (
	outsideShare = 8 // one in so many outside is too much
	shrinkShare  = 4 // a tree in less than this part of the side is too small
)

// worldIsOff reports whether a rebuild should fit the world anew.
func (t *Tree) worldIsOff() bool {
	if t.fixed || t.Len() == 0 || len(t.store.Nodes.Hot) == 0 {
		return false
	}
	if t.manyOutside() {
		return true
	}
	box := nodeBox(&t.store.Nodes.Hot[0])
	side := t.world.Side() / shrinkShare
	for a := range 3 {
		if !(float64(box.Max[a])-float64(box.Min[a]) < side) {
			return false
		}
	}
	// A rebuild must be able to change something.
	t.gather()
	w, err := fitWorld(t.centres)
	return err == nil && w.Exp() < t.world.Exp()
}

// manyOutside reports whether a good share of all objects came to lie outside
// the world since the last build.
func (t *Tree) manyOutside() bool {
	return !t.fixed && t.outside > max(t.cfg.PendingMin, t.Len()/outsideShare)
}
