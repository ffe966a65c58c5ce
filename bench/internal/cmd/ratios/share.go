package ratios

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func curveOfFrusta(b *sceneTree, share float64) (tree, sweep lab.QueryFunc) {
	lenses := must.Get(lab.LensesOf(b.curveFrusta(share)))
	return b.TreeQueries(lenses), b.SweepQueries(lenses)
}

func curveOfBoxes(b *sceneTree, share float64) (tree, sweep lab.QueryFunc) {
	boxes := b.curveBoxes(share)
	q := must.Get(lab.NewBoxes(boxes))
	v := cull.Volume{Shape: cull.ShapeBox}
	sweep = func(dst []uint32, i int) []uint32 {
		p := &b.Store.Packets
		v.Box = cull.MakeBox(boxes[i].Min, boxes[i].Max)
		b.ranges = v.Scan(b.ranges[:0], p.Bounds, 0, len(p.Bounds))
		return cull.EmitIDs(dst, p.IDs, p.Counts, b.ranges)
	}
	return appendTo(q.(*lab.Volumes[query.Box]), b), sweep
}

func curveOfSpheres(b *sceneTree, share float64) (tree, sweep lab.QueryFunc) {
	spheres := b.curveSpheres(share)
	q := must.Get(lab.NewSpheres(lab.Quads(spheres)))
	v := cull.Volume{Shape: cull.ShapeSphere}
	sweep = func(dst []uint32, i int) []uint32 {
		p := &b.Store.Packets
		v.Sphere = cull.MakeSphere(spheres[i].Center, spheres[i].Radius)
		b.ranges = v.Scan(b.ranges[:0], p.Bounds, 0, len(p.Bounds))
		return cull.EmitIDs(dst, p.IDs, p.Counts, b.ranges)
	}
	return appendTo(q.(*lab.Volumes[query.Sphere]), b), sweep
}

// appendTo returns a function that queries the tree.
func appendTo[Q lab.VolumeQuery](q *lab.Volumes[Q], b *sceneTree) lab.QueryFunc {
	return func(dst []uint32, i int) []uint32 { return q.Queries[i].Append(dst, b.View, query.Filter{}) }
}

// curveSpheres returns spheres around objects that contain about a given share of the objects. For a share of
// 0 the centres are far outside.
func (b *sceneTree) curveSpheres(share float64) (balls []scene.Sphere) {
	for i := range curveQueries {
		c, reach := b.reach(i, share, func(box *soa.AABB, p *[3]float32) float64 {
			d2 := 0.0
			for a := range 3 {
				d := gap(box, p, a)
				d2 += float64(d * d)
			}
			return math.Sqrt(d2)
		})
		balls = append(balls, scene.Sphere{Center: c, Radius: float32(min(reach, math.MaxFloat32))})
	}
	return balls
}

// curveBoxes returns cubes around objects that contain about a given share of the objects. For a share of 0
// the centres are far outside.
func (b *sceneTree) curveBoxes(share float64) (cubes []soa.AABB) {
	for i := range curveQueries {
		c, reach := b.reach(i, share, func(box *soa.AABB, p *[3]float32) float64 {
			return max(gap(box, p, 0), gap(box, p, 1), gap(box, p, 2))
		})
		cube := soa.AABB{Min: c, Max: c}
		for a := range 3 {
			shift32 := func(by float64) float32 {
				return float32(min(max(float64(c[a])+by, -math.MaxFloat32), math.MaxFloat32))
			}
			cube.Min[a], cube.Max[a] = shift32(-reach), shift32(reach)
		}
		cubes = append(cubes, cube)
	}
	return cubes
}

// gap returns the distance of a point from a box on one axis.
func gap(box *soa.AABB, p *[3]float32, axis int) float64 {
	x := float64(p[axis])
	return max(float64(box.Min[axis])-x, x-float64(box.Max[axis]), 0)
}

// reachSample is the number of objects that represent a larger scene.
const reachSample = 1 << 15

// reach returns the i-th query point, which lies on an object, and the distance within which the given share
// of the objects lies. For a share of 0 it returns a point far from all objects, and 0.
func (b *sceneTree) reach(i int, share float64, distance func(box *soa.AABB, p *[3]float32) float64) (p [3]float32, far float64) {
	n := len(b.Objects)
	p = b.Objects[i*n/curveQueries].Box.Center()
	every := (n + reachSample - 1) / reachSample
	var all []float64
	for k := 0; k < n; k += every {
		all = append(all, distance(&b.Objects[k].Box, &p))
	}
	if share == 1 { // over all objects, not the sample
		for k := range b.Objects {
			far = max(far, distance(&b.Objects[k].Box, &p))
		}
		return p, far * (1 + 1e-6)
	}
	if visible := int(math.Round(share * float64(len(all)))); visible > 0 {
		slices.Sort(all)
		return p, all[visible-1] * (1 + 1e-6)
	}
	box := scene.Bounds(b.Objects)
	for a := range 3 {
		p[a] = float32(min(float64(box.Max[a])+1e-3*(float64(box.Max[a])-float64(box.Min[a]))+1, math.MaxFloat32))
	}
	return p, 0
}

// curveFrusta returns frusta that see about a given share of the objects. Half of them are cameras among or
// near the objects, as long as such cameras can see the share. The others are far away, with all objects in
// the image and a far plane behind the share.
func (b *sceneTree) curveFrusta(share float64) (frusta [][6][4]float32) {
	if 0 < share && share <= 0.5 {
		for _, c := range scene.Cameras(b.Objects, share, curveQueries/2, b.Seed) {
			frusta = append(frusta, c.Planes())
		}
	}
	box := scene.Bounds(b.Objects)
	var middle, half [3]float64
	radius := 0.0
	for a := range 3 {
		lo, hi := float64(box.Min[a]), float64(box.Max[a])
		middle[a], half[a] = lo/2+hi/2, hi/2-lo/2
		radius += half[a] * half[a]
	}
	radius = math.Sqrt(radius) + 1
	var depths []float64
	for i := len(frusta); i < curveQueries; i++ {
		forward := direction(i)
		eye := middle
		for a := range 3 {
			eye[a] -= 3 * radius * forward[a]
		}
		c := scene.NewCamera(eye, forward, radius/2, radius)
		if visible := int(share * float64(len(b.Objects))); visible > 0 {
			depths = depths[:0]
			for i := range b.Objects {
				depths = append(depths, depth(&b.Objects[i].Box, &eye, &forward))
			}
			slices.Sort(depths)
			c.Far = depths[visible-1] + 1e-6*radius
		}
		frusta = append(frusta, c.Planes())
	}
	return frusta
}

// direction returns the i-th of many unit vectors spread over the sphere.
func direction(i int) [3]float64 {
	const turn = 2.399963229728653 // the golden angle
	z := math.Mod(0.1+0.37*float64(i), 1.8) - 0.9
	s, c := math.Sincos(turn * float64(i))
	r := math.Sqrt(1 - z*z)
	return [3]float64{r * c, r * s, z}
}

// depth returns the smallest distance of a box from the camera position along forward.
func depth(b *soa.AABB, eye, forward *[3]float64) (d float64) {
	for a := range 3 {
		near := float64(b.Min[a])
		if forward[a] < 0 {
			near = float64(b.Max[a])
		}
		d += (near - eye[a]) * forward[a]
	}
	return d
}
