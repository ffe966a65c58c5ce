package testkit

import (
	"reflect"
	"testing"
)

// Hostile scenes are valid boxes of any number, the same for one seed, and each
// has a name of its own that no other scene has.
func TestHostileScenes(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Scenes() {
		names[s.Name] = true
	}
	for _, s := range HostileScenes() {
		if names[s.Name] {
			t.Errorf("two scenes are named %s", s.Name)
		}
		names[s.Name] = true
		for _, n := range []int{0, 1, 2, 300} {
			objects := s.Make(n, 7)
			if len(objects) != n {
				t.Fatalf("%s: %d objects, want %d", s.Name, len(objects), n)
			}
			for i := range objects {
				if err := objects[i].Box.Check(); err != nil {
					t.Errorf("%s: object %d: %v", s.Name, i, err)
				}
			}
			if !reflect.DeepEqual(objects, s.Make(n, 7)) {
				t.Errorf("%s: not a function of the seed", s.Name)
			}
			if n == 300 && s.Name != "equal" && s.Name != "line" && reflect.DeepEqual(objects, s.Make(n, 8)) {
				t.Errorf("%s: the same for all seeds", s.Name)
			}
		}
	}
}
