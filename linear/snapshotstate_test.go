package linear_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/linear"
)

// The numbers of a tree are stored by name, without zeros. A file may therefore lack numbers of this version,
// and may have unknown numbers that are zero; an unknown number that is not zero is rejected by its name.
func TestSnapshotNumbers(t *testing.T) {
	tree := manyKinds(t)
	names, words := linear.SavedNumbers(tree)
	if slices.Contains(words, 0) || !slices.Contains(names, "Config.World.Min.0") || !slices.Contains(names, "Work.Moved") {
		t.Fatalf("a file has the numbers %q, %d", names, words)
	}
	open := func(names []string, words []uint64) (*linear.Tree, error) {
		s, err := linear.FromBytes(linear.WriteNumbers(tree, names, words), linear.CheckFull)
		if err != nil {
			return nil, err
		}
		return s.Load()
	}
	insert := func(at int, name string, word uint64) ([]string, []uint64) {
		return slices.Insert(slices.Clone(names), at, name), slices.Insert(slices.Clone(words), at, word)
	}
	for _, at := range []int{0, 7, len(names)} {
		again, err := open(insert(at, "Config.Thin.Cell", 0))
		if err != nil || again.LayoutDigest() != tree.LayoutDigest() {
			t.Errorf("a number of a later version that is zero: %v", err)
		}
		_, err = open(insert(at, "Config.TickBudget", 5))
		if !errors.Is(err, linear.ErrSnapshotVersion) || errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), "Config.TickBudget is 0x5") {
			t.Errorf("a number of a later version: %v", err)
		}
		_, err = open(insert(at, names[3], words[3]))
		if !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("%s is there twice: %v", names[3], err)
		}
	}
	for what, file := range map[string][2]any{
		"no name":      {names[:len(names)-1], words},
		"no number":    {names, words[:len(words)-1]},
		"in no order":  {append(slices.Clone(names[1:]), names[0]), append(slices.Clone(words[1:]), words[0])},
		"no numbers":   {[]string(nil), []uint64(nil)},
		"not a number": {slices.Concat([]string{"Config.Fixed"}, names), slices.Concat([]uint64{2}, words)},
	} {
		if _, err := open(file[0].([]string), file[1].([]uint64)); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	// Defaults replace missing numbers of the configuration.
	plain := newTree(t, linear.Config{})
	names, words = linear.SavedNumbers(plain)
	for i := 0; i < len(names); i++ {
		if strings.HasPrefix(names[i], "Config.") {
			names, words = slices.Delete(names, i, i+1), slices.Delete(words, i, i+1)
			i--
		}
	}
	s, err := linear.FromBytes(linear.WriteNumbers(plain, names, words), linear.CheckFull)
	must(t, err)
	if got := s.Config(); fmt.Sprint(got) != fmt.Sprint(plain.Config()) {
		t.Errorf("without a configuration it is %+v, want %+v", got, plain.Config())
	}
}

// Files of trees, scenes and directories of another version are rejected, and the error names an earlier or a
// later version.
func TestSnapshotOfOtherVersions(t *testing.T) {
	scene := newScene(t, linear.Config{})
	for what, file := range map[string][]byte{"tree": written(t, newTree(t, linear.Config{})), "scene": writtenScene(t, scene)} {
		for major, want := range map[uint16]string{
			1: "it was written by an earlier version of the library, in format 1, and this one reads format 2",
			3: "it was written by a later version of the library, in format 3, and this one reads format 2",
		} {
			file := bytes.Clone(file)
			binary.LittleEndian.PutUint16(file[8:], major)
			_, err := linear.FromBytes(file, linear.CheckNone)
			if what == "scene" {
				_, err = linear.SceneFromBytes(file, linear.CheckNone)
			}
			if !errors.Is(err, linear.ErrSnapshotVersion) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of format %d: error %v, want %q", what, major, err, want)
			}
		}
	}
}
