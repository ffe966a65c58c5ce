package show

import (
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// partition returns the picture of figure 4, uncut.
func partition(t *testing.T) Occlusion {
	t.Helper()
	culler, err := occlude.New(occlude.Config{Width: 256, Height: 144, OccluderMask: scene.PartitionMask})
	if err != nil {
		t.Fatal(err)
	}
	c := scene.Audience()
	return Occlusion{
		Scene: Scene{View: trees.Plant(t, scene.Partition(0), false).View(), About: "spheres", Width: 640}, Culler: culler,
		Camera: query.Camera{Eye: c.Eye, Forward: c.Forward, Up: c.Up, FovY: 2 * math.Atan(c.TanY), Aspect: c.TanX / c.TanY, Near: c.Near, Far: c.Far},
	}
}

// The picture matches the counters; cut, it shows less.
func TestDrawOcclusion(t *testing.T) {
	s := partition(t)
	l, err := s.query()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.skipped); n != l.with.HiddenNodes+l.with.HiddenPackets || n == 0 {
		t.Errorf("%d hidden subtrees, counted %d and %d", n, l.with.HiddenNodes, l.with.HiddenPackets)
	}
	if n := len(l.walked); n != l.with.Nodes-1+l.with.Packets {
		t.Errorf("%d boxes looked into, counted %d nodes and %d packets", n, l.with.Nodes, l.with.Packets)
	}
	if len(l.seen) != l.inSight || len(l.seen)+len(l.hidden) != l.inFrustum || len(l.seen)+len(l.hidden)+len(l.outside) != 1332 || len(l.hidden) < 400 {
		t.Errorf("%d visible, %d hidden, %d outside; counted %d and %d", len(l.seen), len(l.hidden), len(l.outside), l.inSight, l.inFrustum)
	}
	var out strings.Builder
	if err := s.SVG(&out); err != nil {
		t.Fatal(err)
	}
	depths := s.Culler.DepthImage()
	wellFormed(t, out.String())
	if b := depths.Bounds(); b.Dx() != 256 || b.Dy() != 144 || depths.Gray16At(128, 140).Y == 0 || depths.Gray16At(128, 3).Y != 0 {
		t.Errorf("the picture of depths is %v, %d at the bottom and %d at the top", b, depths.Gray16At(128, 140).Y, depths.Gray16At(128, 3).Y)
	}
	z := 0.0
	s.Slice = &z
	cut, err := s.query()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(cut.seen) + len(cut.hidden) + len(cut.outside); n == 0 || n > 400 || cut.inFrustum != l.inFrustum || len(cut.skipped) >= len(l.skipped) {
		t.Errorf("the cut shows %d objects and %d hidden subtrees", n, len(cut.skipped))
	}
}

// Without occluders nothing is hidden, and no subtree is reported hidden.
func TestDrawOcclusionEmpty(t *testing.T) {
	s := partition(t)
	culler, err := occlude.New(occlude.Config{Width: 256, Height: 144, OccluderMask: 1 << 31})
	if err != nil {
		t.Fatal(err)
	}
	s.Culler = culler
	l, err := s.query()
	if err != nil {
		t.Fatal(err)
	}
	if len(l.skipped) > 0 || len(l.hidden) > 0 || l.with.Occluders > 0 || len(l.seen) == 0 {
		t.Errorf("%d subtrees and %d objects are hidden by %d occluders, %d are visible", len(l.skipped), len(l.hidden), l.with.Occluders, len(l.seen))
	}
}

func TestDrawOcclusionErrors(t *testing.T) {
	var out strings.Builder
	for name, change := range map[string]func(s *Occlusion){
		"width":  func(s *Occlusion) { s.Width = 100 },
		"empty":  func(s *Occlusion) { s.View = trees.Plant(t, []soa.Object{}, false).View() },
		"camera": func(s *Occlusion) { s.Camera.Aspect = 0 },
	} {
		s := partition(t)
		change(&s)
		if err := s.SVG(&out); err == nil || out.Len() > 0 {
			t.Errorf("%s: error %v, %d bytes", name, err, out.Len())
		}
	}
}
