package demo

import (
	"fmt"
	"io"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/input"
	"github.com/zoctree/zoctree/soa"
)

// read is the only use of file formats in this package.
func read(name string, r io.Reader) (objects []soa.Object, about string, err error) {
	data, err := input.ReadFrom(r, name, input.Options{})
	if err != nil {
		return nil, "", err
	}
	about = fmt.Sprintf("%s, %v", data.Format, data.Kind)
	if len(data.Skipped) > 0 {
		about += "; skipped " + strings.Join(data.Skipped, ", ")
	}
	return data.Objects, about, nil
}
