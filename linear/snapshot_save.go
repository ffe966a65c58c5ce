package linear

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

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
	return writeSections(ctx, w, kindTree, of.append(nil, groupTree), opt)
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
		return n, fmt.Errorf("linear: after %d bytes of a snapshot: %w", n, err)
	}
	return n, nil
}

// Save writes a snapshot to a file that is there as a whole or not at all: to a new file
// in the same folder, which is synced and renamed over it, and the folder is synced. So a
// crash at any moment leaves the old file or the new one, and maps of the old one stay as
// they are. When it fails, the old file is as it was, and the new one is removed; unless it
// was the folder that could not be synced: then the file is the new one, and a crash may
// bring the old one back.
//
// What it writes, costs and excludes is told at [Tree.WriteSnapshot].
func (t *Tree) Save(ctx context.Context, path string, opt SnapshotOptions) (err error) {
	return saveFile(path, func(w io.Writer) error {
		_, err := t.WriteSnapshot(ctx, w, opt)
		return err
	})
}

// saveFile replaces a file by what write writes.
func saveFile(path string, write func(w io.Writer) error) (err error) {
	f, err := newFileBeside(path)
	if err != nil {
		return fmt.Errorf("linear: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()           // perhaps again
			_ = os.Remove(f.Name()) // after the rename there is none of that name
		}
	}()
	// What is small, as padding is, goes out with what comes next.
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	for _, step := range [...]func() error{
		w.Flush,
		f.Sync,
		f.Close,
		func() error { return os.Rename(f.Name(), path) },
		func() error { return syncFolder(filepath.Dir(path)) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("linear: saving %s: %w", path, err)
		}
	}
	return nil
}

// newFileBeside makes a new file in the folder of another one, with the mode of that if it
// is there.
func newFileBeside(path string) (f *os.File, err error) {
	folder, base := filepath.Split(path)
	for i := range 10_000 {
		name := filepath.Join(folder, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), i))
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if info, e := os.Stat(path); e == nil {
		_ = f.Chmod(info.Mode().Perm()) // where there are modes
	}
	return f, nil
}

// syncFolder has the names in a folder on the disk, where one can ask for that.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		return nil
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
