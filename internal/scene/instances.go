package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// PartKinds is the number of different parts of [Instances].
const PartKinds = 20

// Instance is a part under a transform.
type Instance struct {
	Part int
	Rows [12]float64 // x, y, z, 1 times a row is a coordinate in the scene: 3 rows of 4
}

// Instances returns an instanced scene: the objects of [PartKinds] parts, and their instances
// grouped by part, a city in which each kind of building is repeated many times.
//
// A part of m objects is a block about the origin, of volume 125*m and of random proportions; the
// objects are boxes with edges of 0.4 to 2.4. Parts have between a half and three halves of the
// requested number of objects; over all instances the mean is the requested number, up to rounding.
//
// Instances stand on a plane: four of five in Gaussian clusters with one building per ground plan
// in the middle, so that neighbours overlap, the others scattered. On average, six of eight
// instances are rotated about z, one is also mirrored and scaled by 0.7 to 1.4, and one is affine:
// rotated, sheared, and scaled along each axis.
func Instances(instances, objects int, seed uint64) (parts [][]soa.Object, at []Instance) {
	r := newRandom(seed, 21)
	for k := range PartKinds {
		parts = append(parts, r.block(objects/2+k*objects/(PartKinds-1)))
	}
	edge := cbrt(125 * float64(objects))
	at = make([]Instance, instances)
	ground := r.ground(instances, edge)
	for i := range at {
		in := &at[i]
		in.Part = i * PartKinds / instances
		r.stand(in, r.IntN(8))
		in.Rows[3], in.Rows[7] = ground[i][0], ground[i][1]
	}
	return parts, at
}

// block returns the objects of a part.
func (r random) block(m int) []soa.Object {
	edge := cbrt(125 * float64(max(m, 1)))
	wide, tall := r.between(0.8, 1.25), r.between(0.7, 1.8)
	half := [3]float64{edge * wide / 2, edge / wide / tall / 2, edge * tall / 2}
	objects := make([]soa.Object, m)
	for i := range objects {
		var c, h [3]float64
		for a := range 3 {
			c[a], h[a] = r.between(-half[a], half[a]), r.between(0.2, 1.2)
		}
		objects[i].Box = around(c, h)
	}
	return label(objects, everyThird)
}

// ground returns positions on a plane, in random order, for buildings of the given edge.
func (r random) ground(instances int, edge float64) [][2]float64 {
	side := 1.5 * edge * math.Sqrt(float64(instances))
	at := make([][2]float64, 0, instances)
	for len(at) < instances/5 {
		at = append(at, [2]float64{r.between(0, side), r.between(0, side)})
	}
	clusters := max(1, instances/100)
	for k := range clusters {
		end := len(at) + (instances-len(at))/(clusters-k)
		x, y := r.between(0, side), r.between(0, side)
		sigma := 0.4 * edge * math.Sqrt(float64(end-len(at)))
		for len(at) < end {
			at = append(at, [2]float64{x + float64(r.normal()*sigma), y + float64(r.normal()*sigma)})
		}
	}
	r.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	return at
}

// stand sets the matrix of an instance: mirrored for kind 0, affine for kind 1, else rotated about
// z.
func (r random) stand(in *Instance, kind int) {
	h := r.heading()
	turn := [3][3]float64{{h[0], -h[1], 0}, {h[1], h[0], 0}, {0, 0, 1}}
	shape := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	switch kind {
	case 0:
		s := r.between(0.7, 1.4)
		shape = [3][3]float64{{-s, 0, 0}, {0, s, 0}, {0, 0, s}}
	case 1:
		for i := range 3 {
			for j := range 3 {
				shape[i][j] = r.between(-0.2, 0.2)
			}
			shape[i][i] = r.between(0.7, 1.4)
		}
	}
	for i := range 3 {
		for j := range 3 {
			column := [3]float64{shape[0][j], shape[1][j], shape[2][j]}
			in.Rows[4*i+j] = dot(turn[i], column)
		}
	}
}
