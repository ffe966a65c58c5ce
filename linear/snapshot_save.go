package linear

import (
	"context"
	"io"

	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
)

// SnapshotOptions configure the saving of a snapshot; the zero value saves the tree or scene alone.
type SnapshotOptions struct {
	// Sections are the program's own data: see [SaveColumn]. Their names are unique. nil means none.
	Sections []Section

	// Progress, unless nil, is called with the fraction that is done, up to 1, by the saving
	// goroutine, several times per megabyte.
	Progress func(share float64)
}

// WriteTo writes a snapshot of the tree, which [Read], [Open] and the others open, and returns the
// number of bytes: [Tree.WriteSnapshot] without options.
func (t *Tree) WriteTo(w io.Writer) (n int64, err error) {
	return t.WriteSnapshot(nil, w, SnapshotOptions{})
}

// WriteSnapshot writes a snapshot of the tree, and of sections of the program's own, and returns
// the number of bytes. A cancelled context ends it with the error of the context; nil is never
// cancelled. The bytes written until then are not a valid snapshot.
//
// The snapshot holds the same state as [Tree.Clone]: a loaded tree has the same results and later changes. Equal trees
// give equal bytes, on all machines. It reads the tree like [Tree.View], so any number of goroutines may query or save
// the tree at a time, and no view is invalidated. It takes two passes over the columns, the second straight to w in
// large pieces, and copies only the log and a few kilobytes.
func (t *Tree) WriteSnapshot(ctx context.Context, w io.Writer, opt SnapshotOptions) (n int64, err error) {
	t.sync()
	return file.WriteTree(ctx, w, file.ImageOf(&t.octree), opt.save())
}

// Save atomically writes a snapshot to a file. It writes a new file in the same folder, syncs it, renames it over the
// path, and syncs the folder. A crash at any moment leaves the old file or the new one, and mappings of the old one
// stay valid. On an error the old file is unchanged, and the new one is removed. The exception is an error of syncing
// the folder: then the file is the new one, and a crash may restore the old one. The new file has the mode of the old
// one from its first byte on.
//
// If the path is a symbolic link, the target of the link is replaced, in the target's folder, and
// the link stays. A link without a target, or in a circle, is an error, and so is a path that is a
// folder, a named pipe, a socket or a device.
//
// A process that crashes meanwhile leaves the new file: for a path "tree" it is
// ".tree.zoctree-0.tmp", with a larger number if several goroutines or processes save to the path
// at a time. On systems with flock (Linux, macOS, BSD) the next Save to the path removes it. A file
// that another process still writes is locked, and stays. Elsewhere it may be removed by hand.
//
// See [Tree.WriteSnapshot] for contents, cost and concurrent use.
func (t *Tree) Save(ctx context.Context, path string, opt SnapshotOptions) (err error) {
	return saveTo(ctx, path, opt, t.WriteSnapshot)
}

// saveTo saves what write writes.
func saveTo(ctx context.Context, path string, opt SnapshotOptions, write func(context.Context, io.Writer, SnapshotOptions) (int64, error)) error {
	return file.Save(path, func(w io.Writer) error {
		_, err := write(ctx, w, opt)
		return err
	})
}

// save returns the options of the file.
func (o *SnapshotOptions) save() file.SaveParams {
	s := file.SaveParams{Progress: o.Progress}
	for i := range o.Sections {
		s.Sections = append(s.Sections, o.Sections[i].s)
	}
	return s
}

// Section is a column of the program's own data, saved in a snapshot with the tree: see [SaveColumn].
type Section struct{ s snap.Section }

// SaveColumn returns a section with the program's own values, for [SnapshotOptions], such as
// payload by ID from [Column.Values]. [LoadColumn] returns them. It copies nothing: the values must
// not be written until the snapshot has been saved.
//
// T is a number of fixed size, a bool, or an array or struct of such, nested or not; the name has 1 to 31 bytes, none
// of them zero. Anything else panics. That includes pointers, strings and slices; int, uint and uintptr, whose size
// depends on the machine; and structs with gaps between fields, or with a layout that depends on the machine. Order the
// fields by size, or fill the gaps with fields of your own.
func SaveColumn[T any](name string, values []T) Section {
	return Section{file.ColumnOf(name, values)}
}

// LoadColumn reads a column of the program from a snapshot: a copy of the values that [SaveColumn] has saved under that
// name. It compares the checksums of the section, unless the level of the snapshot is [CheckNone].
//
// It is an error if there is no such section, if its checksums are wrong, or if it was saved with another type, with
// other kinds of numbers or in another order. The rules for T are those of SaveColumn; LoadColumn panics otherwise.
func LoadColumn[T any](s *Snapshot, name string) ([]T, error) {
	return file.LoadColumn[T](s.opened(), name)
}
