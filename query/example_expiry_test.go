package query_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// road is a scan as far as 5 m from the sensor, at x: points of a road, 10 cm apart, and of a parked car from 6 to 9.
func road(x float32, parked bool) (scan [][3]float32) {
	for i := range 200 {
		for j := range 40 {
			p := [3]float32{0.05 + 0.1*float32(i), 0.05 + 0.1*float32(j), 0.05}
			if parked && p[0] > 6 && p[0] < 9 && p[1] < 2 {
				p[2] = 1.55 // the roof: the road below it is hidden
			}
			if p[0] > x-5 && p[0] < x+5 {
				scan = append(scan, p)
			}
		}
	}
	return scan
}

// expiringMap removes the points that the sensor has not hit again for some scans, although they are within its range:
// they belonged to objects that have moved away. What is out of range is kept.
type expiringMap struct {
	tree     *linear.Tree
	scan     uint32
	lastScan linear.Column[uint32] // in which the point of an ID was hit, from 1
	ids      []uint32
	expired  []uint64 // a bit for each ID
}

// newExpiringMap makes a map with one point in each voxel of 10 cm, the newest: a point that hits the voxel of another
// one takes its ID, so that insertion touches the points that are hit again.
func newExpiringMap() (*expiringMap, error) {
	tree, err := linear.New(linear.Config{Thin: linear.Thin{Cell: 0.1, Keep: linear.KeepNewest}})
	return &expiringMap{tree: tree}, err
}

// add inserts a scan, and removes the points within range that none of the last n scans hit. It returns their number.
func (m *expiringMap) add(scan [][3]float32, sensor [3]float32, reach float32, n uint32) (removed int, err error) {
	if m.ids, err = m.tree.InsertPoints(m.ids[:0], scan, linear.Labels{}); err != nil {
		return 0, err
	}
	m.scan++
	for _, id := range m.ids {
		if id != linear.None {
			m.lastScan.Set(id, m.scan)
		}
	}
	m.expired = append(m.expired[:0], make([]uint64, (m.lastScan.Len()+63)/64)...)
	for id, last := range m.lastScan.Values() {
		if last+n <= m.scan {
			m.expired[id/64] |= 1 << (id % 64)
		}
	}
	around, err := query.NewSphere(sensor, reach)
	if err != nil {
		return 0, err
	}
	m.ids = around.Append(m.ids[:0], m.tree.View(), query.Filter{Only: m.expired})
	if err := m.tree.RemoveBatch(m.ids); err != nil {
		return 0, err
	}
	return len(m.ids), m.tree.Tick()
}

// A map forgets a car that has driven away, and keeps the road behind the sensor.
func Example_expiry() {
	m, err := newExpiringMap()
	failIf(err)
	for i, x := range []float32{4, 5, 6, 7, 8, 9, 10, 11} {
		parked := i < 3
		removed, err := m.add(road(x, parked), [3]float32{x, 2, 1}, 4, 3)
		failIf(err)
		fmt.Printf("sensor at %v: %d removed, %d in the map\n", x, removed, m.tree.Len())
	}
	// Output:
	// sensor at 4: 0 removed, 3600 in the map
	// sensor at 5: 0 removed, 4000 in the map
	// sensor at 6: 0 removed, 4400 in the map
	// sensor at 7: 0 removed, 5400 in the map
	// sensor at 8: 0 removed, 5800 in the map
	// sensor at 9: 600 removed, 5600 in the map
	// sensor at 10: 0 removed, 6000 in the map
	// sensor at 11: 0 removed, 6400 in the map
}
