package linear

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// folder is what the directories of a process that are in one folder know of each other: which
// files somebody may still open.
type folder struct {
	number  uint64     // for stamps
	writing sync.Mutex // of Replace

	lock   sync.Mutex      // of what follows, and of the holds of listings and shards
	users  map[uint64]int  // listings that have a file of shards
	doomed map[uint64]bool // files that no manifest names any more
}

var folders struct {
	lock sync.Mutex
	of   map[string]*folder
}

// folderOf returns what is known of a folder. One that is not used any more is small.
func folderOf(path string) *folder {
	folders.lock.Lock()
	defer folders.lock.Unlock()
	f := folders.of[path]
	if f == nil {
		f = &folder{number: nextSource(), users: map[uint64]int{}, doomed: map[uint64]bool{}}
		if folders.of == nil {
			folders.of = map[string]*folder{}
		}
		folders.of[path] = f
	}
	return f
}

// listing is a manifest whose files stay as long as somebody holds it.
type listing struct {
	*manifest
	path  string
	of    *folder
	users int // editions
}

// open reads the manifest of the folder and holds it.
func (f *folder) open(path string) (*listing, error) {
	f.writing.Lock() // no Replace removes a file in between
	defer f.writing.Unlock()
	m, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	return f.list(path, m), nil
}

// list holds the files of a manifest.
func (f *folder) list(path string, m *manifest) *listing {
	f.lock.Lock()
	defer f.lock.Unlock()
	for i := range m.rows {
		f.users[m.rows[i].File]++
	}
	return &listing{manifest: m, path: path, of: f}
}

// close ends a hold, or that of who made it if there is no other. Files that nobody needs any
// more are removed.
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
	// A directory that has been made anew in the folder may have files of these names.
	now, err := readManifest(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // all is gone
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

// doom has the files removed that a new manifest does not name any more, as soon as nobody
// needs them.
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

// sweep removes files of shards that neither a manifest names nor a listing has: what a
// process that died has left.
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
			if err != nil && !errors.Is(err, os.ErrNotExist) { // a reader may have done it
				return err
			}
		}
	}
	return nil
}
