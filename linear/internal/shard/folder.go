package shard

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/zoctree/zoctree/linear/internal/octree"
)

// Folder is the shared state of the directories of a process in one folder: the files that must not be removed yet.
type Folder struct {
	Number  uint64     // for stamps
	Writing sync.Mutex // serializes Replace

	Lock   sync.Mutex      // guards the fields below, and the reference counts of listings and shards
	users  map[uint64]int  // number of listings with a file, by file number
	doomed map[uint64]bool // files that no manifest names any more
}

var folders struct {
	lock sync.Mutex
	of   map[string]*Folder
}

// FolderOf returns the state of a folder. Entries are never removed; an unused one is small.
func FolderOf(path string) *Folder {
	folders.lock.Lock()
	defer folders.lock.Unlock()
	f := folders.of[path]
	if f == nil {
		f = &Folder{Number: octree.NextSource(), users: map[uint64]int{}, doomed: map[uint64]bool{}}
		if folders.of == nil {
			folders.of = map[string]*Folder{}
		}
		folders.of[path] = f
	}
	return f
}

// Listing is a manifest with a reference count: its files are kept while it is referenced.
type Listing struct {
	*Manifest
	path  string
	Of    *Folder
	Users int // number of editions
}

// Open reads the manifest of the folder and retains its files.
func (f *Folder) Open(path string) (*Listing, error) {
	f.Writing.Lock() // prevents a Replace from removing a file in between
	defer f.Writing.Unlock()
	m, err := ReadManifest(path)
	if err != nil {
		return nil, err
	}
	return f.List(path, m), nil
}

// List retains the files of a manifest.
func (f *Folder) List(path string, m *Manifest) *Listing {
	f.Lock.Lock()
	defer f.Lock.Unlock()
	for i := range m.Rows {
		f.users[m.Rows[i].File]++
	}
	return &Listing{Manifest: m, path: path, Of: f}
}

// Close drops a reference of an edition, or that of the creator if there is no other. It removes files that are no
// longer needed.
func (l *Listing) Close() error {
	f := l.Of
	f.Lock.Lock()
	var gone []uint64
	if l.Users--; l.Users <= 0 {
		for i := range l.Rows {
			file := l.Rows[i].File
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
	f.Lock.Unlock()
	if len(gone) == 0 {
		return nil
	}
	// A directory that has been made again in the folder may have files with these names.
	now, err := ReadManifest(l.path)
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
		if err := os.Remove(Path(l.path, file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// doom marks the files that a new manifest does not name any more for removal, as soon as they are unused.
func (f *Folder) doom(old, now *Manifest) {
	named := now.files()
	f.Lock.Lock()
	defer f.Lock.Unlock()
	for i := range old.Rows {
		if file := old.Rows[i].File; !named[file] {
			f.doomed[file] = true
		}
	}
}

// sweep removes files of shards that no manifest names and no listing has: leftovers of a process that was killed.
func (f *Folder) sweep(path string, m *Manifest) error {
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
		f.Lock.Lock()
		used := f.users[file] > 0
		f.Lock.Unlock()
		if !used {
			err := os.Remove(filepath.Join(path, e.Name()))
			if err != nil && !errors.Is(err, os.ErrNotExist) { // a reader may have removed it
				return err
			}
		}
	}
	return nil
}
