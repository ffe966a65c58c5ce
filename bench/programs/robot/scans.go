// Package robot is the obstacle map of a robot, in two ways: Octree is the tree that point-cloud programs begin with,
// eight pointers to children and a list of points in each leaf; Map is the same map moved over to the library.
//
// The robot drives through a hall and scans it. Each scan adds points, and the planner asks how far the next obstacle
// is from places on its path, and how many points are near them.
package robot

import (
	"math"
	"math/rand/v2"
)

// Point is a point of a scan, in metres.
type Point = [3]float32

// dist2 returns the squared distance of two points, as query.Neighbor defines it.
func dist2(a, b Point) float32 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return float32(float32(x*x)+float32(y*y)) + float32(z*z)
}

// Scans makes scans of a hall with pillars: n points of each, on the walls, the floor and the pillars around the robot.
// It returns the places of the robot, too.
func Scans(scans, n int, seed uint64) (clouds [][]Point, path []Point) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for s := range scans {
		at := [2]float64{10 + 0.5*float64(s), 10 + 4*math.Sin(float64(s)/9)}
		cloud := make([]Point, 0, n)
		for len(cloud) < n {
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			reach := 20.0
			for step := 0.5; step < reach; step += 0.25 { // until the ray meets a pillar or a wall
				x, y := at[0]+step*cos, at[1]+step*sin
				if y < 0 || y > 20 || math.Hypot(math.Mod(x+80, 8)-4, math.Mod(y+80, 8)-4) < 0.6 {
					reach = step
				}
			}
			noise := reach + 0.02*rng.NormFloat64()
			p := Point{float32(at[0] + noise*cos), float32(at[1] + noise*sin), float32(3 * rng.Float64())}
			if rng.IntN(4) == 0 { // the floor
				on := reach * math.Sqrt(rng.Float64())
				p = Point{float32(at[0] + on*cos), float32(at[1] + on*sin), float32(0.01 * rng.NormFloat64())}
			}
			cloud = append(cloud, p)
		}
		clouds = append(clouds, cloud)
		path = append(path, Point{float32(at[0]), float32(at[1]), 0.5})
	}
	return clouds, path
}
