package snap

import (
	"io"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/regular"
)

// OpenMapped opens a file by mapping it into memory; on systems without memory mapping it reads the file. It also
// returns the file, which is to be closed, with an error that is not one of mapping it.
func OpenMapped(path string) (*File, error) {
	b, end, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	f, err := FromBytes(b)
	if err != nil {
		f = new(File)
	}
	f.Path, f.End = path, end
	return f, err
}

// Close unmaps a mapped file. A second call does nothing.
func (f *File) Close() error {
	end := f.End
	if f.End = nil; end == nil {
		return nil
	}
	return end()
}

// ReadFile returns the bytes of a regular file, at most most. Its errors name the path.
func ReadFile(path string, most int) ([]byte, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size := info.Size(); size > int64(most) {
		return nil, fault.Errorf("%s: %w", path, damaged("a file of %d bytes, at most %d are read", size, most))
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, fault.Errorf("%s: %w", path, err)
	}
	return b, nil
}
