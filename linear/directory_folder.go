package linear

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/zoctree/zoctree/linear/internal/octree"
)

// folder is the shared state of the directories of a process in one folder: the files that must not be removed yet.
type folder struct {
	number  uint64     // for stamps
	writing sync.Mutex // serializes Replace

	lock   sync.Mutex      // guards the fields below, and the reference counts of listings and shards
	users  map[uint64]int  // number of listings with a file, by file number
	doomed map[uint64]bool // files that no manifest names any more
}

var folders struct {
	lock sync.Mutex
	of   map[string]*folder
}

// folderOf returns the state of a folder. Entries are never removed; an unused one is small.
func folderOf(path string) *folder {
	folders.lock.Lock()
	defer folders.lock.Unlock()
	f := folders.of[path]
	if f == nil {
		f = &folder{number: octree.NextSource(), users: map[uint64]int{}, doomed: map[uint64]bool{}}
		if folders.of == nil {
			folders.of = map[string]*folder{}
		}
		folders.of[path] = f
	}
	return f
}

// listing is a manifest with a reference count: its files are kept while it is referenced.
type listing struct {
	*manifest
	path  string
	of    *folder
	users int // number of editions
}

// open reads the manifest of the folder and retains its files.
func (f *folder) open(path string) (*listing, error) {
	f.writing.Lock() // prevents a Replace from removing a file in between
	defer f.writing.Unlock()
	m, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	return f.list(path, m), nil
}

// list retains the files of a manifest.
func (f *folder) list(path string, m *manifest) *listing {
	f.lock.Lock()
	defer f.lock.Unlock()
	for i := range m.rows {
		f.users[m.rows[i].File]++
	}
	return &listing{manifest: m, path: path, of: f}
}

// close drops a reference of an edition, or that of the creator if there is no other. It removes files that are no
// longer needed.
func (l *listing) close() error {
	f := l.of
	f.lock.Lock()
	var gone []uint64
	if l.users--; l.users <= 0 {
		for i := range l.rows {
			file := l.rows[i].File
			if f.users[file]--; f.users[file] > 0 {
				continue
			}
			delete(f.users, file)
			if f.doomed[file] {
				delete(f.doomed, file)
				gone = append(gone, file)
			}
		}
	}
	f.lock.Unlock()
	if len(gone) == 0 {
		return nil
	}
	// A directory that has been made again in the folder may have files with these names.
	now, err := readManifest(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // all files have been removed
	}
	if err != nil {
		return err
	}
	named := now.files()
	var errs []error
	for _, file := range gone {
		if named[file] {
			continue
		}
		if err := os.Remove(shardPath(l.path, file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// doom marks the files that a new manifest does not name any more for removal, as soon as they are unused.
func (f *folder) doom(old, now *manifest) {
	named := now.files()
	f.lock.Lock()
	defer f.lock.Unlock()
	for i := range old.rows {
		if file := old.rows[i].File; !named[file] {
			f.doomed[file] = true
		}
	}
}

// sweep removes files of shards that no manifest names and no listing has: leftovers of a process that was killed.
func (f *folder) sweep(path string, m *manifest) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	named := m.files()
	for _, e := range entries {
		file, ok := fileOf(e.Name())
		if !ok || named[file] {
			continue
		}
		f.lock.Lock()
		used := f.users[file] > 0
		f.lock.Unlock()
		if !used {
			err := os.Remove(filepath.Join(path, e.Name()))
			if err != nil && !errors.Is(err, os.ErrNotExist) { // a reader may have removed it
				return err
			}
		}
	}
	return nil
}
