package picture

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// The scene of pictures: instanced parts in rows.
const (
	sceneKind = "scene"

	partKinds = 4
	columns   = 5
	rows      = 4
)

// scene draws instanced trees.
func (d *drawer) scene(e *command.Env) {
	const instances = columns * rows
	parts, about := d.parts(e, instances)
	side := 1.0
	for _, objects := range parts {
		b := scene.Bounds(objects)
		for a := range 2 {
			side = max(side, float64(b.Max[a])-float64(b.Min[a]))
		}
	}
	s := must.Get(linear.NewScene(linear.Config{Workers: 1}))
	r := rand.New(rand.NewPCG(d.source.Seed, 21))
	for k, objects := range parts {
		tree := must.Get(lab.Build(centred(objects), 1, nil))
		for i := k; i < instances; i += len(parts) {
			transform := stand(r, i, side)
			must.Get(s.AddInstance(tree, transform, linear.InstanceOptions{}))
		}
	}
	must.Do(s.Tick())
	all := s.Bounds()
	wide := [2]float64{float64(all.Max[0]) - float64(all.Min[0]), float64(all.Max[1]) - float64(all.Min[1])}
	c := towards([3]float64{float64(all.Min[0]) + float64(0.1*wide[0]), float64(all.Min[1]) + float64(0.2*wide[1])}, min(wide[0], wide[1]))
	f := must.Get(query.FrustumPlanes(c.Planes()))
	d.write(e, show.Instances{Scene: s, About: about, Width: d.width, Frustum: f, Origin: &c.Eye})
}

// parts returns the objects of the parts, projected to the ground: all objects of a file, or enough to make
// -n over all instances.
func (d *drawer) parts(e *command.Env, instances int) (parts [][]soa.Object, about string) {
	from := d.source
	if from.File == "" {
		if from.N < instances {
			must.Do(command.Usagef("-n %d: want %d or more objects, for %[2]d instances", from.N, instances))
		}
		d.source.N = from.N / instances
	}
	defer func() { d.source = from }()
	for k := range partKinds {
		d.source.Seed = from.Seed + uint64(k)
		of, objects := d.load(e)
		if k == 0 {
			about = of
		}
		parts = append(parts, flatten(objects))
		if from.File != "" {
			break
		}
	}
	if len(parts) > 1 {
		about += fmt.Sprintf(" to %d", d.source.Seed)
	}
	return parts, about + ", in each instance, projected to the ground"
}

// centred moves objects so that the middle of their bounds is the origin.
func centred(objects []soa.Object) []soa.Object {
	m := scene.Bounds(objects).Center()
	for i := range objects {
		b := &objects[i].Box
		for a := range 2 {
			b.Min[a], b.Max[a] = b.Min[a]-m[a], b.Max[a]-m[a]
		}
	}
	return objects
}

// stand returns the transform of instance i of a part with that side: near the middle of its field, with a
// random rotation and scale; every third is mirrored.
func stand(r *rand.Rand, i int, side float64) linear.Transform {
	between := func(lo, hi float64) float64 { return lo + float64(r.Float64()*(hi-lo)) }
	var x, y, square float64
	for square < 0.01 || square > 1 {
		x, y = between(-1, 1), between(-1, 1)
		square = float64(x*x) + float64(y*y)
	}
	size := between(0.8, 1.1) / math.Sqrt(square)
	x, y = x*size, y*size
	field := 1.3 * side
	at := [2]float64{
		float64(field*float64(i%columns)) + between(-0.1*side, 0.1*side),
		float64(field*float64(i/columns)) + between(-0.1*side, 0.1*side),
	}
	mirror := 1.0
	if i%3 == 0 {
		mirror = -1
	}
	return must.Get(linear.NewTransform([12]float64{
		mirror * x, -y, 0, at[0],
		mirror * y, x, 0, at[1],
		0, 0, 1, 0,
	}))
}
