package interest_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// instances are the boxes of all objects of a tree, packed without gaps for a renderer that draws them with
// one call. They follow the log of the tree: only changed rows are written, and only those rows need to be
// uploaded to graphics memory.
type instances struct {
	boxes []linear.AABB
	ids   []uint32              // by row
	rows  linear.Column[uint32] // by ID: 1 + the row; 0: none
	seen  uint64                // number of the first change that has not been read
}

// follow updates the rows to the state of a view and returns the changed rows. A row may occur twice or be
// beyond the end; all reports that every row must be uploaded.
func (x *instances) follow(v linear.View) (changed []int, all bool) {
	changes, next, ok := v.Changes(x.seen)
	x.seen = next
	if !ok { // the log does not reach back that far: start again
		x.boxes, x.ids = x.boxes[:0], x.ids[:0]
		x.rows = linear.Column[uint32]{}
		for slot := range v.Slots() {
			for lane, id := range v.IDs(uint32(slot)) {
				x.add(id, v.Box(uint32(slot), lane))
			}
		}
		return nil, true
	}
	for _, c := range changes {
		row := int(x.rows.Get(c.ID)) - 1
		switch {
		case !c.Removed && row >= 0:
			x.boxes[row] = c.Object.Box
			changed = append(changed, row)
		case !c.Removed:
			x.add(c.ID, c.Object.Box)
			changed = append(changed, len(x.boxes)-1)
		case row >= 0: // the last row moves to its row
			last := len(x.boxes) - 1
			x.boxes[row], x.ids[row] = x.boxes[last], x.ids[last]
			x.rows.Set(x.ids[row], uint32(row+1))
			x.rows.Set(c.ID, 0)
			x.boxes, x.ids = x.boxes[:last], x.ids[:last]
			changed = append(changed, row)
		}
	}
	return changed, false
}

func (x *instances) add(id uint32, box linear.AABB) {
	x.boxes, x.ids = append(x.boxes, box), append(x.ids, id)
	x.rows.Set(id, uint32(len(x.boxes)))
}

// A buffer of instances follows the log of a tree without a tracker. A replica and a cache (the next
// examples) do the same, each with its own number of changes read.
func Example_instances() {
	tree := road(1000)
	var buffer instances
	changed, all := buffer.follow(tree.View())
	fmt.Println(len(buffer.boxes), changed, all)
	tree.Tick()

	tree.Move(7, cube(71))
	tree.Remove(3)
	tree.Insert(linear.Object{Box: cube(-10)})
	changed, all = buffer.follow(tree.View())
	fmt.Println(len(buffer.boxes), len(changed), all)

	tree.Move(9, cube(91))
	tree.Tick()
	tree.Tick() // the log holds the last frame and the one before it
	changed, all = buffer.follow(tree.View())
	fmt.Println(len(buffer.boxes), len(changed), all)
	// Output:
	// 1000 [] true
	// 1000 3 false
	// 1000 0 true
}
