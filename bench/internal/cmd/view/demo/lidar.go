package demo

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The drive of the LiDAR: around a circle in a synthetic town, in metres.
const (
	trackRadius = 40.0
	trackStep   = 1.0 // between two scans
	windowHalf  = 32  // half of the side of the window
	reach       = 45  // of a ray
	lidarHeight = 1.8
	townHeight  = 18
	rings       = 24
	warmScans   = 80 // before frame 0, to fill the window
)

// drive is the state of the map: a sliding window of points.
type drive struct {
	town     *linear.Tree
	azimuths int // rays of a ring
	at       [3]float32
	inserted int // points of the last scan
	removed  []uint32
	wrong    bool // a point was removed in the window, or kept outside
}

// newTown returns a tree of the ground and of buildings on both sides of the track.
func newTown(seed uint64) (*linear.Tree, error) {
	r, ground := rand.New(rand.NewPCG(seed, 7)), float32(2.1*trackRadius)
	objects := []soa.Object{{Box: soa.AABB{Min: [3]float32{-ground, -ground, -1}, Max: [3]float32{ground, ground, 0}}, Mask: 1}}
	const lot = 12
	for x := -ground; x < ground; x += lot {
		for y := -ground; y < ground; y += lot {
			side, height := 4+6*r.Float32(), 3+15*r.Float32()
			from := math.Hypot(float64(x+lot/2), float64(y+lot/2)) - trackRadius
			if math.Abs(from) < 13 {
				if math.Abs(from) < 9 || r.IntN(2) == 0 {
					continue
				}
				side, height = 2, 1.5 // a car
			}
			objects = append(objects, soa.Object{Mask: 1, Box: soa.AABB{
				Min: [3]float32{x + (lot-side)/2, y + (lot-side)/2, 0}, Max: [3]float32{x + (lot+side)/2, y + (lot+side)/2, height},
			}})
		}
	}
	town, err := linear.New(linear.Config{})
	if err == nil {
		_, err = town.InsertBatch(nil, objects)
	}
	return town, err
}

// scan returns the points of a turn of the LiDAR: the first surfaces along its rays.
func (d *drive) scan(frame int) (points [][3]float32, err error) {
	sin, cos := math.Sincos(float64(frame) * trackStep / trackRadius)
	d.at = [3]float32{float32(trackRadius * cos), float32(trackRadius * sin), lidarHeight}
	begin := float64(frame) * (math.Sqrt(5) - 1) / 2 // no two scans have the same directions
	v := d.town.View()
	for a := range d.azimuths {
		sin, cos := math.Sincos((float64(a) + begin) / float64(d.azimuths) * 2 * math.Pi)
		for ring := range rings {
			down, level := math.Sincos((12 - 36*float64(ring)/(rings-1)) * math.Pi / 180)
			ray, err := query.NewRay(d.at, [3]float32{float32(level * cos), float32(level * sin), float32(down)}, reach)
			if err != nil {
				return nil, err
			}
			if hit, ok := ray.First(v, query.Filter{}); ok {
				points = append(points, hit.Pos)
			}
		}
	}
	return points, nil
}

// window is the cube about the LiDAR.
func (d *drive) window() (w soa.AABB) {
	for a, x := range d.at {
		w.Min[a], w.Max[a] = x-windowHalf, x+windowHalf
	}
	return w
}

// newDrive makes a map of about n points.
func newDrive(n int, seed uint64) (*Stage, error) {
	town, err := newTown(seed)
	if err != nil {
		return nil, err
	}
	s := &Stage{motion: &motion{name: Lidar, n: n, seed: seed, frame: -warmScans}}
	s.motion.drive = &drive{town: town, azimuths: max(1, n/900), removed: []uint32{}}
	if s.tree, err = linear.New(linear.Config{}); err != nil {
		return nil, err
	}
	for ; s.motion.frame <= 0 && err == nil; s.motion.frame++ {
		err = s.advanceMap(s.motion.frame)
	}
	s.motion.frame = 0
	w := s.motion.drive.window() // the picture follows it
	s.describe(Lidar, []Float{Float(w.Min[0]), Float(w.Min[1]), 0, Float(w.Max[0]), Float(w.Max[1]), townHeight})
	return s, err
}

// advanceMap inserts the points of a scan, and removes the points that have left the window.
func (s *Stage) advanceMap(frame int) error {
	tree, d := s.tree, s.motion.drive
	points, err := d.scan(frame)
	if err != nil {
		return err
	}
	box, removed := d.window(), d.removed[:0]
	start := time.Now()
	//show map
	ids, err := tree.InsertPoints(
		nil, points, linear.Labels{})
	if err != nil {
		return err
	}
	window := linear.BoxRegion(box) // about the vehicle
	removed, _, err = tree.RemoveOutside(
		removed, window, linear.Filter{})
	if err != nil {
		return err
	}
	//hide
	took := time.Now()
	//show
	err = tree.Tick() // ends a frame
	//end
	took = took.Add(time.Since(took))
	s.motion.moved.add(took.Sub(start))
	d.removed, d.inserted = removed, len(points)
	for i, id := range ids {
		for int(id) >= len(s.objects) {
			s.objects = append(s.objects, soa.Object{Box: soa.Empty()})
		}
		s.objects[id] = soa.Object{Box: soa.AABB{Min: points[i], Max: points[i]}}
	}
	for _, id := range removed {
		d.wrong = d.wrong || contains(box, s.objects[id].Box.Min)
		s.objects[id].Box = soa.Empty()
	}
	return err
}

func contains(b soa.AABB, p [3]float32) bool {
	for a, x := range p {
		if x < b.Min[a] || x > b.Max[a] {
			return false
		}
	}
	return true
}

// sweep runs a frame of the map, and queries the points near the vehicle.
func (s *Stage) sweep(q *Question, a *Answer) error {
	if s.motion == nil || s.motion.drive == nil {
		return errNoMap
	}
	if err := s.advance(q.Frame); err != nil {
		return err
	}
	d, v, all := s.motion.drive, s.tree.View(), query.Filter{}
	center, radius, k := d.at, float32(q.Radius), q.K
	s.States = append(s.States[:0], make([]State, len(s.objects))...)
	ball, err := query.NewSphere(center, radius)
	if err != nil {
		return err
	}
	near, err := query.AppendNearest(nil, v, center, k, query.Unlimited, all)
	if err != nil {
		return err
	}
	heat := query.NewHeat(v)
	c := ball.Explain(v, all, heat)
	start := time.Now()
	found := ball.Append(nil, v, all)
	s.motion.asked.add(time.Since(start))
	s.paint(found, Hit)
	within := 0
	for _, n := range near {
		within += b2i(s.States[n.ID] == Hit)
		s.States[n.ID] = Whole
	}
	live := 0
	for id := range s.objects {
		if s.objects[id].Box.Min[0] > s.objects[id].Box.Max[0] {
			s.States[id] = Absent
			continue
		}
		live++
		d.wrong = d.wrong || !contains(d.window(), s.objects[id].Box.Min)
	}
	a.count("frame", q.Frame, none)
	a.count("points in the window", live, none)
	a.count("inserted in this scan", d.inserted, none)
	a.count("removed in this scan", len(d.removed), none)
	a.count("nearest to the vehicle", len(near), int(Whole))
	a.count("others within the radius", len(found)-within, int(Hit))
	a.count("false positives", s.candidates(heat), int(Candidate))
	a.count("nodes visited", c.Nodes, none)
	a.count("packets tested", c.Packets, none)
	start = time.Now()
	inner := s.ball(nil, center, radius)
	s.motion.scanned.add(time.Since(start))
	outer := s.ball(nil, center, radius*(1+0x1p-20))
	a.Equal = !d.wrong && live == v.Len() && s.contains(found, inner) && s.contains(outer, found) && s.sameNear(near, s.closest(nil, center, k))
	a.say("%s of %s points found by testing %s boxes", len(found), live, boxes(c))
	a.Note = leastOfFrames
	a.tested(c, live)
	s.versusFrames(q, a, func() { found = ball.Append(found[:0], v, all) }, func() { inner = s.ball(inner[:0], center, radius) })
	s.motion.moved.bar(a, "map update", updates, false)
	for _, x := range center {
		a.Center = append(a.Center, Float(x))
	}
	w := d.window()
	w.Min[2], w.Max[2] = max(w.Min[2], 0), min(w.Max[2], townHeight)
	a.outline(w)
	return nil
}

// ball is the loop of radius queries.
func (s *Stage) ball(dst []uint32, p [3]float32, radius float32) []uint32 {
	most := float32(radius * radius)
	for i := range s.objects {
		if dist2(&s.objects[i].Box, &p) <= most {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}

// dist2 returns the squared distance from a point to a box.
func dist2(b *soa.AABB, p *[3]float32) float32 {
	x, y, z := gap(b.Min[0], b.Max[0], p[0]), gap(b.Min[1], b.Max[1], p[1]), gap(b.Min[2], b.Max[2], p[2])
	return float32(float32(x*x)+float32(y*y)) + float32(z*z)
}

func gap(low, high, x float32) float32 {
	if x < low {
		return low - x
	}
	if x > high {
		return x - high
	}
	return 0
}
