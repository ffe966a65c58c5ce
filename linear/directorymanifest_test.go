package linear_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Manifests with impossible values are rejected.
func TestDirectoryManifest(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 20})
	sound := d.Manifest(nil)
	if again, err := linear.ParseManifest(sound); err != nil || !slices.Equal(again, sound) {
		t.Fatalf("it is not read back: %v", err)
	}
	nan := float32(math.NaN())
	for name, change := range map[string]func(m *linear.ManifestOf){
		"sequence": func(m *linear.ManifestOf) { m.Sequence = 0 },
		"wraps":    func(m *linear.ManifestOf) { m.Sequence = math.MaxUint64 }, // wraps to 0 at the next Replace
		"files":    func(m *linear.ManifestOf) { m.Next = math.MaxUint64 },
		"shard":    func(m *linear.ManifestOf) { m.Shard = 0 },
		"small":    func(m *linear.ManifestOf) { m.Shard = 15 },
		"full":     func(m *linear.ManifestOf) { m.Rows[1].Count, m.Rows[1].Most = 21, m.Rows[1].Least+100 },
		"fitted":   func(m *linear.ManifestOf) { m.Fitted = true },
		"large":    func(m *linear.ManifestOf) { m.Shard = 1 << 25 },
		"next":     func(m *linear.ManifestOf) { m.Next-- },
		"order":    func(m *linear.ManifestOf) { m.Rows[2].First = m.Rows[1].First - 1 },
		"key":      func(m *linear.ManifestOf) { m.Rows[len(m.Rows)-1].First = 1 << 63 },
		"twice":    func(m *linear.ManifestOf) { m.Rows[1].File = m.Rows[0].File },
		"none":     func(m *linear.ManifestOf) { m.Rows[1].Count = 0 },
		"many":     func(m *linear.ManifestOf) { m.Rows[1].Count = 1 << 40 },
		"least":    func(m *linear.ManifestOf) { m.Rows[1].Least = m.Rows[1].Most + 1 },
		"few":      func(m *linear.ManifestOf) { m.Rows[1].Most = m.Rows[1].Least + m.Rows[1].Count - 2 },
		"NaN":      func(m *linear.ManifestOf) { m.Rows[1].Box[2] = nan },
		"inverted": func(m *linear.ManifestOf) { m.Rows[1].Box[3] = m.Rows[1].Box[0] - 1 },
		"bytes":    func(m *linear.ManifestOf) { m.Rows[1].Bytes = 1 << 63 },
	} {
		if _, err := linear.ParseManifest(d.Manifest(change)); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range sound {
		if _, err := linear.ParseManifest(sound[:i]); err == nil {
			t.Errorf("%d bytes of %d are a manifest", i, len(sound))
		}
		b := slices.Clone(sound)
		b[i] ^= 1 << (i % 8)
		if _, err := linear.ParseManifest(b); err == nil {
			t.Errorf("byte %d is nothing to it", i)
		}
	}
	// A manifest with false values of a shard.
	folder := filepath.Dir(d.Shards()[0].Path)
	for name, change := range map[string]func(m *linear.ManifestOf){
		"count": func(m *linear.ManifestOf) { m.Rows[1].Count-- },
		"box":   func(m *linear.ManifestOf) { m.Rows[1].Box[3]++ },
		"bytes": func(m *linear.ManifestOf) { m.Rows[1].Bytes++ },
		"sums":  func(m *linear.ManifestOf) { m.Rows[1].Sums++ },
		"least": func(m *linear.ManifestOf) { m.Rows[1].Least++ },
		"most":  func(m *linear.ManifestOf) { m.Rows[1].Most++ },
	} {
		must(t, os.WriteFile(filepath.Join(folder, "manifest"), d.Manifest(change), 0o666))
		lying := openedDirectory(t, folder)
		if err := lying.Prepare(t.Context(), everywhere); err == nil || !strings.Contains(err.Error(), "shard 1, ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A shard is rejected if its numbers do not ascend in their order, or if the order lacks an ID: Replace would
// not find the objects. So is a shard without a section, or with missing rows of one.
func TestDirectoryShardNumbers(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 20})
	shard := d.Shards()[1]
	file, err := linear.OpenMapped(shard.Path, linear.CheckFull)
	must(t, err)
	defer file.Close()
	tree, err := file.Load()
	must(t, err)
	load := func() (numbers []uint64, order []uint32) {
		numbers, err := linear.LoadColumn[uint64](file, "numbers")
		must(t, err)
		order, err = linear.LoadColumn[uint32](file, "order")
		must(t, err)
		return slices.Clone(numbers), slices.Clone(order) // the originals may be mapped read-only
	}
	save := func(sections ...linear.Section) error {
		must(t, tree.Save(t.Context(), shard.Path, linear.SnapshotOptions{Sections: sections}))
		b, err := os.ReadFile(shard.Path)
		must(t, err)
		manifest := d.Manifest(func(m *linear.ManifestOf) {
			m.Rows[1].Bytes, m.Rows[1].Sums = uint64(len(b)), binary.LittleEndian.Uint64(b[56:])
		})
		must(t, os.WriteFile(filepath.Join(filepath.Dir(shard.Path), "manifest"), manifest, 0o666))
		return openedDirectory(t, filepath.Dir(shard.Path)).Prepare(t.Context(), everywhere)
	}
	columns := func(numbers []uint64, order []uint32) []linear.Section {
		return []linear.Section{linear.SaveColumn("numbers", numbers), linear.SaveColumn("order", order)}
	}
	numbers, order := load()
	must(t, save(columns(numbers, order)...))
	for name, c := range map[string]struct {
		lie  func(numbers []uint64, order []uint32) []linear.Section
		says string
	}{
		"numbers that do not ascend": {func(n []uint64, o []uint32) []linear.Section { o[3], o[4] = o[4], o[3]; return columns(n, o) }, " follows "},
		"a number twice":             {func(n []uint64, o []uint32) []linear.Section { n[o[3]] = n[o[4]]; return columns(n, o) }, " follows "},
		"an ID twice":                {func(n []uint64, o []uint32) []linear.Section { o[3] = o[4]; return columns(n, o) }, " follows "},
		"an ID that there is not":    {func(n []uint64, o []uint32) []linear.Section { o[3] = uint32(len(n)); return columns(n, o) }, "the order has the ID"},
		"another least number":       {func(n []uint64, o []uint32) []linear.Section { n[o[0]] = 1 << 40; return columns(n, o) }, " follows "},
		"another last number":        {func(n []uint64, o []uint32) []linear.Section { n[o[len(o)-1]]++; return columns(n, o) }, "the manifest names"},
		"no order":                   {func(n []uint64, o []uint32) []linear.Section { return columns(n, o)[:1] }, "there is no section order"},
		"no numbers":                 {func(n []uint64, o []uint32) []linear.Section { return columns(n, o)[1:] }, "there is no section numbers"},
		"fewer IDs":                  {func(n []uint64, o []uint32) []linear.Section { return columns(n, o[1:]) }, "section order has"},
		"fewer numbers":              {func(n []uint64, o []uint32) []linear.Section { return columns(n[1:], o) }, "section numbers has"},
	} {
		if err := save(c.lie(load())...); !errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// IDs of a shard follow the curve, for all numbers: neighbours in space have their numbers together.
func TestDirectoryIDs(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 300})
	must(t, d.Prepare(t.Context(), everywhere))
	at := map[uint64]soa.AABB{}
	for n, o := range numberedAll(objects) {
		at[n] = o.Box
	}
	world, seen := d.World(), 0
	for i, s := range d.Shards() {
		last := morton.Key(0)
		for id := range uint32(s.Objects) {
			n, ok := d.Global(uint32(i), id)
			if !ok {
				t.Fatalf("shard %d has no ID %d", i, id)
			}
			key := world.KeyOfBox(at[n].Min, at[n].Max)
			if key < last {
				t.Fatalf("shard %d: ID %d has the key %#x, the one before %#x", i, id, key, last)
			}
			last = key
			seen++
		}
	}
	if seen != len(objects) {
		t.Errorf("%d of %d objects", seen, len(objects))
	}
}

// Replace does not write valid sums for a damaged section, at any check level.
func TestDirectoryReplaceCompares(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	for _, prepared := range []bool{true, false} {
		for _, section := range []string{"Bounds", "numbers"} {
			path := filepath.Join(t.TempDir(), "d")
			must(t, linear.CreateDirectory(t.Context(), path, numberedAll(objects), linear.DirectoryOptions{Shard: 100}))
			d, err := linear.OpenDirectory(path, linear.CheckNone)
			must(t, err)
			shard := d.Shards()[0].Path
			file, err := linear.OpenMapped(shard, linear.CheckNone)
			must(t, err)
			b, err := os.ReadFile(shard)
			must(t, err)
			for _, c := range file.Info().Sections {
				if c.Name == section {
					b[c.Offset] ^= 1
				}
			}
			must(t, file.Close())
			must(t, os.WriteFile(shard, b, 0o666))
			if prepared {
				must(t, d.Prepare(t.Context(), everywhere))
			}
			err = d.Replace(t.Context(), nil, slices.Values([]uint64{numberOf(7)}))
			if !errors.Is(err, linear.ErrSnapshot) || d.Sequence() != 1 {
				t.Errorf("%s, prepared %v: %v", section, prepared, err)
			}
			must(t, d.Close())
		}
	}
}

// Any bytes are rejected, or are a consistent manifest.
func FuzzDirectoryManifest(f *testing.F) {
	objects := testkit.SceneByName(f, "uniform").Make(60, 1)
	path := filepath.Join(f.TempDir(), "d")
	must(f, linear.CreateDirectory(context.Background(), path, numberedAll(objects), linear.DirectoryOptions{Shard: 20}))
	d, err := linear.OpenDirectory(path, linear.CheckNone)
	must(f, err)
	f.Add(uint16(0), uint64(0), []byte{})
	f.Add(uint16(300), uint64(1)<<63, d.Manifest(nil))
	f.Fuzz(func(t *testing.T, at uint16, word uint64, bytes []byte) {
		_, _ = linear.ParseManifest(bytes)
		// Changes one word of the rows, with valid sums.
		b := d.Manifest(func(m *linear.ManifestOf) {
			r := &m.Rows[int(at)%len(m.Rows)]
			switch at / 64 % 8 {
			case 0:
				r.File = word
			case 1:
				r.Bytes = word
			case 2:
				r.First = word
			case 3:
				r.Least = word
			case 4:
				r.Most = word
			case 5:
				r.Count = word
			case 6:
				r.Box[at%6] = math.Float32frombits(uint32(word))
			case 7:
				m.Next = word
			}
		})
		again, err := linear.ParseManifest(b)
		if err == nil && !slices.Equal(again, b) {
			t.Error("a manifest reads back as another one")
		}
	})
}
