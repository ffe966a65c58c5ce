package scene

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// uniform returns spheres of radius 1 with centres uniform in a cube of side 3 * n^(1/3), so that
// the density is the same for every n.
func uniform(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 1)
	objects := make([]soa.Object, n)
	side := 3 * cbrt(float64(n))
	for i := range objects {
		objects[i].Box = around(r.in(side), [3]float64{1, 1, 1})
	}
	return label(objects, everyThird)
}

// clustered returns boxes of 0.1 to 2 units in n/1000 Gaussian clusters of very different density
// in the cube of the uniform scene.
func clustered(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 2)
	type cluster struct {
		centre [3]float64
		sigma  float64
	}
	side := 3 * cbrt(float64(n))
	clusters := make([]cluster, n/1000+1)
	for i := range clusters {
		clusters[i] = cluster{r.in(side), r.power(0.5, 50)}
	}
	objects := make([]soa.Object, n)
	for i := range objects {
		c := &clusters[r.IntN(len(clusters))]
		offset := [3]float64{r.normal(), r.normal(), r.normal()}
		half := [3]float64{r.between(0.05, 1), r.between(0.05, 1), r.between(0.05, 1)}
		objects[i].Box = around(along(c.centre, offset, c.sigma), half)
	}
	return label(objects, everyThird)
}

// identical returns the same box n times, so that all keys are equal.
func identical(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 3)
	box := around(r.in(100), [3]float64{1, 2, 0.5})
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i].Box = box
	}
	return label(objects, everyThird)
}

// plane returns boxes of height 0, all at the same z.
func plane(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 4)
	z := r.between(-10, 10)
	objects := make([]soa.Object, n)
	side := 3 * math.Sqrt(float64(n))
	for i := range objects {
		c := [3]float64{r.between(0, side), r.between(0, side), z}
		objects[i].Box = around(c, [3]float64{r.between(0.1, 1), r.between(0.1, 1), 0})
	}
	return label(objects, everyThird)
}

// huge returns tiny boxes in the cube of the uniform scene, and one box that contains all of them,
// at a random index.
func huge(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 5)
	objects := make([]soa.Object, n)
	side := 3 * cbrt(float64(n))
	for i := range objects {
		half := r.between(0.001, 0.01)
		objects[i].Box = around(r.in(side), [3]float64{half, half, half})
	}
	if n > 0 {
		middle, half := side/2, side/2+1
		objects[r.IntN(n)].Box = around([3]float64{middle, middle, middle}, [3]float64{half, half, half})
	}
	return label(objects, everyThird)
}

// sorted returns the uniform scene in ascending order of min x, then y, then z.
func sorted(n int, seed uint64) []soa.Object {
	objects := uniform(n, seed)
	slices.SortFunc(objects, func(a, b soa.Object) int {
		p, q := &a.Box.Min, &b.Box.Min
		return cmp.Or(cmp.Compare(p[0], q[0]), cmp.Compare(p[1], q[1]), cmp.Compare(p[2], q[2]))
	})
	return label(objects, everyThird)
}

// points returns uniform boxes without extent; every tenth coincides with the one before it.
func points(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 6)
	objects := make([]soa.Object, n)
	side := 3 * cbrt(float64(n))
	for i := range objects {
		if i%10 == 9 {
			objects[i].Box = objects[i-1].Box
			continue
		}
		objects[i].Box = around(r.in(side), [3]float64{})
	}
	return label(objects, everyThird)
}
