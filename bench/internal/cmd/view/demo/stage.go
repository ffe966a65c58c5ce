package demo

import (
	"bytes"
	"fmt"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/soa"
)

// MaxObjects is the limit of objects in a page.
const MaxObjects = 1_000_000

// The scenes beside those of package scene.
const (
	Moving = "bouncing" // boxes that move
	Lidar  = "lidar"    // points of a LiDAR that drives
	Blocks = "blocks"   // instances of blocks of buildings
)

// State is the state of an object after a query.
type State = uint8

// The states. The page has a colour for each.
const (
	Miss      State = iota // rejected with its subtree, or never visited
	Hit                    // in the result, tested on its own
	Whole                  // in the result, in a subtree that was taken as a whole
	Hidden                 // occluded; not used for pairs in motion
	Candidate              // tested, and not in the result
	Left                   // in the former result
	Absent                 // removed
	States                 // number of states
)

// Stage is the objects of a page and their tree. It is for one goroutine.
type Stage struct {
	About  About
	States []State // of each object, by ID, after a query

	objects []soa.Object
	tree    *linear.Tree
	motion  *motion // nil unless objects move
	blocks  *blocks // nil without instances
}

// About describes a stage.
type About struct {
	Title   string  `json:"title"`
	Objects int     `json:"objects"`
	Moving  bool    `json:"moving"`
	Bounds  []Float `json:"bounds"` // min x, y, z, max x, y, z
	Depth   int     `json:"depth"`  // of the tree
	Bytes   int     `json:"bytes"`  // of the tree
	Eye     []Float `json:"eye"`    // a good position for a query
	At      []Float `json:"at"`     // a good target of its view
	Nodes   int     `json:"nodes"`
	Packets int     `json:"packets"`
}

// Float is a number of a result.
type Float = float64

// NewStage makes a scene of package scene, or Moving.
func NewStage(name string, n int, seed uint64) (*Stage, error) {
	if n < 1 || n > MaxObjects {
		return nil, fmt.Errorf("%d objects: want 1 to %d", n, MaxObjects)
	}
	s := &Stage{}
	switch name {
	case Lidar:
		return newDrive(n, seed)
	case Blocks:
		return newBlocks(n, seed)
	case Moving:
		s.motion = &motion{name: name, n: n, seed: seed, cubes: scene.NewBouncing(n, seed)}
		s.objects = s.motion.cubes.Objects()
	default:
		make, ok := scene.ByName(name)
		if !ok {
			return nil, fmt.Errorf("no scene %q", name)
		}
		s.objects = make.Make(n, seed)
	}
	return s, s.build(name)
}

// Open reads a file.
func Open(name string, data []byte) (*Stage, error) {
	objects, about, err := read(name, bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, err
	case len(objects) == 0:
		return nil, fmt.Errorf("%s: no objects in it", name)
	case len(objects) > MaxObjects:
		return nil, fmt.Errorf("%s: %d objects, and a page holds %d", name, len(objects), MaxObjects)
	}
	s := &Stage{objects: objects}
	return s, s.build(name + " (" + about + ")")
}

// build builds the tree.
func (s *Stage) build(title string) (err error) {
	if s.tree, err = linear.New(linear.Config{Log: s.motion != nil, Cut: linear.CutSpace}); err != nil {
		return err
	}
	ids, err := s.tree.InsertBatch(nil, s.objects)
	if err != nil {
		return err
	}
	if s.motion != nil {
		s.motion.ids = ids
		s.motion.tracker = &interest.Tracker{Workers: 1}
	}
	var bounds []Float
	all := scene.Bounds(s.objects)
	for _, v := range append(all.Min[:], all.Max[:]...) {
		bounds = append(bounds, Float(v))
	}
	s.describe(title, bounds)
	return nil
}

// describe sets About.
func (s *Stage) describe(title string, bounds []Float) {
	s.States = make([]State, len(s.objects))
	st := s.tree.Stats()
	s.About = About{
		Title: title, Objects: st.Objects, Moving: s.motion != nil, Bounds: bounds, Depth: st.Depth, Bytes: st.LiveBytes(),
		Nodes: st.Nodes, Packets: st.Packets,
	}
	s.placeCamera(title)
}

// placeCamera chooses the first position of the camera: in a city a street, else a corner, towards the middle.
func (s *Stage) placeCamera(title string) {
	low, high := s.About.Bounds[:3], s.About.Bounds[3:]
	if title == "city" {
		// The camera in the streets with most of the scene ahead.
		var c scene.Camera
		most := -1.0
		for _, x := range scene.Street(s.objects, 16, 1) {
			ahead := 0.0
			for a := range 2 {
				ahead += float64(x.Forward[a] * ((low[a]+high[a])/2 - x.Eye[a]))
			}
			if ahead > most {
				c, most = x, ahead
			}
		}
		for a := range 3 {
			s.About.Eye = append(s.About.Eye, c.Eye[a])
			s.About.At = append(s.About.At, c.Eye[a]+float64(c.Forward[a]*0.15*(high[0]-low[0])))
		}
		return
	}
	for a, share := range [3][2]float64{{0.2, 0.45}, {0.25, 0.45}, {0.45, 0.45}} {
		side := high[a] - low[a]
		s.About.Eye = append(s.About.Eye, low[a]+float64(share[0]*side))
		s.About.At = append(s.About.At, low[a]+float64(share[1]*side))
	}
}

// AppendBoxes appends the boxes by ID: min x, y, z, max x, y, z.
func (s *Stage) AppendBoxes(dst []float32) []float32 {
	for i := range s.objects {
		dst = appendBox(dst, s.objects[i].Box)
	}
	return dst
}

func appendBox(dst []float32, b soa.AABB) []float32 {
	return append(dst, b.Min[0], b.Min[1], b.Min[2], b.Max[0], b.Max[1], b.Max[2])
}
