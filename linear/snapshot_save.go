package linear

import (
	"context"
	"fmt"
	"io"

	"github.com/zoctree/zoctree/internal/atomicfile"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
)

// SnapshotOptions say what goes into a snapshot besides the tree, and who is told how far it
// is. The zero value is a tree alone.
type SnapshotOptions struct {
	// Sections are the program's own: see [SaveColumn]. Their names are unique.
	Sections []Section

	// Progress, unless nil, is called with the share that is done, up to 1, by the
	// goroutine that saves, for each megabytes a few times.
	Progress func(share float64)
}

// WriteTo writes a snapshot of the tree, which [Read] and the others open, and returns the
// number of bytes: [Tree.WriteSnapshot] without options.
func (t *Tree) WriteTo(w io.Writer) (n int64, err error) {
	return t.WriteSnapshot(nil, w, SnapshotOptions{})
}

// WriteSnapshot writes a snapshot of the tree, and of sections of the program's own, and
// returns the number of bytes. A context that is done ends it with its error; nil never is.
// What has been written then is no snapshot.
//
// It holds all that [Tree.Clone] copies, and the answers and later changes of a tree that is
// loaded from it are the same. Equal trees make equal bytes, on all machines. It is a look
// ([Tree.View]), so any number of goroutines may query or save the tree at a time, and it ends
// no view. It takes two passes over the columns, the second straight to w in large pieces, and
// copies nothing but the log and a few kilobytes.
func (t *Tree) WriteSnapshot(ctx context.Context, w io.Writer, opt SnapshotOptions) (n int64, err error) {
	t.look()
	return writeTree(ctx, w, t.image(), opt)
}

// writeTree writes a snapshot of what is saved of a tree.
func writeTree(ctx context.Context, w io.Writer, of treeImage, opt SnapshotOptions) (n int64, err error) {
	return writeSections(ctx, w, snap.KindTree, of.append(nil, groupTree), opt)
}

// append appends the sections of a tree to a list.
func (i *treeImage) append(list []snap.Section, group uint32) []snap.Section {
	for _, s := range i.sections() {
		list = append(list, s.asSection(group))
	}
	return list
}

// writeSections writes a file of sections, and those of a program's own.
func writeSections(ctx context.Context, w io.Writer, kind uint32, list []snap.Section, opt SnapshotOptions) (n int64, err error) {
	seen := map[string]bool{}
	for i := range opt.Sections {
		s := opt.Sections[i].s
		if seen[s.Name] {
			return 0, fmt.Errorf("linear: two sections of a snapshot are named %q", s.Name)
		}
		seen[s.Name] = true
		list = append(list, s)
	}
	n, err = snap.Write(ctx, w, kind, list, opt.Progress)
	if err != nil {
		return n, fault.Errorf("linear: after %d bytes of a snapshot: %w", n, err)
	}
	return n, nil
}

// Save writes a snapshot to a file that is there as a whole or not at all: to a new file
// in the same folder, which is synced and renamed over it, and the folder is synced. So a
// crash at any moment leaves the old file or the new one, and maps of the old one stay as
// they are. When it fails, the old file is as it was, and the new one is removed; unless it
// was the folder that could not be synced: then the file is the new one, and a crash may
// bring the old one back. The new file has the mode of the old one from its first byte on.
//
// If the path is a symbolic link, the file to which it leads is replaced, in the folder of that
// file, and the link stays. A link that leads to no file, or in a circle, is an error, and so is
// a path that is a folder, a named pipe, a socket or a device.
//
// A process that dies meanwhile leaves the new file: for a path "tree" it is ".tree.zoctree-0.tmp",
// with a larger number if several goroutines or processes save to the path at a time. On systems
// with flock (Linux, macOS, BSD) the next Save to the path removes it. A file that another
// process still writes is locked, and stays. Elsewhere it may be removed by hand.
//
// What it writes, costs and excludes is told at [Tree.WriteSnapshot].
func (t *Tree) Save(ctx context.Context, path string, opt SnapshotOptions) (err error) {
	return atomicfile.Save(path, func(w io.Writer) error {
		_, err := t.WriteSnapshot(ctx, w, opt)
		return err
	})
}
