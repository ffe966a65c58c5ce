package linear_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// A scene renumbers its entries when most parts have left, and in Trim. Its views, the scenes that hold it, held
// versions and later changes agree with the model. Copies from a file change in the same way.
func TestSceneCompact(t *testing.T) {
	seed := testkit.Seed(t)
	for i, cfg := range testkit.Turn(t, 0, sceneConfigs) {
		t.Run(fmt.Sprintf("config=%d", i), func(t *testing.T) {
			const trees = 150
			m := newSceneModel(t, seed+uint64(i), trees, 2, cfg)
			inner, outer := m.parts[trees], m.parts[trees+1]
			add := func(p, part *modelPart) {
				o := linear.InstanceOptions{Turns: m.r.IntN(3) == 0}
				transform := m.transform(t)
				id := place(t, p.scene, part.as(), transform, o)
				p.instances[id] = &modelPlace{part, transform, o}
				p.at = append(p.at, id)
			}
			for k, p := range m.parts[:trees] {
				box := m.object()
				p.ids = insert(t, p.tree, []linear.Object{box})
				p.live[p.ids[0]] = box
				if k%3 == 0 {
					p = p.saved(t)
				}
				for range 1 + k%2 {
					add(inner, p)
				}
				if k%10 == 0 {
					add(outer, p)
				}
			}
			add(outer, inner)
			publisher := linear.NewScenePublisher(outer.scene)
			old := &heldScene{publisher.Acquire(), copyOf(outer, map[*modelPart]*sceneCopy{})}
			renumbered := 0
			for round := 0; len(inner.at) > 5; round++ {
				before := len(linear.UnusedEntries(inner.scene))
				var again *linear.Scene
				if renumbered == 0 && 4*(before+8) > 3*trees { // this removal may be the one
					again = loadedScene(t, writtenScene(t, inner.scene), linear.CheckSafe)
				}
				gone := m.remove(t, inner)
				if len(linear.UnusedEntries(inner.scene)) < before {
					renumbered++
				}
				if again != nil {
					if len(gone) == 1 {
						must(t, again.Remove(gone[0]))
					} else {
						must(t, again.RemoveBatch(gone))
					}
					if again.LayoutDigest() != inner.scene.LayoutDigest() {
						t.Fatalf("a copy has another layout after %v", m.log)
					}
				}
				if round%16 == 0 || len(linear.UnusedEntries(inner.scene)) < before {
					m.check(t, inner)
					m.check(t, outer)
					publisher.Publish()
					now := &heldScene{publisher.Acquire(), copyOf(outer, map[*modelPart]*sceneCopy{})}
					for _, h := range []*heldScene{old, now} {
						if err := h.want.differs(h.View()); err != nil {
							t.Fatalf("held: %v, after %v", err, m.log)
						}
					}
					old.Release()
					old = now
				}
			}
			if renumbered == 0 || len(linear.UnusedEntries(inner.scene)) > 64 {
				t.Fatalf("renumbered %d times, %d entries are unused", renumbered, len(linear.UnusedEntries(inner.scene)))
			}
			m.views = nil
			m.check(t, outer)
			inner.scene.Trim()
			if n := len(linear.UnusedEntries(inner.scene)); n > 0 {
				t.Errorf("%d entries are unused after Trim", n)
			}
			m.check(t, inner)
			m.check(t, outer)
			for _, p := range m.parts[:20] {
				add(inner, p)
			}
			m.views = nil
			m.check(t, inner)
			m.check(t, outer)
			publisher.Publish()
			now := &heldScene{publisher.Acquire(), copyOf(outer, map[*modelPart]*sceneCopy{})}
			for _, h := range []*heldScene{old, now} {
				if err := h.want.differs(h.View()); err != nil {
					t.Fatalf("held: %v, after %v", err, m.log)
				}
			}
		})
	}
}
