package shard

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// The manifest of a directory is a container of package snap with two or three sections:
//
//	Directory  uint64      format 1, sequence, world: exponent and origin, file number to be
//	                       given next, most objects of a shard
//	Shards     Row         in ascending order of First
//	Fitted     uint64      1 if the next change fits the world; else there is no such section. Readers that do
//	                       not have it keep the world.
//
// A shard has the keys from its First to that of the next one. The last shard also has all keys above, and the
// first all keys below: each key has a shard. The First of the next shard may be in both, because more objects than
// a shard may hold can have the same key. A manifest has no file names, only numbers from which the names are made,
// so it can only refer to files of its folder.

const (
	manifestName   = "manifest"
	manifestFormat = 1

	// manifestMax is the largest manifest that is read, in bytes: 13 million shards.
	manifestMax = 1 << 30

	// minObjects and maxObjects bound linear.DirectoryOptions.Shard. A packet holds 16 objects.
	minObjects = soa.Lanes
	maxObjects = 1 << 24
)

// Row is the row of a shard in the manifest.
type Row struct {
	File  uint64 // number in its name
	Bytes uint64
	Sums  uint64 // checksum of its head, which has the sums of all sections: the last 8 bytes of the header
	First uint64 // first key
	Least uint64 // smallest number of its objects
	Most  uint64
	Count uint64
	Box   [6]float32 // exact union of its boxes
}

var _ [0]struct{} = [unsafe.Sizeof(Row{}) - 80]struct{}{}

// AABB returns the union of the boxes of the shard.
func (r *Row) AABB() soa.AABB {
	return soa.AABB{Min: [3]float32(r.Box[:3]), Max: [3]float32(r.Box[3:])}
}

// Path returns the path of the file of the shard.
func (r *Row) Path(folder string) string { return Path(folder, r.File) }

// Path returns the path of a shard file.
func Path(folder string, file uint64) string {
	return filepath.Join(folder, fmt.Sprintf("%016x.shard", file))
}

// fileOf returns the number in the name of a shard file.
func fileOf(name string) (file uint64, ok bool) {
	if _, err := fmt.Sscanf(name, "%016x.shard", &file); err != nil {
		return 0, false
	}
	return file, filepath.Base(Path("", file)) == name
}

// Manifest lists the content of a directory. It is immutable.
type Manifest struct {
	Sequence uint64
	World    morton.World
	Next     uint64 // next file number
	Shard    int    // largest number of objects in a shard
	Fitted   bool   // the world is fitted to the objects, and again by the next change; there is at most one shard
	Rows     []Row
}

// Objects returns the total number of objects.
func (m *Manifest) Objects() (n uint64) {
	for i := range m.Rows {
		n += m.Rows[i].Count
	}
	return n
}

// Equal reports whether two manifests have the same content.
func (m *Manifest) Equal(o *Manifest) bool {
	return m.Sequence == o.Sequence && m.World == o.World && m.Next == o.Next && m.Shard == o.Shard && m.Fitted == o.Fitted && slices.Equal(m.Rows, o.Rows)
}

// files returns the set of the numbers of all files.
func (m *Manifest) files() map[uint64]bool {
	named := make(map[uint64]bool, len(m.Rows))
	for i := range m.Rows {
		named[m.Rows[i].File] = true
	}
	return named
}

// ShardOf returns the shard for new objects with a key; of several the last one.
func (m *Manifest) ShardOf(key morton.Key) int {
	i, _ := slices.BinarySearchFunc(m.Rows, uint64(key), func(r Row, key uint64) int {
		if r.First <= key {
			return -1
		}
		return 1
	})
	return max(i-1, 0)
}

// First returns the first key of a shard.
func (m *Manifest) First(i int) morton.Key {
	if i == 0 {
		return 0
	}
	return morton.Key(m.Rows[i].First)
}

// Last returns the last key of a shard.
func (m *Manifest) Last(i int) morton.Key {
	if i == len(m.Rows)-1 {
		return morton.MaxKey
	}
	return morton.Key(m.Rows[i+1].First)
}

// manifestSections returns the sections of the file: a list of numbers, a list of shards, and a list that is empty
// or 1.
func manifestSections(words []uint64, rows []Row, fitted []uint64) []snap.Section {
	l := file.LayoutOf[Row]()
	return []snap.Section{
		{Name: "Directory", Row: 8, Layout: 8, Flags: snap.ToRead, Words: []uint8{8}, Data: file.ListOf(&words).Bytes()},
		{Name: "Shards", Row: mem.SizeOf[Row](), Layout: l.Hash(), Flags: snap.ToRead, Words: l.Sizes, Data: file.ListOf(&rows).Bytes()},
		{Name: "Fitted", Row: 8, Layout: 8, Words: []uint8{8}, Data: file.ListOf(&fitted).Bytes()},
	}
}

// Append appends the bytes of the file.
func (m *Manifest) Append(dst []byte) ([]byte, error) {
	o := m.World.Origin()
	words := []uint64{manifestFormat, m.Sequence, uint64(m.World.Exp()), uint64(o[0]), uint64(o[1]), uint64(o[2]), m.Next, uint64(m.Shard)}
	list := manifestSections(words, m.Rows, []uint64{1})
	if !m.Fitted {
		list = list[:2]
	}
	to := bytes.NewBuffer(dst)
	_, err := snap.Write(nil, to, snap.KindManifest, list, nil)
	return to.Bytes(), err
}

// Parse parses and checks a manifest from untrusted bytes. It retains none of them.
func Parse(b []byte) (*Manifest, error) {
	f, err := snap.FromBytes(b)
	if err != nil {
		return nil, err
	}
	if f.Kind != snap.KindManifest {
		return nil, fmt.Errorf("%w: a file of kind %d, a manifest has kind %d", snap.ErrVersion, f.Kind, snap.KindManifest)
	}
	want := manifestSections(nil, nil, nil)
	var data [3][]byte
	for i := range f.Sections() {
		have, _, _ := f.Section(i)
		k := slices.IndexFunc(want, func(s snap.Section) bool { return s.Name == have.Name && s.Group == have.Group })
		switch {
		case k < 0 && have.Flags&snap.ToRead != 0:
			return nil, fmt.Errorf("%w: it cannot be read without section %q of group %d", snap.ErrVersion, have.Name, have.Group)
		case k < 0:
			continue
		case have.Row != want[k].Row || have.Layout != want[k].Layout:
			return nil, file.NotSound("section %q has rows of %d bytes in words of %d", have.Name, have.Row, have.Layout)
		}
		if err := f.Check(i); err != nil {
			return nil, err
		}
		if data[k], err = f.Rows(i, want[k].Words); err != nil {
			return nil, err
		}
	}
	var words, fitted []uint64
	m := &Manifest{}
	file.ListOf(&words).Adopt(data[0])
	file.ListOf(&m.Rows).Adopt(data[1])
	file.ListOf(&fitted).Adopt(data[2])
	m.Rows, m.Fitted = slices.Clone(m.Rows), len(fitted) > 0
	if m.Fitted && (len(fitted) != 1 || fitted[0] != 1 || len(m.Rows) > 1) {
		return nil, file.NotSound("section Fitted is %v, with %d shards", fitted[:min(len(fitted), 2)], len(m.Rows))
	}
	if err := m.numbers(words); err != nil {
		return nil, err
	}
	return m, m.check()
}

// numbers sets the fields that are not in rows.
func (m *Manifest) numbers(words []uint64) (err error) {
	if len(words) == 0 || words[0] != manifestFormat {
		return fmt.Errorf("%w: a manifest of format %v", snap.ErrVersion, words[:min(len(words), 1)])
	}
	if len(words) != 8 {
		return file.NotSound("a manifest of %d numbers", len(words))
	}
	var small [4]int32
	for i := range small {
		if small[i] = int32(words[2+i]); uint64(small[i]) != words[2+i] {
			return file.NotSound("number %d of the manifest is %#x", 2+i, words[2+i])
		}
	}
	m.World, err = morton.NewWorld(int(small[0]), [3]int32(small[1:]))
	if err != nil {
		return file.NotSound("%v", err)
	}
	m.Sequence, m.Next = words[1], words[6]
	// The counters must have room to grow.
	if words[7] < minObjects || words[7] > maxObjects || m.Sequence < 1 || max(m.Sequence, m.Next) > math.MaxInt64 {
		return file.NotSound("sequence %d, file %d next, up to %d objects a shard", m.Sequence, m.Next, words[7])
	}
	m.Shard = int(words[7])
	return nil
}

// check validates the rows.
func (m *Manifest) check() error {
	files := make([]uint64, len(m.Rows))
	for i := range m.Rows {
		r := &m.Rows[i]
		files[i] = r.File
		b := r.AABB()
		switch {
		case b.Check() != nil || r.Count < 1 || r.Count > uint64(m.Shard) || r.Bytes > math.MaxInt64 || r.Least > r.Most || r.Most-r.Least < r.Count-1:
			return file.NotSound("shard %d has %d objects, %d to %d, in a box %v to %v and a file of %d bytes", i, r.Count, r.Least, r.Most, b.Min, b.Max, r.Bytes)
		case r.First > uint64(morton.MaxKey) || i > 0 && r.First < m.Rows[i-1].First:
			return file.NotSound("shard %d begins at key %#x", i, r.First)
		case r.File >= m.Next:
			return file.NotSound("shard %d is file %d, the next one is %d", i, r.File, m.Next)
		}
	}
	slices.Sort(files)
	for i := 1; i < len(files); i++ {
		if files[i] == files[i-1] {
			return file.NotSound("two shards are file %d", files[i])
		}
	}
	return nil
}

// ReadManifest reads the manifest of a folder.
func ReadManifest(folder string) (*Manifest, error) {
	path := filepath.Join(folder, manifestName)
	b, err := snap.ReadFile(path, manifestMax)
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	m, err := Parse(b)
	if err != nil {
		return nil, fault.Errorf("linear: %s: %w", path, err)
	}
	return m, nil
}

// put writes the manifest to a new file.
func (m *Manifest) put(d *Disk, path string) error {
	b, err := m.Append(nil)
	if err != nil {
		return err
	}
	f, err := d.create(path, 1<<16)
	if err != nil {
		return err
	}
	_, err = f.w.Write(b)
	if e := f.finish(); err == nil {
		err = e
	}
	return err
}

// begin writes the manifest of a new folder that has no readers yet, and syncs the folder.
func (m *Manifest) begin(d *Disk, folder string) error {
	if err := m.put(d, filepath.Join(folder, manifestName)); err != nil {
		return err
	}
	return d.syncFolder(folder)
}

// Write atomically replaces the manifest of a folder. The names of new files are synced before the manifest that
// refers to them. renamed reports whether the folder has the new manifest.
func (m *Manifest) Write(d *Disk, folder string) (renamed bool, err error) {
	temp := filepath.Join(folder, manifestName+".tmp")
	_ = os.Remove(temp) // left by a process that was killed
	err = m.put(d, temp)
	if err == nil {
		err = d.syncFolder(folder)
	}
	if err == nil {
		err = d.rename(temp, filepath.Join(folder, manifestName))
	}
	if err != nil {
		_ = os.Remove(temp)
		return false, err
	}
	return true, d.syncFolder(folder)
}

// Meets reports whether the box of a shard and another one intersect: touching counts.
func (r *Row) Meets(b *soa.AABB) bool {
	for a := range 3 {
		if !(r.Box[a] <= b.Max[a] && b.Min[a] <= r.Box[3+a]) {
			return false
		}
	}
	return true
}
