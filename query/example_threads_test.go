package query_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// wall is a scan of 500 points of a wall, 4 cm apart and 10 cm high; each scan is 10 cm above the last.
func wall(scan int) (points [][3]float32) {
	for i := range 500 {
		points = append(points, [3]float32{0.04 * float32(i), 0, 0.1 * float32(scan)})
	}
	return points
}

// mapper inserts scans and publishes the map after each. It is the writer, the only one who uses the tree, and never
// waits for readers.
func mapper(versions *linear.Publisher, scans <-chan [][3]float32) error {
	tree := versions.Tree()
	var ids []uint32
	for scan := range scans {
		var err error
		if ids, err = tree.InsertPoints(ids[:0], scan, linear.Labels{}); err != nil {
			return err
		}
		if err := tree.Tick(); err != nil {
			return err
		}
		versions.Publish()
	}
	return nil
}

// matcher counts the points of scans that have a point of the map within 15 cm. Each scan is matched with one version
// of the map, while the mapper changes the tree.
type matcher struct {
	versions *linear.Publisher
	near     query.NearestBatch
}

func (m *matcher) match(scan [][3]float32) (matched, size int, err error) {
	version := m.versions.Acquire() // never waits for the mapper
	defer version.Release()
	if err := m.near.Find(context.Background(), version.View(), scan, 1, 0.15, query.Filter{}); err != nil {
		return 0, 0, err
	}
	for i := range scan {
		matched += len(m.near.Of(i))
	}
	return matched, version.View().Len(), nil
}

// A map thread and an odometry thread. Neither waits for the other.
func Example_mapThread() {
	tree, err := linear.New(linear.Config{})
	failIf(err)
	_, err = tree.InsertPoints(nil, wall(0), linear.Labels{})
	failIf(err)
	versions := linear.NewPublisher(tree)
	held := versions.Acquire() // a reader that is slow: the mapper goes on all the same

	scans := make(chan [][3]float32)
	var threads sync.WaitGroup
	threads.Go(func() { failIf(mapper(versions, scans)) })
	odometry := matcher{versions: versions}
	for scan := 1; scan <= 20; scan++ {
		matched, size, err := odometry.match(wall(scan)) // with the last version or the one before
		failIf(err)
		if size%500 != 0 || matched != 0 && matched != 500 {
			fmt.Println("half a scan:", matched, size)
		}
		scans <- wall(scan)
	}
	close(scans)
	threads.Wait()

	matched, size, err := odometry.match(wall(21))
	failIf(err)
	fmt.Println("at the end:", matched, "points matched in a map of", size)
	fmt.Println("the slow reader has a map of", held.View().Len())
	held.Release()
	fmt.Println("versions held:", tree.Stats().Held)
	// Output:
	// at the end: 500 points matched in a map of 10500
	// the slow reader has a map of 500
	// versions held: 0
}
