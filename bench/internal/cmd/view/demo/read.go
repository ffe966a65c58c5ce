package demo

import (
	"io"

	"github.com/zoctree/zoctree/bench/internal/input"
	"github.com/zoctree/zoctree/soa"
)

// read is all that this package knows of readers.
func read(name string, r io.Reader) (objects []soa.Object, about string, err error) {
	data, err := input.ReadFrom(r, name, input.Options{})
	if err != nil {
		return nil, "", err
	}
	return data.Objects, data.String(), nil
}
