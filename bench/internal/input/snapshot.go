package input

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/linear"
)

// readSnapshot reads a snapshot of a tree. Its objects come in the order of their IDs,
// so that a tree which is built of them has the same IDs, where no object had gone.
func readSnapshot(s *source, d *Data, opt *Options) error {
	shot, err := linear.Read(s, linear.CheckSafe)
	if err != nil {
		return s.errorf("%w", err)
	}
	defer shot.Close()
	if err := s.finishBytes(); err != nil {
		return err
	}
	d.Format, d.Kind = "snapshot", Boxes
	v := shot.View()
	ids := make([]uint32, 0, v.Len())
	for slot := range v.Slots() {
		ids = append(ids, v.IDs(uint32(slot))...)
	}
	slices.Sort(ids)
	spheres, turned := 0, 0
	for _, id := range ids {
		o, _ := v.Object(id) // it is there, as the check has seen
		if err := o.Box.Check(); err != nil {
			return s.errorf("object %d: %w", id, err)
		}
		d.Objects = append(d.Objects, o)
		d.Bounds = d.Bounds.Union(o.Box)
		if _, ok := v.Sphere(id); ok {
			spheres++
		}
		if _, ok := v.Oriented(id); ok {
			turned++
		}
	}
	if n := len(ids); n > 0 && int(ids[n-1]) >= n {
		d.skip(int(ids[n-1])+1-n, "IDs without objects: those behind are numbered anew")
	}
	d.skip(spheres, "spheres: their boxes stay")
	d.skip(turned, "oriented boxes: the boxes around them stay")
	return nil
}

// skip notes that so many things were left out, if any.
func (d *Data) skip(count int, of string) {
	if count > 0 {
		d.Skipped = append(d.Skipped, fmt.Sprintf("%d %s", count, of))
	}
}
