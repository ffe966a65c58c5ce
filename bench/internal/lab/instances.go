package lab

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	deep "github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Instances is a scene of instanced parts, and the alternative for a program without scenes: a flat tree of
// the boxes around all instanced objects. The trees are frozen and trimmed.
type Instances struct {
	Count, Each int // as requested
	Seed        uint64

	Parts      []*linear.Tree
	Where      []scene.Instance // by instance ID
	Transforms []linear.Transform
	Scene      *linear.Scene
	View       linear.SceneView

	Flat  *SceneTree // boxes of all instanced objects, instance by instance, in the order of IDs
	First []int      // first ID of each instance in Flat
}

// NewInstances builds the scene that [scene.Instances] describes.
func NewInstances(count, each int, seed uint64) (*Instances, error) {
	objects, where := scene.Instances(count, each, seed)
	b, err := InstancesOf(objects, where)
	if err == nil {
		b.Count, b.Each, b.Seed, b.Flat.Seed = count, each, seed, seed
	}
	return b, err
}

// InstancesOf builds a scene of the parts, with the instances grouped by part. An invalid matrix and a
// missing part are errors that name the instance.
func InstancesOf(objects [][]soa.Object, where []scene.Instance) (*Instances, error) {
	b := &Instances{Where: where}
	for i := range where {
		p, err := linear.NewTransform(where[i].Rows)
		if err != nil {
			return nil, fmt.Errorf("instance %d: %w", i, err)
		}
		if k := where[i].Part; k < 0 || k >= len(objects) {
			return nil, fmt.Errorf("instance %d: part %d of %d", i, k, len(objects))
		}
		b.Transforms = append(b.Transforms, p)
	}
	for _, list := range objects {
		t, err := buildTrimmed(list)
		if err != nil {
			return nil, err
		}
		b.Parts = append(b.Parts, t)
	}
	var err error
	if b.Scene, err = b.NewScene(linear.InstanceOptions{}); err != nil {
		return nil, err
	}
	b.Scene.Trim()
	b.View = b.Scene.View()
	var images []soa.Object
	for i := range where {
		b.First = append(b.First, len(images))
		for _, o := range objects[where[i].Part] {
			o.Box = b.Transforms[i].Box(o.Box)
			images = append(images, o)
		}
	}
	flat, err := buildTrimmed(images)
	if err != nil {
		return nil, err
	}
	v := flat.View()
	b.Flat = &SceneTree{Objects: images, Tree: flat, View: v, Store: v.Store()}
	return b, nil
}

func buildTrimmed(objects []soa.Object) (*linear.Tree, error) {
	t, err := BuildFrozen(objects, 1, nil)
	if err == nil {
		t.Trim()
	}
	return t, err
}

// NewScene returns another scene of the same parts. Clear it to release the parts.
func (b *Instances) NewScene(o linear.InstanceOptions) (*linear.Scene, error) {
	s, err := linear.NewScene(linear.Config{Workers: 1})
	if err != nil {
		return nil, err
	}
	ids := make([]uint32, 0, len(b.Where))
	for first := 0; first < len(b.Where); first = len(ids) {
		end := first
		for end < len(b.Where) && b.Where[end].Part == b.Where[first].Part {
			end++
		}
		if ids, err = s.AddInstances(ids, b.Parts[b.Where[first].Part], b.Transforms[first:end], o); err != nil {
			return nil, err
		}
	}
	for i, id := range ids {
		if int(id) != i {
			return nil, fmt.Errorf("instance %d of a new scene has the ID %d", i, id)
		}
	}
	return s, s.Tick()
}

// Bytes returns the memory of the scene with its parts, and of the flat tree: live data, and the logs, slack
// and buffers that remain after trimming.
func (b *Instances) Bytes() (scene, flat int) {
	scene = b.Scene.Stats().Bytes()
	for _, t := range b.Parts {
		scene += treeBytes(t)
	}
	return scene, treeBytes(b.Flat.Tree)
}

func treeBytes(t *linear.Tree) int {
	s := t.Stats()
	return s.LiveBytes() + s.Log + s.Slack + s.Scratch + s.VersionBytes
}

// VolumesTask queries the scene with volumes; its unit is a query.
func VolumesTask[V query.Volume](b *Instances, volumes []V) measure.Task {
	var a deep.Answer
	return measure.Task{Units: len(volumes), Do: func() (found uint64) {
		for i := range volumes {
			a.Reset()
			deep.Append(&a, volumes[i], b.View, query.Filter{})
			found += uint64(a.Len())
		}
		return found
	}}
}

// RaysTask finds the first hits of rays in the scene; its unit is a query.
func (b *Instances) RaysTask(rays []query.Ray) measure.Task {
	return measure.Task{Units: len(rays), Do: func() (found uint64) {
		for i := range rays {
			if _, ok := deep.First(rays[i], b.View, query.Filter{}); ok {
				found++
			}
		}
		return found
	}}
}

// answer marks in found, by index in the flat tree, the objects of the scene that a volume intersects.
func answer[V query.Volume](b *Instances, volume V, found []bool) error {
	clear(found)
	var a deep.Answer
	deep.Append(&a, volume, b.View, query.Filter{})
	for i := range a.Runs {
		at, ids := a.Run(i)
		path := a.Path(at)
		if path.Len() != 1 {
			return fmt.Errorf("objects at the path %v", path)
		}
		for _, id := range ids {
			image := b.First[path.At(0)] + int(id)
			if found[image] {
				return fmt.Errorf("object %d at the path %v is in the result twice", id, path)
			}
			found[image] = true
		}
	}
	return nil
}
