package file

import (
	"io"

	"github.com/zoctree/zoctree/internal/atomicfile"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/regular"
)

// Read returns the bytes of a regular file, at most most. Its errors name the path.
func Read(path string, most int) ([]byte, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size := info.Size(); size > int64(most) {
		return nil, fault.Errorf("%s: %w", path, NotSound("a file of %d bytes, at most %d are read", size, most))
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, fault.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// Save replaces the file at path atomically, as [atomicfile.Save] does. An error of write is
// returned unchanged; all other errors name the package and the path.
func Save(path string, write func(w io.Writer) error) error {
	var failed error
	err := atomicfile.Save(path, func(w io.Writer) error {
		failed = write(w)
		return failed
	})
	if err != nil && failed == nil {
		return fault.Errorf("linear: saving %s: %w", path, err)
	}
	return err
}
