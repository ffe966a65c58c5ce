package picture

import (
	"bytes"
	"image/png"
	"math"
	"os"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// Pictures of occlusion culling.
const (
	occlusionKind = "occlusion"
	partitionName = "partition"

	occlusionCameras = 16
)

// occlusion draws the result of a camera, and the depth buffer.
func (d *drawer) occlusion(e *command.Env) {
	objects, camera, occluders, about := d.occluded(e)
	tree := must.Get(lab.Build(objects, 1, nil))
	must.Do(tree.Rebuild(nil, linear.RebuildOptions{Cut: linear.CutSpace}))
	culler := must.Get(occlude.New(occlude.Config{Width: 512, OccluderMask: occluders}))
	occlusion := show.Occlusion{Scene: show.Scene{View: tree.View(), About: about, Slice: d.slice, Width: d.width}, Culler: culler, Camera: camera}
	d.write(e, occlusion)
	if d.depth != "" {
		var grey bytes.Buffer
		must.Do(png.Encode(&grey, culler.DepthImage()))
		must.Do(os.WriteFile(d.depth, grey.Bytes(), 0o666))
	}
}

// occluded returns objects, a camera, and the mask of occluders.
func (d *drawer) occluded(e *command.Env) (objects []soa.Object, camera query.Camera, occluders uint32, about string) {
	if d.source.File == "" && d.source.Scene == partitionName {
		if d.slice == nil {
			d.slice = new(float64)
		}
		objects, camera = fromTheSide()
		return objects, camera, scene.PartitionMask, "1,331 spheres and a partition, from the side"
	}
	about, objects = d.load(e)
	// The camera in the streets with most objects in its frustum.
	most := -1
	for _, c := range scene.Street(objects, occlusionCameras, d.source.Seed) {
		planes, n := c.Planes(), 0
		for i := range objects {
			m, ahead := objects[i].Box.Center(), true
			for _, p := range planes {
				ahead = ahead && float64(p[0]*m[0])+float64(p[1]*m[1])+float64(p[2]*m[2])+float64(p[3]) >= 0
			}
			if ahead {
				n++
			}
		}
		if n > most {
			camera, most = cameraOf(&c), n
		}
	}
	return objects, camera, ^uint32(0), about
}

// fromTheSide returns the scene of the partition with its depth to the right and its height upwards, so that
// its map is a side view.
func fromTheSide() (objects []soa.Object, camera query.Camera) {
	objects = scene.Partition(0)
	for i := range objects {
		b := &objects[i].Box
		b.Min = [3]float32{b.Min[1], b.Min[2], b.Min[0]}
		b.Max = [3]float32{b.Max[1], b.Max[2], b.Max[0]}
	}
	c := scene.Audience()
	camera = cameraOf(&c)
	for _, v := range []*[3]float64{&camera.Eye, &camera.Forward, &camera.Up} {
		*v = [3]float64{v[1], v[2], v[0]}
	}
	return objects, camera
}

func cameraOf(c *scene.Camera) query.Camera {
	return query.Camera{Eye: c.Eye, Forward: c.Forward, Up: c.Up, FovY: 2 * math.Atan(c.TanY), Aspect: c.TanX / c.TanY, Near: c.Near, Far: c.Far}
}
