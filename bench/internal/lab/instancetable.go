package lab

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// InstancedParts returns the parts and instances that [scene.Instances] describes, with the given number of objects
// in all and with matrices rounded to float32, as in files of instances.
func InstancedParts(instances, objects int, seed uint64) (parts [][]soa.Object, where []scene.Instance) {
	parts, where = scene.Instances(instances, objects/instances, seed)
	for i := range where {
		for k, x := range where[i].Rows {
			where[i].Rows[k] = float64(float32(x))
		}
	}
	return parts, where
}

// HoldsScene reports whether a file starts like a snapshot of a scene.
func HoldsScene(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [16]byte
	n, _ := io.ReadFull(f, head[:])
	kind, _ := snap.KindOf(head[:n])
	return kind == snap.KindScene
}

// LoadInstances reads parts and instances from a snapshot of a scene. Parts are in the order of their first
// instances. Instances and objects are in the order of their IDs, renumbered to close gaps. A scene with
// objects of its own, and one with nested scenes, are errors.
func LoadInstances(path string) (parts [][]soa.Object, where []scene.Instance, err error) {
	s, err := linear.OpenSceneMapped(path, linear.CheckSafe)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	defer s.Close()
	v := s.View()
	if n := v.Objects().Len(); n > 0 {
		return nil, nil, fmt.Errorf("%s: the scene has %d objects of its own: want instances only", path, n)
	}
	number := map[uint32]int{} // index of a part by its number in the scene
	for _, id := range idsOf(v.Instances()) {
		inner, part, transform := v.Instance(id)
		if n := inner.Instances().Len(); n > 0 {
			return nil, nil, fmt.Errorf("%s: instance %[3]d has %[2]d instances: want instances of trees only", path, n, id)
		}
		k, ok := number[part]
		if !ok {
			k = len(parts)
			number[part] = k
			parts = append(parts, objectsOf(inner.Objects()))
		}
		where = append(where, scene.Instance{Part: k, Rows: transform.Rows()})
	}
	return parts, where, nil
}

// idsOf returns the IDs of all objects, ascending.
func idsOf(v linear.View) (ids []uint32) {
	for slot := range v.Slots() {
		ids = append(ids, v.IDs(uint32(slot))...)
	}
	slices.Sort(ids)
	return ids
}

// objectsOf returns the objects by ID.
func objectsOf(v linear.View) (objects []soa.Object) {
	for _, id := range idsOf(v) {
		o, _ := v.Object(id)
		objects = append(objects, o)
	}
	return objects
}
