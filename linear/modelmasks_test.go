package linear_test

import (
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// modelMasks decides the type masks of a model. In a phase with one mask all new objects have that mask.
type modelMasks struct {
	r     *rand.Rand
	same  bool
	never bool // no other phase begins
	mask  uint32
}

// alternate makes phases in which all objects have the same mask alternate with others, beginning with such a phase.
func (m *model) alternate(seed uint64) {
	m.masks = &modelMasks{r: testkit.Rand(seed), same: true, mask: 2}
}

// newMask returns the mask of an object that is inserted or changed.
func (m *model) newMask(mask uint32) uint32 {
	if m.masks != nil && m.masks.same {
		return m.masks.mask
	}
	return mask
}

// changePhase sometimes begins another phase of masks. A phase with one mask begins with a change of all objects to
// it, and usually with a rebuild, which drops the column of masks.
func (m *model) changePhase(t testing.TB) {
	t.Helper()
	x := m.masks
	if x == nil || x.never || x.r.IntN(25) > 0 {
		return
	}
	if x.same = !x.same; !x.same {
		return
	}
	x.mask = x.r.Uint32N(3)
	for _, id := range m.ids {
		o := m.live[id]
		o.Mask = x.mask
		m.live[id] = o
		must(t, m.tree.SetMask(id, o.Mask))
	}
	m.note("SetMask of all, %d", x.mask)
	if x.r.IntN(4) > 0 {
		must(t, m.tree.Rebuild(nil, linear.RebuildOptions{Frozen: x.r.IntN(2) == 0}))
		m.note("Rebuild")
		m.checkMasks(t)
	}
}

// checkMasks checks that a tree that has just been built stores masks exactly if two objects have different ones.
func (m *model) checkMasks(t testing.TB) {
	t.Helper()
	masks := map[uint32]bool{}
	for _, o := range m.live {
		masks[o.Mask] = true
	}
	if st := m.tree.Stats(); (st.Masks > 0) != (len(masks) > 1) {
		t.Fatalf("%d bytes of masks of %d objects with %d different ones, after %v", st.Masks, len(m.live), len(masks), m.log)
	}
}

// As long as all objects have one mask, masks take no memory, through changes of every kind. TestModel and other
// tests continue such trees with other masks.
func TestModelOneMask(t *testing.T) {
	seed := testkit.Seed(t)
	for _, cfg := range modelConfigs {
		for _, n := range []int{1, 20, 300} {
			m := newModel(t, cfg, seed+uint64(n), 100)
			m.masks = &modelMasks{same: true, mask: 2, never: true}
			for range testkit.Budget(t, 100, 1000) {
				m.step(t, n)
				if st := m.tree.Stats(); st.Masks != 0 {
					t.Fatalf("%d bytes of masks of %d objects, after %v", st.Masks, len(m.live), m.log)
				}
			}
			m.check(t)
		}
	}
}
