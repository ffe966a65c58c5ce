package linear

import (
	"context"
	"iter"

	"github.com/zoctree/zoctree/linear/internal/shard"
)

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

// SetReplaceMost sets the limit of files that a call of Replace writes, and returns the previous limit.
func SetReplaceMost(n int) (before int) {
	before, replaceMax = replaceMax, n
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
