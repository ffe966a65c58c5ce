package input

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// readSnapshot reads a snapshot of a tree. Its objects are in the order of their IDs, so that a tree built
// from them has the same IDs if no object had been removed.
func readSnapshot(m *meter, path string) (*Data, error) {
	d := &Data{Format: "snapshot", Kind: Boxes, Bounds: soa.Empty()}
	in := bufio.NewReaderSize(m, 64<<10)
	var r io.Reader = in
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: gzip header: %w", path, err)
		}
		r, d.Format = z, "snapshot, gzip"
	}
	if err := d.fill(r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// fill reads the objects of a snapshot.
func (d *Data) fill(r io.Reader) error {
	in := bufio.NewReader(r)
	head, _ := in.Peek(64) // an error recurs in the next read
	if kind, _ := snap.KindOf(head); kind == snap.KindScene {
		return errors.New("the snapshot of a scene, not of objects: bench save inspect lists it, bench replay -instances queries it")
	}
	r = in
	shot, err := linear.Read(r, linear.CheckSafe)
	if err != nil {
		return err
	}
	defer shot.Close()
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return errors.New("data after the last record")
	case err != io.EOF:
		return err
	}
	v := shot.View()
	ids := make([]uint32, 0, v.Len())
	for slot := range v.Slots() {
		ids = append(ids, v.IDs(uint32(slot))...)
	}
	slices.Sort(ids)
	spheres, turned := 0, 0
	for _, id := range ids {
		o, _ := v.Object(id) // exists, by the check
		if err := o.Box.Check(); err != nil {
			return fmt.Errorf("object %d: %w", id, err)
		}
		d.add(o)
		if _, ok := v.Sphere(id); ok {
			spheres++
		}
		if _, ok := v.Oriented(id); ok {
			turned++
		}
	}
	if n := len(ids); n > 0 && int(ids[n-1]) >= n {
		d.skip(int(ids[n-1])+1-n, "IDs without objects: later objects get smaller IDs")
	}
	d.skip(spheres, "spheres: only their boxes are kept")
	d.skip(turned, "oriented boxes: only the boxes around them are kept")
	return nil
}

// skip records a number of skipped items, if any.
func (d *Data) skip(count int, of string) {
	if count > 0 {
		d.Skipped = append(d.Skipped, fmt.Sprintf("%d %s", count, of))
	}
}
