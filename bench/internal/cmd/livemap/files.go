package livemap

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear/points"
	"github.com/zoctree/zoctree/soa"
)

// recorded has the scans of files.
type recorded struct {
	scans   []scan
	points  int
	bounds  soa.AABB64 // of all points, in the coordinates of the files
	timed   bool       // the scans are in the order of gps_time
	skipped []string   // descriptions of the points left out
}

func (f *recorded) scan(i int) scan { return f.scans[i] }

// readScans reads a folder with one file for each scan, or a file that is cut into scans of n points.
func readScans(path string, n int) *recorded {
	f := &recorded{}
	if !must.Get(os.Stat(path)).IsDir() {
		c := readPoints(path, nil)
		f.read(&c, "")
		f.timed = c.Columns[timeColumn] != nil
		for part := range slices.Chunk(c.inTime(), n) {
			f.add(part)
		}
		return f
	}
	var origin *[3]float64
	entries := must.Get(os.ReadDir(path))
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return compareNames(a.Name(), b.Name()) })
	for _, entry := range entries {
		if entry.IsDir() || strings.HasPrefix(entry.Name(), ".") || !isScan(entry.Name()) {
			continue
		}
		c := readPoints(filepath.Join(path, entry.Name()), origin)
		origin = &c.Origin
		f.read(&c, entry.Name()+": ")
		f.add(c.Points)
	}
	return f
}

// isScan reports whether a name ends like that of a file of points, which may be compressed.
func isScan(name string) bool {
	end := filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
	return slices.Contains([]string{".las", ".pcd", ".ply", ".xyz", ".pts", ".csv"}, end)
}

// compareNames compares names of files. It compares the numbers in them as numbers: scan9 is before scan10.
func compareNames(a, b string) int {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m == 0 || n == 0 {
			if c := cmp.Compare(a[0], b[0]); c != 0 {
				return c
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
			return c
		}
		a, b = a[m:], b[n:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of digits with which a text begins.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// timeColumn is the column of the times of points.
const timeColumn = "gps_time"

// read adds the numbers of a file, whose points add adds.
func (f *recorded) read(c *cloud, name string) {
	if f.points == 0 {
		f.bounds = c.Bounds
	}
	for a := range 3 {
		f.bounds.Min[a], f.bounds.Max[a] = min(f.bounds.Min[a], c.Bounds.Min[a]), max(f.bounds.Max[a], c.Bounds.Max[a])
	}
	f.points += len(c.Points)
	for _, what := range c.Skipped {
		f.skipped = append(f.skipped, name+what)
	}
}

// about describes the files, of whose scans the first ones are used.
func (f *recorded) about(used int) string {
	n := 0
	for _, s := range f.scans[:used] {
		n += len(s.points)
	}
	order := ""
	if f.timed {
		order = ", in the order of " + timeColumn
	}
	text := fmt.Sprintf("%s of %s in %v%s; used: %s, %.3g %% of the points",
		count.Of(len(f.scans), "scan"), count.Of(f.points, "point"), f.bounds, order, count.Of(used, "scan"), 100*float64(n)/float64(f.points))
	if len(f.skipped) > 0 {
		text += "; left out: " + strings.Join(f.skipped[:min(len(f.skipped), maxSkipped)], ", ")
	}
	if more := len(f.skipped) - maxSkipped; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxSkipped is the largest number of descriptions of points left out that about returns.
const maxSkipped = 3

// cloud is the content of a file.
type cloud struct{ *points.Cloud }

func readPoints(path string, origin *[3]float64) cloud {
	c := must.Get(points.Open(nil, path, points.Options{Origin: origin, NoFaces: true, SkipInvalid: true, Columns: []string{timeColumn}}))
	return cloud{c}
}

// inTime returns the points in the order of their times, if they have some, else in file order.
func (c cloud) inTime() [][3]float32 {
	times := c.Columns[timeColumn]
	if times == nil {
		return c.Points
	}
	order := make([]int, len(times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case times[i] < times[j]:
			return -1
		case times[i] > times[j]:
			return 1
		}
		return 0
	})
	sorted := make([][3]float32, len(order))
	for i, k := range order {
		sorted[i] = c.Points[k]
	}
	return sorted
}

// add adds a scan, whose position is the mean of its points. A scan without points is left out.
func (f *recorded) add(list [][3]float32) {
	if len(list) == 0 {
		return
	}
	s := scan{points: list}
	for _, p := range list {
		for a, x := range p {
			s.at[a] += float64(x)
		}
	}
	for a := range s.at {
		s.at[a] /= float64(len(list))
	}
	f.scans = append(f.scans, s)
}
