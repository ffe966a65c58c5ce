package linear_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/linear"
)

// usedScene contains instances of a tree, some of which are outgrown, a scene, and a free entry, and is part of
// another scene.
func usedScene(t *testing.T) *linear.Scene {
	s, outer, inner := newScene(t, linear.Config{}), newScene(t, linear.Config{}), newScene(t, linear.Config{})
	tree, gone := treeOf(t, cube(0, 0, 0, 1), cube(4, 0, 0, 1)), treeOf(t)
	for i := range 6 {
		place(t, s, tree, at(float64(10*i), 1, 2), linear.InstanceOptions{Turns: i%2 == 0})
	}
	id := place(t, s, gone, at(1, 1, 1), linear.InstanceOptions{})
	place(t, s, inner, at(5, 5, 5), linear.InstanceOptions{})
	place(t, inner, treeOf(t, cube(0, 0, 0, 1)), at(7, 7, 7), linear.InstanceOptions{})
	place(t, outer, s, at(3, 3, 3), linear.InstanceOptions{})
	must(t, s.Remove(id))
	_, err := s.Tree().Insert(linear.Object{Box: cube(50, 50, 50, 1), Mask: 1})
	must(t, err)
	for range 80 { // until no work is left
		must(t, outer.Tick())
	}
	must(t, tree.Move(1, cube(9, 0, 0, 1)))
	tick(t, tree)
	outer.View()
	s.View()
	return s
}

// Each message of Scene.Validate is the result of some damage, and names it.
func TestSceneValidateSays(t *testing.T) {
	var said []string
	for i, d := range linear.SceneDamages {
		s := usedScene(t)
		validScene(t, s)
		s.View()
		d.Do(s)
		err := s.Validate()
		if err == nil {
			t.Errorf("damage %d, %q: not noticed", i, d.Want)
			continue
		}
		if !regexp.MustCompile(d.Want).MatchString(err.Error()) {
			t.Errorf("damage %d: no word of %q in %s", i, d.Want, err)
		}
		said = append(said, err.Error())
		said = append(said, strings.Split(err.Error(), "\n")...)
	}
	saidAll(t, said, "linear: scene: ", faults(t, "internal/instance/validate.go"), 20)
}
