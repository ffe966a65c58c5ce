package linear

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/linear/internal/shard"
	"github.com/zoctree/zoctree/soa"
)

// SetLimits bounds IDs, packet slots and nodes, for tests of exhaustion. 0 means the limit of the type.
func (t *Tree) SetLimits(ids uint32, slots, nodes int) {
	t.octree.IDs.SetLimit(ids)
	if t.octree.Spare == nil {
		t.octree.Spare = octree.NewStore()
	}
	t.octree.Tidy = true // permanently
	t.octree.Store.Packets.SetLimit(slots)
	t.octree.Store.Nodes.SetLimit(nodes)
	t.octree.Spare.Packets.SetLimit(slots)
	t.octree.Spare.Nodes.SetLimit(nodes)
}

// Waiting returns the number of moves that the next read or change applies, the number of pending objects, and
// whether the next read flushes them.
func (t *Tree) Waiting() (moves, pending int, crowded bool) {
	return t.deferred.moves.Len(), t.octree.Pending, t.octree.IsCrowded() && !t.deferred.synced.Load()
}

// Cap returns the number of IDs, live and free.
func (t *Tree) Cap() int { return t.octree.IDs.Cap() }

// Removals returns the number of removals that the next read applies, unless new objects take the places.
func (t *Tree) Removals() int { return len(t.octree.Removed) }

// WithoutIDs returns the view without the tree's index of objects.
func WithoutIDs(v View) View {
	v.index = &octree.Index{}
	return v
}

// Late loads the published version and returns the later steps of its acquisition: hold acquires it if it still
// can, look counts a reader, and leave uncounts the reader.
func (s *Publisher) Late() (hold func() bool, look, leave func()) {
	i := s.versions.Now.Load()
	return func() bool { return s.versions.Hold(i) }, func() { i.Holds.Add(1) }, func() { i.Holds.Add(-1) }
}

// Differs returns the columns and rows in which the published version differs, byte for byte, from the tree.
// There should be none.
func (s *Publisher) Differs() (diff []string) {
	now := s.versions.Now.Load()
	got, want := *now.Store, *s.tree.octree.Store
	if now.World != s.tree.octree.World {
		diff = append(diff, fmt.Sprintf("world %v, want %v", now.World, s.tree.octree.World))
	}
	diff = append(diff, differ("Nodes", got.Nodes.Columns(nil), want.Nodes.Columns(nil))...)
	diff = append(diff, differ("Packets", got.Packets.Columns(nil), want.Packets.Columns(nil))...)
	if !slices.Equal(got.Pending, want.Pending) {
		diff = append(diff, fmt.Sprintf("Pending is %v, want %v", got.Pending, want.Pending))
	}
	for id := range s.tree.octree.IDs.Cap() {
		gen := s.tree.octree.IDs.Generation(uint32(id))
		if s.tree.octree.IDs.Alive(uint32(id)) && (id >= now.Index.Gens.Len() || now.Index.Gens.At(uint32(id)) != gen) {
			diff = append(diff, fmt.Sprintf("the generation of ID %d is not %d", id, gen))
		}
	}
	// The rest of the columns is free lists and limits.
	rest := func(s *soa.Store) (n soa.NodeColumns, p soa.PacketColumns) {
		n, p = s.Nodes, s.Packets
		for _, v := range []reflect.Value{reflect.ValueOf(&n).Elem(), reflect.ValueOf(&p).Elem()} {
			for i := range v.NumField() {
				if f := v.Field(i); f.Kind() == reflect.Slice {
					f.SetZero()
				}
			}
		}
		return n, p
	}
	got.Nodes, got.Packets = rest(&got)
	want.Nodes, want.Packets = rest(&want)
	got.Pending, want.Pending = nil, nil
	if g, w := got.Log, want.Log; g != nil && w != nil {
		a, b := *g, *w
		// The start of a frame belongs to the tree alone, and a trim cuts only unused rows: neither ends a
		// version.
		shared := func(l *soa.Log) {
			*l = soa.Log{Number: l.Number, Changes: l.Changes, First: l.First, Born: l.Born, Births: l.Births}
		}
		shared(&a)
		shared(&b)
		n := min(len(a.Born), len(b.Born))
		a.Born, b.Born = a.Born[:n], b.Born[:n]
		if slices.Equal(a.Changes, b.Changes) && slices.Equal(a.Born, b.Born) {
			a.Changes, a.Born, b.Changes, b.Born = nil, nil, nil, nil
		}
		if !reflect.DeepEqual(a, b) {
			diff = append(diff, fmt.Sprintf("the log is %+v, want %+v", a, b))
		}
		got.Log, want.Log = nil, nil
	}
	if !reflect.DeepEqual(got, want) {
		diff = append(diff, fmt.Sprintf("the rest is %+v, want %+v", got, want))
	}
	return diff
}

// differ compares columns by their bytes.
func differ(of string, got, want []soa.AnyColumn) (diff []string) {
	for i, x := range got {
		y, size := want[i], x.RowSize()
		if x.Len() != y.Len() {
			diff = append(diff, fmt.Sprintf("%s.%s has %d rows, want %d", of, x.Name, x.Len(), y.Len()))
			continue
		}
		a, b := x.Bytes(), y.Bytes()
		for row := range x.Len() {
			if a, b := a[row*size:][:size], b[row*size:][:size]; string(a) != string(b) {
				diff = append(diff, fmt.Sprintf("%s.%s[%d] is % x, want % x", of, x.Name, row, a, b))
			}
		}
	}
	return diff
}

// Worn returns the number of degraded nodes that are not yet re-split.
func (t *Tree) Worn() int { return t.octree.Degraded.Len() }

// KnownBefore reports whether a new object with this box passes the fast bounds and needs no full check.
func (t *Tree) KnownBefore(box soa.AABB) bool { return t.octree.FastBounds.Contains(&box) }

// OutsideNow returns the number of objects that the tree counts as outside its world.
func (t *Tree) OutsideNow() int { return t.octree.Outside }

// IndexedAnew returns the number of slots that the first lookup of an object in the published version reads.
func (s *Publisher) IndexedAnew() (slots int) {
	i := s.versions.Now.Load()
	x := &i.Index
	return x.Lacks.Len() + len(i.Store.Packets.Counts) - int(x.Read)
}

// SetSqueeze makes builds squeeze keys whose items share at least that many bits, and returns the previous
// number.
func SetSqueeze(shared int) (was int) {
	was, octree.SqueezeMin = octree.SqueezeMin, shared
	return was
}

// SetParts sets the least numbers of objects, of objects to cut and of slots that justify another worker, and
// returns the previous numbers.
func SetParts(objects, cut, slots int) (oldObjects, oldCut, oldSlots int) {
	oldObjects, oldCut, oldSlots = octree.EncodeMin, octree.CutMin, octree.FillMin
	octree.EncodeMin, octree.CutMin, octree.FillMin, octree.LeafMin = objects, cut, slots, max(slots/soa.Fan, 1)
	return oldObjects, oldCut, oldSlots
}

// MiscountPending makes the tree count a pending object that does not exist.
func (t *Tree) MiscountPending() { t.octree.Pending++ }

// ValidateAll is Validate without a limit of faults.
func (t *Tree) ValidateAll() error { return t.octree.Validate(1 << 30) }

// MaxErrors is the limit of the faults that Validate lists.
const MaxErrors = octree.MaxErrors

// PlacesOf returns the table of the locations of a tree's objects.
func PlacesOf(t *Tree) *soa.IDs { return &t.octree.IDs }

// CreateDirectoryBefore is CreateDirectory with a call before each operation on the disk.
func CreateDirectoryBefore(step func(op, path string) error, dir string, objects iter.Seq2[uint64, Object], opt DirectoryOptions) error {
	return shard.Create(context.Background(), &shard.Disk{Step: step}, dir, objects, shard.Params(opt))
}

// Before sets a call before each operation on the disk of the directory.
func (d *Directory) Before(step func(op, path string) error) { d.disk.Step = step }

// Manifest returns the bytes of the manifest of the directory, after changes.
func (d *Directory) Manifest(change func(m *ManifestOf)) []byte {
	m := *d.now.Manifest
	of := ManifestOf{m.Sequence, m.Next, m.Shard, m.Fitted, nil}
	for _, r := range m.Rows {
		of.Rows = append(of.Rows, ManifestRow(r))
	}
	if change != nil {
		change(&of)
	}
	m.Sequence, m.Next, m.Shard, m.Fitted, m.Rows = of.Sequence, of.Next, of.Shard, of.Fitted, nil
	for _, r := range of.Rows {
		m.Rows = append(m.Rows, shard.Row(r))
	}
	b, err := m.Append(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// SetMemoryMin sets the smallest limit of memory of the creation of a directory, and returns the previous one.
func SetMemoryMin(n int) (before int) {
	before, shard.MemoryMin = shard.MemoryMin, n
	return before
}

// SetReplaceMost sets the limit of files that a call of Replace writes, and returns the previous limit.
func SetReplaceMost(n int) (before int) {
	before, shard.ReplaceMax = shard.ReplaceMax, n
	return before
}

// ManifestOf is the contents of a manifest.
type ManifestOf struct {
	Sequence, Next uint64
	Shard          int
	Fitted         bool
	Rows           []ManifestRow
}

// ManifestRow is a row of a manifest.
type ManifestRow shard.Row

// ParseManifest reports whether bytes are a manifest with consistent contents.
func ParseManifest(b []byte) (again []byte, err error) {
	m, err := shard.Parse(b)
	if err != nil {
		return nil, err
	}
	for i := range m.Rows {
		if k := m.ShardOf(m.First(i)); m.First(i) > m.Last(i) || k < i || m.First(k) > m.First(i) {
			panic("a key has another shard than that which begins with it")
		}
	}
	return m.Append(nil)
}

// RecordsInMemory returns the number of objects that the creation of a directory sorts at a time.
func RecordsInMemory(opt DirectoryOptions) int64 {
	p := shard.Params(opt)
	if err := p.Complete(); err != nil {
		panic(err)
	}
	return (&shard.Creation{Opt: p}).InMemory()
}

// Folder returns the path of the folder.
func (d *Directory) Folder() string { return d.path }

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
		if name == "SlotForm" {
			continue // a number of the format
		}
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
	"Tree.scratch":   "buffers",
	"Tree.sampled":   "a bulk move computes it",
	"Tree.tightened": "a tick computes it",
	"Tree.ends":      "a tick finds them",
	"Tree.Tidy":      "about buffers",
	"Tree.Removed":   "a read has applied them",
	"Tree.records":   "a read has packed them",
	"Tree.Thinned":   "valid until the next insertion",
	"Tree.voxels":    "an insertion makes it",
	"Tree.Observer":  "of scenes, which a copy is not in",
	"Tree.Touched":   "a copy is not shared",
	"face.deferred":  "a read has applied them",
	"face.shared":    "a copy is not shared",

	"NodeColumns.limit":   "for tests",
	"PacketColumns.limit": "for tests",

	"IDs.first": "it is set if there are IDs without generations",
	"IDs.tried": "only during a check",

	"PacketColumns.masked": "a tree that is saved has a row of masks if it is set, because it has a packet",
	"IDs.barred":           "for tests",
	"Log.Number":           "a copy has its own",
	"Store.Tree":           "a copy has its own",
	"State.Free":           "follows from the columns",
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
		"the visits":             func(t *Tree) { t.octree.Visits = nan },
		"the visits ":            func(t *Tree) { t.octree.Centres.Min[0] = float32(nan) },
		"pending slots, ":        func(t *Tree) { t.octree.Pending++ },
		"live IDs":               func(t *Tree) { s := t.octree.IDs.State(); s.Live++; t.octree.IDs.SetState(s) },
		"is in the free list":    func(t *Tree) { s := t.octree.IDs.State(); s.Free = 1 << 30; t.octree.IDs.SetState(s) },
		"locations and":          func(t *Tree) { t.octree.IDs.Gen.Low = t.octree.IDs.Gen.Low[1:] },
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

// FreeSlots returns the number of free slots.
func (t *Tree) FreeSlots() int { return t.octree.Free.Len() }
