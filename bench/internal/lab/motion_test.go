package lab

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// A motion keeps sizes and moves each object of a step once.
func TestMotion(t *testing.T) {
	for _, s := range testkit.Scenes() {
		objects := s.Make(500, 1)
		m := NewMotion(objects, 1)
		ids, boxes := m.Step(nil, nil, 400)
		seen := make(map[uint32]bool)
		for i, id := range ids {
			if seen[id] {
				t.Fatalf("%s: ID %d twice", s.Name, id)
			}
			seen[id] = true
			if err := boxes[i].Check(); err != nil || boxes[i] != m.Boxes[id] {
				t.Fatalf("%s: ID %d to %v: %v", s.Name, id, boxes[i], err)
			}
		}
		if len(seen) != 400 {
			t.Errorf("%s: %d objects", s.Name, len(seen))
		}
		for i, b := range m.All() {
			if err := b.Check(); err != nil {
				t.Fatalf("%s: object %d: %v", s.Name, i, err)
			}
		}
	}
}
