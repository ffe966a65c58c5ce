package query_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// lidarScan is a scan in the coordinates of the sensor, as far as 10 m: random points of the floor, the side walls and
// the end wall of a hall, each within a centimetre of its surface.
func lidarScan(seed uint64, sensor [3]float64) (scan [][3]float32) {
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 2000 {
		u, v := sensor[0]-10+20*r.Float64(), r.Float64()
		p := [][3]float64{{u, 8*v - 4, 0}, {u, 4, 3 * v}, {u, -4, 3 * v}, {24, 8*r.Float64() - 4, 3 * v}}[i%4]
		if p[0] <= 24 && p[0] <= sensor[0]+10 {
			for a := range p {
				p[a] += 0.01*(2*r.Float64()-1) - sensor[a]
			}
			scan = append(scan, [3]float32{float32(p[0]), float32(p[1]), float32(p[2])})
		}
	}
	return scan
}

// lidarMap is a local map of points around a sensor. Its slices and buffers are kept from scan to scan.
type lidarMap struct {
	tree  *linear.Tree
	ids   []uint32
	match query.NearestBatch
	near  []query.Neighbor
}

// add inserts a scan in the coordinates of the map, and removes the points outside a cube around the sensor.
func (m *lidarMap) add(scan [][3]float32, sensor [3]float64) (err error) {
	if m.ids, err = m.tree.InsertPoints(m.ids[:0], scan, linear.Labels{}); err != nil {
		return err
	}
	center := [3]float32{float32(math.Round(sensor[0])), float32(math.Round(sensor[1])), float32(math.Round(sensor[2]))}
	window := linear.BoxAround(center, [3]float32{9, 9, 9})
	if _, _, err := m.tree.RemoveOutside(nil, linear.BoxRegion(window), linear.Filter{}); err != nil {
		return err
	}
	return m.tree.Tick()
}

// normal returns the normal of the surface at a point: the eigenvector of the smallest eigenvalue of the covariance of
// the 20 nearest points.
func (m *lidarMap) normal(v linear.View, point [3]float32) (n [3]float64, err error) {
	m.near, err = query.AppendNearest(m.near[:0], v, point, 20, query.Unlimited, query.Filter{})
	var sum [3]float64
	var products [3][3]float64
	for _, near := range m.near {
		o, _ := v.Object(near.ID)
		for a := range 3 {
			d := float64(o.Box.Min[a] - point[a])
			sum[a] += d
			for b := range 3 {
				products[a][b] += d * float64(o.Box.Min[b]-point[b])
			}
		}
	}
	for a := range 3 {
		for b := range 3 {
			products[a][b] -= sum[a] * sum[b] / float64(len(m.near))
		}
	}
	return smallestEigenvector(products), err
}

// smallestEigenvector diagonalizes a symmetric matrix by Jacobi rotations.
func smallestEigenvector(m [3][3]float64) [3]float64 {
	axes := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} // rows, which become the eigenvectors
	for i := range 15 {
		p, q := [3]int{0, 0, 1}[i%3], [3]int{1, 2, 2}[i%3]
		angle := math.Atan2(2*m[p][q], m[q][q]-m[p][p]) / 2
		s, c := math.Sincos(angle)
		for k := range 3 {
			m[k][p], m[k][q] = c*m[k][p]-s*m[k][q], s*m[k][p]+c*m[k][q]
		}
		for k := range 3 {
			m[p][k], m[q][k] = c*m[p][k]-s*m[q][k], s*m[p][k]+c*m[q][k]
			axes[p][k], axes[q][k] = c*axes[p][k]-s*axes[q][k], s*axes[p][k]+c*axes[q][k]
		}
	}
	least := 0
	for a := range 3 {
		if m[a][a] < m[least][least] {
			least = a
		}
	}
	return axes[least]
}

// align moves a scan to the map: each point to the plane through its nearest point of the map, if that is at most
// maxDist away (a step of the iterative closest point method, point to plane). It returns the moved sensor and the
// number of matches.
func (m *lidarMap) align(scan [][3]float32, sensor [3]float64, maxDist float32) (moved [3]float64, matches int, err error) {
	v := m.tree.View()
	points := toMap(scan, sensor)
	if err := m.match.Find(context.Background(), v, points, 1, maxDist, query.Filter{}); err != nil {
		return sensor, 0, err
	}
	var a [3][3]float64 // the normal equations a*shift = b
	var b [3]float64
	for i, p := range points {
		for _, near := range m.match.Of(i) { // one, or none within the distance
			o, _ := v.Object(near.ID)
			n, err := m.normal(v, o.Box.Min)
			if err != nil {
				return sensor, 0, err
			}
			away := 0.
			for k := range 3 {
				away += n[k] * float64(o.Box.Min[k]-p[k])
			}
			for k := range 3 {
				b[k] += n[k] * away
				for l := range 3 {
					a[k][l] += n[k] * n[l]
				}
			}
			matches++
		}
	}
	cofactors := [3][3]float64{cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])} // symmetric, as a is
	for k := range 3 {
		moved[k] = sensor[k] + product(b, cofactors[k])/product(a[0], cofactors[0])
	}
	return moved, matches, nil
}

func product(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// toMap returns the points of a scan in the coordinates of the map.
func toMap(scan [][3]float32, sensor [3]float64) (points [][3]float32) {
	for _, p := range scan {
		points = append(points, [3]float32{float32(sensor[0] + float64(p[0])), float32(sensor[1] + float64(p[1])), float32(sensor[2] + float64(p[2]))})
	}
	return points
}

// LiDAR odometry with a map that follows the sensor. Each scan is aligned with the map, from the place where the sensor
// would be if it had gone on as before; then it becomes a part of the map. (A program adds a rotation to the shift.)
func Example_odometry() {
	tree, err := linear.New(linear.Config{})
	failIf(err)
	m := lidarMap{tree: tree}
	sensor := [3]float64{15, 0, 1.5}
	failIf(m.add(toMap(lidarScan(0, sensor), sensor), sensor))
	for i, truth := range [][3]float64{{15.5, 0.08, 1.5}, {16.1, 0.12, 1.48}, {16.6, 0.2, 1.5}, {17.2, 0.1, 1.53}} {
		scan := lidarScan(uint64(i+1), truth)
		sensor[0] += 0.5 // a guess
		matches := 0
		for range 3 {
			sensor, matches, err = m.align(scan, sensor, 0.3)
			failIf(err)
		}
		off := math.Hypot(math.Hypot(sensor[0]-truth[0], sensor[1]-truth[1]), sensor[2]-truth[2])
		fmt.Printf("sensor at %.1f, within a centimetre: %v, most points match: %v\n", sensor, off < 0.01, 2*matches > len(scan))
		failIf(m.add(toMap(scan, sensor), sensor))
	}
	fmt.Printf("the map begins at x = %.0f\n", m.tree.View().Bounds().Min[0])
	// Output:
	// sensor at [15.5 0.1 1.5], within a centimetre: true, most points match: true
	// sensor at [16.1 0.1 1.5], within a centimetre: true, most points match: true
	// sensor at [16.6 0.2 1.5], within a centimetre: true, most points match: true
	// sensor at [17.2 0.1 1.5], within a centimetre: true, most points match: true
	// the map begins at x = 8
}
