package linear

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
//	Shards     shardRow    in ascending order of First
//	Fitted     uint64      1 if the next change fits the world; else there is no such section. Readers that do
//	                       not have it keep the world.
//
// A shard has the keys from its First to that of the next one. The last shard also has all keys above, and the
// first all keys below: each key has a shard. The First of the next shard may be in both, because more objects than
// a shard may hold can have the same key. A manifest has no file names, only numbers from which the names are made,
// so it can only refer to files of its folder.

// kindDirectory is the file kind of a manifest.
const kindDirectory = 16

const (
	manifestName   = "manifest"
	manifestFormat = 1

	// manifestMax is the largest manifest that is read, in bytes: 13 million shards.
	manifestMax = 1 << 30

	// shardMin and shardMax bound [DirectoryOptions.Shard]. A packet holds 16 objects.
	shardMin = soa.Lanes
	shardMax = 1 << 24
)

// shardRow is the row of a shard in the manifest.
type shardRow struct {
	File  uint64 // number in its name
	Bytes uint64
	Sums  uint64 // checksum of its head, which has the sums of all sections: the last 8 bytes of the header
	First uint64 // first key
	Least uint64 // smallest number of its objects
	Most  uint64
	Count uint64
	Box   [6]float32 // exact union of its boxes
}

var _ [0]struct{} = [unsafe.Sizeof(shardRow{}) - 80]struct{}{}

func (r *shardRow) box() soa.AABB {
	return soa.AABB{Min: [3]float32(r.Box[:3]), Max: [3]float32(r.Box[3:])}
}

func (r *shardRow) path(folder string) string { return shardPath(folder, r.File) }

// shardPath returns the path of a shard file.
func shardPath(folder string, file uint64) string {
	return filepath.Join(folder, fmt.Sprintf("%016x.shard", file))
}

// fileOf returns the number in the name of a shard file.
func fileOf(name string) (file uint64, ok bool) {
	if _, err := fmt.Sscanf(name, "%016x.shard", &file); err != nil {
		return 0, false
	}
	return file, filepath.Base(shardPath("", file)) == name
}

// manifest lists the content of a directory. It is immutable.
type manifest struct {
	sequence uint64
	world    morton.World
	next     uint64 // next file number
	shard    int    // largest number of objects in a shard
	fitted   bool   // the world is fitted to the objects, and again by the next change; there is at most one shard
	rows     []shardRow
}

// objects returns the total number of objects.
func (m *manifest) objects() (n uint64) {
	for i := range m.rows {
		n += m.rows[i].Count
	}
	return n
}

// equal reports whether two manifests have the same content.
func (m *manifest) equal(o *manifest) bool {
	return m.sequence == o.sequence && m.world == o.world && m.next == o.next && m.shard == o.shard && m.fitted == o.fitted && slices.Equal(m.rows, o.rows)
}

// files returns the set of the numbers of all files.
func (m *manifest) files() map[uint64]bool {
	named := make(map[uint64]bool, len(m.rows))
	for i := range m.rows {
		named[m.rows[i].File] = true
	}
	return named
}

// shardOf returns the shard for new objects with a key; of several the last one.
func (m *manifest) shardOf(key morton.Key) int {
	i, _ := slices.BinarySearchFunc(m.rows, uint64(key), func(r shardRow, key uint64) int {
		if r.First <= key {
			return -1
		}
		return 1
	})
	return max(i-1, 0)
}

// first returns the first key of a shard.
func (m *manifest) first(i int) morton.Key {
	if i == 0 {
		return 0
	}
	return morton.Key(m.rows[i].First)
}

// last returns the last key of a shard.
func (m *manifest) last(i int) morton.Key {
	if i == len(m.rows)-1 {
		return morton.MaxKey
	}
	return morton.Key(m.rows[i+1].First)
}

// manifestSections returns the sections of the file: a list of numbers, a list of shards, and a list that is empty
// or 1.
func manifestSections(words []uint64, rows []shardRow, fitted []uint64) []snap.Section {
	l := file.LayoutOf[shardRow]()
	return []snap.Section{
		{Name: "Directory", Row: 8, Layout: 8, Flags: snap.ToRead, Words: []uint8{8}, Data: file.ListOf(&words).Bytes()},
		{Name: "Shards", Row: mem.SizeOf[shardRow](), Layout: l.Hash(), Flags: snap.ToRead, Words: l.Sizes, Data: file.ListOf(&rows).Bytes()},
		{Name: "Fitted", Row: 8, Layout: 8, Words: []uint8{8}, Data: file.ListOf(&fitted).Bytes()},
	}
}

// append appends the bytes of the file.
func (m *manifest) append(dst []byte) ([]byte, error) {
	o := m.world.Origin()
	words := []uint64{manifestFormat, m.sequence, uint64(m.world.Exp()), uint64(o[0]), uint64(o[1]), uint64(o[2]), m.next, uint64(m.shard)}
	list := manifestSections(words, m.rows, []uint64{1})
	if !m.fitted {
		list = list[:2]
	}
	to := bytes.NewBuffer(dst)
	_, err := snap.Write(nil, to, kindDirectory, list, nil)
	return to.Bytes(), err
}

// parseManifest parses and checks a manifest from untrusted bytes. It retains none of them.
func parseManifest(b []byte) (*manifest, error) {
	f, err := snap.FromBytes(b)
	if err != nil {
		return nil, err
	}
	if f.Kind != kindDirectory {
		return nil, fmt.Errorf("%w: a file of kind %d, a manifest has kind %d", snap.ErrVersion, f.Kind, kindDirectory)
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
	m := &manifest{}
	file.ListOf(&words).Adopt(data[0])
	file.ListOf(&m.rows).Adopt(data[1])
	file.ListOf(&fitted).Adopt(data[2])
	m.rows, m.fitted = slices.Clone(m.rows), len(fitted) > 0
	if m.fitted && (len(fitted) != 1 || fitted[0] != 1 || len(m.rows) > 1) {
		return nil, file.NotSound("section Fitted is %v, with %d shards", fitted[:min(len(fitted), 2)], len(m.rows))
	}
	if err := m.numbers(words); err != nil {
		return nil, err
	}
	return m, m.check()
}

// numbers sets the fields that are not in rows.
func (m *manifest) numbers(words []uint64) (err error) {
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
	m.world, err = morton.NewWorld(int(small[0]), [3]int32(small[1:]))
	if err != nil {
		return file.NotSound("%v", err)
	}
	m.sequence, m.next = words[1], words[6]
	// The counters must have room to grow.
	if words[7] < shardMin || words[7] > shardMax || m.sequence < 1 || max(m.sequence, m.next) > math.MaxInt64 {
		return file.NotSound("sequence %d, file %d next, up to %d objects a shard", m.sequence, m.next, words[7])
	}
	m.shard = int(words[7])
	return nil
}

// check validates the rows.
func (m *manifest) check() error {
	files := make([]uint64, len(m.rows))
	for i := range m.rows {
		r := &m.rows[i]
		files[i] = r.File
		b := r.box()
		switch {
		case b.Check() != nil || r.Count < 1 || r.Count > uint64(m.shard) || r.Bytes > math.MaxInt64 || r.Least > r.Most || r.Most-r.Least < r.Count-1:
			return file.NotSound("shard %d has %d objects, %d to %d, in a box %v to %v and a file of %d bytes", i, r.Count, r.Least, r.Most, b.Min, b.Max, r.Bytes)
		case r.First > uint64(morton.MaxKey) || i > 0 && r.First < m.rows[i-1].First:
			return file.NotSound("shard %d begins at key %#x", i, r.First)
		case r.File >= m.next:
			return file.NotSound("shard %d is file %d, the next one is %d", i, r.File, m.next)
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

// readManifest reads the manifest of a folder.
func readManifest(folder string) (*manifest, error) {
	path := filepath.Join(folder, manifestName)
	b, err := file.Read(path, manifestMax)
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	m, err := parseManifest(b)
	if err != nil {
		return nil, fault.Errorf("linear: %s: %w", path, err)
	}
	return m, nil
}

// put writes the manifest to a new file.
func (m *manifest) put(d *disk, path string) error {
	b, err := m.append(nil)
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
func (m *manifest) begin(d *disk, folder string) error {
	if err := m.put(d, filepath.Join(folder, manifestName)); err != nil {
		return err
	}
	return d.syncFolder(folder)
}

// write atomically replaces the manifest of a folder. The names of new files are synced before the manifest that
// refers to them. renamed reports whether the folder has the new manifest.
func (m *manifest) write(d *disk, folder string) (renamed bool, err error) {
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

// meets reports whether the box of a shard and another one intersect: touching counts.
func (r *shardRow) meets(b *soa.AABB) bool {
	for a := range 3 {
		if !(r.Box[a] <= b.Max[a] && b.Min[a] <= r.Box[3+a]) {
			return false
		}
	}
	return true
}
