package interest_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// parcel is a message with changes, from a tree to a replica.
type parcel struct {
	All  bool // the replica starts again
	Put  map[uint32]linear.Object
	Gone []uint32
}

// sender holds the number of changes that a replica has received. It is independent of the transport.
type sender struct{ seen uint64 }

// pack returns the changes since the last parcel: each object once, in its current state.
func (s *sender) pack(v linear.View) (p parcel) {
	changes, next, ok := v.Changes(s.seen)
	s.seen, p.Put = next, map[uint32]linear.Object{}
	if !ok { // the log does not reach back that far
		p.All = true
		for slot := range v.Slots() {
			for _, id := range v.IDs(uint32(slot)) {
				p.Put[id], _ = v.Object(id)
			}
		}
		return p
	}
	gone := map[uint32]bool{}
	for _, c := range changes { // the last change of each object counts
		if gone[c.ID] = c.Removed; c.Removed {
			delete(p.Put, c.ID)
		} else {
			p.Put[c.ID] = c.Object
		}
	}
	for id, is := range gone {
		if is {
			p.Gone = append(p.Gone, id)
		}
	}
	return p
}

// replica is a copy of a remote tree. Its objects have their own IDs.
type replica struct {
	tree *linear.Tree
	here map[uint32]uint32 // local ID by remote ID
}

// apply updates the replica to the state of the tree at the time of the parcel.
func (r *replica) apply(p parcel) error {
	if p.All {
		r.tree.Clear()
		clear(r.here)
	}
	for _, id := range p.Gone {
		if at, ok := r.here[id]; ok { // else the object was inserted and removed between two parcels
			if err := r.tree.Remove(at); err != nil {
				return err
			}
			delete(r.here, id)
		}
	}
	for id, o := range p.Put {
		at, ok := r.here[id]
		if !ok {
			at, err := r.tree.Insert(o)
			if err != nil {
				return err
			}
			r.here[id] = at
			continue
		}
		if err := r.tree.Move(at, o.Box); err != nil {
			return err
		}
		if err := r.tree.SetMask(at, o.Mask); err != nil {
			return err
		}
		if err := r.tree.SetStatic(at, o.Static); err != nil {
			return err
		}
	}
	return r.tree.Tick()
}

// Replication of a tree over a connection: a parcel holds the changes since the previous one, or all
// objects if the log no longer holds all these changes.
func Example_replica() {
	tree := road(1000)
	tree.Tick()
	copied, err := linear.New(linear.Config{})
	if err != nil {
		panic(err)
	}
	there := replica{copied, map[uint32]uint32{}}
	var link sender
	send := func() {
		var wire bytes.Buffer // a connection
		var p parcel
		if err := json.NewEncoder(&wire).Encode(link.pack(tree.View())); err != nil {
			panic(err)
		}
		if err := json.NewDecoder(&wire).Decode(&p); err != nil {
			panic(err)
		}
		fmt.Println(len(p.Put), len(p.Gone), p.All, there.apply(p), there.tree.Len() == tree.Len())
	}
	send()

	tree.Move(7, cube(71))
	tree.Move(7, cube(72))
	tree.SetMask(8, 2)
	tree.Remove(3)
	send()
	moved, _ := there.tree.Object(there.here[7])
	fmt.Println(moved.Box.Min[0])

	for range 3 { // the sender pauses for longer than the log reaches back
		tree.Move(9, cube(91))
		tree.Tick()
	}
	send()
	// Output:
	// 1000 0 true <nil> true
	// 2 1 false <nil> true
	// 71.5
	// 999 0 true <nil> true
}
