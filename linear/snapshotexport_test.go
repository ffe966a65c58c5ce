package linear

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// TreeChange is a change of one saved number of a tree.
type TreeChange struct {
	Name string
	Do   func(t *Tree) bool // returns false if the tree lacks the number
}

// TreeChanges returns a change for each section that is not empty, and for each number of the state.
func TreeChanges(t *Tree) (all []TreeChange) {
	image := file.ImageOf(&t.octree)
	for i, s := range image.Sections() {
		if s.Name == "State" || s.Name == "StateNames" || s.Name == file.VersionSection {
			continue
		}
		all = append(all, TreeChange{s.Name, func(t *Tree) bool {
			l := file.ImageOf(&t.octree).Lists
			b := l.Sections(t.octree.Store)[i].Col.Bytes()
			if len(b) == 0 {
				return false
			}
			if s.Name == "RefitEnds" {
				l.RefitEnds = append([]uint32{0}, l.RefitEnds...) // one level higher
			} else {
				b[len(b)/2] ^= 1
			}
			l.LoadInto(&t.octree)
			return true
		}})
	}
	for i, name := range StateNumbers() {
		all = append(all, TreeChange{name, func(t *Tree) bool {
			words := StateWords(t)
			words[i] ^= 1
			s := file.Numbers{Loading: true}
			s.Words, s.Names = packState(words)
			s.Of(&t.octree) // any change of the number, valid or not
			return true
		}})
	}
	return all
}

// StateNumbers returns the names of all saved numbers of a tree, in their order.
func StateNumbers() (all []string) {
	s := file.Numbers{Visit: func(name string) { all = append(all, name) }}
	s.Of(&octree.Tree{State: octree.State{Store: octree.NewStore()}})
	return all
}

// StateWords returns all saved numbers of a tree, including zeros.
func StateWords(t *Tree) (all []uint64) {
	l := file.ImageOf(&t.octree).Lists
	have := map[string]uint64{}
	for i, name := range strings.Split(strings.TrimSuffix(string(l.Names), "\x00"), "\x00") {
		have[name] = l.State[i]
	}
	for _, name := range StateNumbers() {
		all = append(all, have[name])
	}
	return all
}

// packState returns numbers in the encoding of a file.
func packState(all []uint64) (words []uint64, names []byte) {
	for i, name := range StateNumbers() {
		if all[i] != 0 {
			words, names = append(words, all[i]), append(append(names, name...), 0)
		}
	}
	return words, names
}

// Unsaved maps the fields that no snapshot holds to the reasons.
var Unsaved = map[string]string{
	"Tree.Spare":     "a buffer",
	"Tree.Index":     "follows from the IDs",
	"Tree.cuts":      "compared within a flush",
	"Tree.scratch":   "buffers",
	"Tree.tightened": "a tick computes it",
	"Tree.Tidy":      "about buffers",
	"Tree.Removed":   "a read has applied them",
	"Tree.Observer":  "of scenes, which a copy is not in",
	"Tree.Touched":   "a copy is not shared",
	"face.deferred":  "a read has applied them",
	"face.shared":    "a copy is not shared",

	"NodeColumns.limit":   "for tests",
	"PacketColumns.limit": "for tests",
	"IDs.limit":           "for tests",
	"Log.Number":          "a copy has its own",
	"Store.Tree":          "a copy has its own",
}

// SavedFields changes each field of a zero tree and of its store, columns, IDs and log. It returns the fields
// for which Unsaved is wrong: the digest or the version must change if, and only if, the field is saved.
func SavedFields() (lost []string) {
	fresh := func() (*Tree, map[string]reflect.Value) {
		t, _ := New(Config{Log: true})
		return t, map[string]reflect.Value{
			"face":          reflect.ValueOf(t).Elem(),
			"Tree":          reflect.ValueOf(&t.octree).Elem(),
			"State":         reflect.ValueOf(&t.octree.State).Elem(),
			"Numbers":       reflect.ValueOf(&t.octree.Numbers).Elem(),
			"Lists":         reflect.ValueOf(&t.octree.Lists).Elem(),
			"Store":         reflect.ValueOf(t.octree.Store).Elem(),
			"NodeColumns":   reflect.ValueOf(&t.octree.Store.Nodes).Elem(),
			"PacketColumns": reflect.ValueOf(&t.octree.Store.Packets).Elem(),
			"IDs":           reflect.ValueOf(&t.octree.IDs).Elem(),
			"Log":           reflect.ValueOf(t.octree.Store.Log).Elem(),
		}
	}
	told := func(t *Tree) string {
		return fmt.Sprint(t.LayoutDigest(), StateWords(t), t.octree.Store.Version)
	}
	_, kinds := fresh()
	for kind, v := range kinds {
		for i := range v.NumField() {
			name := kind + "." + v.Type().Field(i).Name
			t, all := fresh()
			before := told(t)
			f := all[kind].Field(i)
			f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
			switch f.Interface().(type) {
			case octree.Tree, octree.State, octree.Numbers, octree.Lists, octree.Config, octree.Work, soa.NodeColumns, soa.PacketColumns, soa.IDs, *soa.Store, *soa.Log:
				continue // their fields are visited, or saved by a loop
			}
			disturb(f)
			if same := told(t) == before; same != (Unsaved[name] != "") {
				lost = append(lost, fmt.Sprintf("%s, same %v", name, same))
			}
		}
	}
	return lost
}

// disturb changes a value.
func disturb(v reflect.Value) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(int(v.Float()+1)%8 + 9)) // also of infinity
	case reflect.Array:
		disturb(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() != reflect.Pointer && f.Type().PkgPath() != "sync" && f.Type().PkgPath() != "sync/atomic" {
				disturb(f)
				if f.Kind() == reflect.Slice { // gives the words of a set one bit
					return
				}
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		disturb(v.Index(0))
	}
}

// EmptySections names the sections that have no rows.
func EmptySections(t *Tree) (names []string) {
	t.sync()
	image := file.ImageOf(&t.octree)
	for _, s := range image.Sections() {
		if s.Col.Len() == 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// SpoiledLists are changes of the lists that a tree keeps beside its store, by the text of the error; blanks
// make the texts distinct.
func SpoiledLists(nan float64) map[string]func(t *Tree) {
	return map[string]func(t *Tree){
		"slots to refit":         func(t *Tree) { t.octree.Dirty.Add(1 << 20) },
		"nodes to refit":         func(t *Tree) { t.octree.RefitByHeight[0].Add(1 << 20) },
		"a log of":               func(t *Tree) { t.octree.Store.Log.Frame = 1 << 20 },
		"a log of ":              func(t *Tree) { t.octree.Store.Log.Frame = -1 },
		"a number of objects":    func(t *Tree) { t.octree.Peak = -1 },
		"the area":               func(t *Tree) { t.octree.Area = nan },
		"the area ":              func(t *Tree) { t.octree.Centres.Min[0] = float32(nan) },
		"pending slots, ":        func(t *Tree) { t.octree.Pending++ },
		"in no list, counted":    func(t *Tree) { t.octree.Dead++ },
		"live IDs":               func(t *Tree) { s := t.octree.IDs.State(); s.Live++; t.octree.IDs.SetState(s) },
		"is in the free list":    func(t *Tree) { s := t.octree.IDs.State(); s.Free = 1 << 30; t.octree.IDs.SetState(s) },
		"locations and":          func(t *Tree) { t.octree.IDs.Gen = t.octree.IDs.Gen[1:] },
		"boxes have fast bounds": func(t *Tree) { t.octree.FastBounds.Boxes.Min[0], t.octree.FastBounds.Boxes.Max[0] = -1e9, 1e9 },
		"does not belong in":     func(t *Tree) { t.octree.Displaced = nil },
		"outside the world":      func(t *Tree) { t.octree.Leaving.Clear() },
	}
}

// WriteNumbers writes a file of a tree with these named numbers.
func WriteNumbers(t *Tree, names []string, words []uint64) []byte {
	t.sync()
	i := file.ImageOf(&t.octree)
	i.Lists.State, i.Lists.Names = words, nil
	for _, name := range names {
		i.Lists.Names = append(append(i.Lists.Names, name...), 0)
	}
	var to bytes.Buffer
	if _, err := file.WriteTree(nil, &to, i, file.SaveParams{}); err != nil {
		panic(err)
	}
	return to.Bytes()
}

// SavedNumbers returns the numbers of a tree as a file holds them.
func SavedNumbers(t *Tree) (names []string, words []uint64) {
	t.sync()
	l := file.ImageOf(&t.octree).Lists
	return strings.Split(strings.TrimSuffix(string(l.Names), "\x00"), "\x00"), l.State
}
