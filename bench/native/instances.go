package main

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	shapes "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// instances is a scene of instances.
type instances struct {
	*lab.Instances
	parts  [][]soa.AABB
	placed []flat.Instance
}

// loadInstances reads the parts and the instances of the folder. The objects of the field are the boxes around all
// instanced objects.
func (f *field) loadInstances() {
	s := &instances{placed: must.Get(flat.Load(f.path("instances.bin"), flat.ReadInstances))}
	var parts [][]soa.Object
	for _, path := range must.Get(filepath.Glob(f.path("part-*.bin"))) {
		boxes := must.Get(flat.Load(path, flat.ReadScene))
		s.parts = append(s.parts, boxes)
		parts = append(parts, objectsOf(boxes))
	}
	where := make([]shapes.Instance, len(s.placed))
	for i := range s.placed {
		similar(&s.placed[i].Rows)
		where[i].Part = int(s.placed[i].Part)
		for k, x := range s.placed[i].Rows {
			where[i].Rows[k] = float64(x)
		}
	}
	s.Instances = must.Get(lab.InstancesOf(parts, where))
	for i := range s.Flat.Objects {
		f.boxes = append(f.boxes, s.Flat.Objects[i].Box)
	}
	f.n, f.instances = len(f.boxes), s
}

// similar replaces a matrix that is no similarity by the identity: the distances of a scene are lower bounds there, and
// Embree's are not.
func similar(rows *[12]float32) {
	var m [12]float64
	for k, x := range rows {
		m[k] = float64(x)
	}
	if must.Get(linear.NewTransform(m)).Kind() > linear.TransformSimilarity {
		*rows = [12]float32{0: 1, 3: rows[3], 5: 1, 7: rows[7], 10: 1, 11: rows[11]}
	}
}

// inScene compares searches in scenes of instances.
func (c *contest) inScene() {
	s := c.field.instances
	if !c.rival.does("instances") || s == nil {
		return
	}
	for _, boxes := range s.parts {
		give(c.native, "part", boxes)
	}
	give(c.native, "instances", s.placed)
	rays := c.castRays()
	c.query(queries{row: "instances: ray, first hit", needs: "first", command: "first", n: len(rays), load: c.giveRays,
		same: c.numbers(grazing, 1e-4, 1e-5*c.extent()),
		find: func(dst []uint32, i int) []uint32 {
			hit, ok := scene.First(rays[i], s.View, query.Filter{})
			return append(dst, timeOf(hit.Dist, ok))
		},
	})
	var near []scene.Neighbor
	for _, k := range must.Get(c.Neighbors()) {
		c.query(queries{row: fmt.Sprintf("instances: nearest %d", k), needs: "near", command: fmt.Sprint("near ", k), n: len(c.points),
			load: c.givePoints, same: c.numbers(instanced, 1e-4, 1e-5*c.extent()),
			find: func(dst []uint32, i int) []uint32 {
				near = must.Get(scene.AppendNearest(near[:0], s.View, c.points[i], k, query.Unlimited, query.Filter{}))
				for _, n := range near {
					dst = append(dst, math.Float32bits(n.Dist))
				}
				return dst
			},
		})
	}
}
