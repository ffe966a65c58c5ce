package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/zoctree/zoctree/internal/fault"
)

func TestErrorf(t *testing.T) {
	full := errors.New("soa: full")
	path := &fs.PathError{Op: "open", Path: "a: b", Err: fs.ErrNotExist}
	deep := fault.Errorf("linear: object %d: %w", 3, full)
	for _, c := range []struct {
		err  error
		want string
		is   []error
	}{
		{deep, "linear: object 3: full", []error{full}},
		{fault.Errorf("linear: change %d: %w", 1, deep), "linear: change 1: object 3: full", []error{full, deep}},
		{fault.Errorf("%w: %d live", full, 7), "soa: full: 7 live", []error{full}},
		{fault.Errorf("%w: %w: %d", deep, full, 7), "linear: object 3: full: full: 7", []error{full, deep}},
		{fault.Errorf("linear: %w", path), "linear: open a: b: file does not exist", []error{path, fs.ErrNotExist}},
		{fault.Errorf("part %d: %w", 2, fmt.Errorf("query: linear: twice")), "part 2: linear: twice", nil},
	} {
		if c.err.Error() != c.want {
			t.Errorf("%q, want %q", c.err, c.want)
		}
		for _, is := range c.is {
			if !errors.Is(c.err, is) {
				t.Errorf("%q is not %q", c.err, is)
			}
		}
	}
	var as *fs.PathError
	if !errors.As(fault.Errorf("linear: %w", path), &as) || as != path {
		t.Error("the wrapped error is not found by its type")
	}
}
