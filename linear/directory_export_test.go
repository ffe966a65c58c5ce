package linear

import (
	"context"
	"iter"
)

// CreateDirectoryBefore is CreateDirectory with a call before each operation on the disk.
func CreateDirectoryBefore(step func(op, path string) error, dir string, objects iter.Seq2[uint64, Object], opt DirectoryOptions) error {
	return createDirectory(context.Background(), &disk{step}, dir, objects, createParams(opt))
}

// Before sets a call before each operation on the disk of the directory.
func (d *Directory) Before(step func(op, path string) error) { d.disk.step = step }

// Manifest returns the bytes of the manifest of the directory, after changes.
func (d *Directory) Manifest(change func(m *ManifestOf)) []byte {
	m := *d.now.manifest
	of := ManifestOf{m.sequence, m.next, m.shard, m.fitted, nil}
	for _, r := range m.rows {
		of.Rows = append(of.Rows, ManifestRow(r))
	}
	if change != nil {
		change(&of)
	}
	m.sequence, m.next, m.shard, m.fitted, m.rows = of.Sequence, of.Next, of.Shard, of.Fitted, nil
	for _, r := range of.Rows {
		m.rows = append(m.rows, shardRow(r))
	}
	b, err := m.append(nil)
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
type ManifestRow shardRow

// ParseManifest reports whether bytes are a manifest with consistent contents.
func ParseManifest(b []byte) (again []byte, err error) {
	m, err := parseManifest(b)
	if err != nil {
		return nil, err
	}
	for i := range m.rows {
		if k := m.shardOf(m.first(i)); m.first(i) > m.last(i) || k < i || m.first(k) > m.first(i) {
			panic("a key has another shard than that which begins with it")
		}
	}
	return m.append(nil)
}

// RecordsInMemory returns the number of objects that the creation of a directory sorts at a time.
func RecordsInMemory(opt DirectoryOptions) int64 {
	p := createParams(opt)
	if err := p.complete(); err != nil {
		panic(err)
	}
	return (&creation{opt: p}).inMemory()
}

// Folder returns the path of the folder.
func (d *Directory) Folder() string { return d.path }
