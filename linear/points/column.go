package points

import (
	"errors"
	"slices"
	"strings"
)

// column is a number to keep of every point.
type column struct {
	name   string // in the options
	found  bool   // the file has it
	values []float64
}

// newColumns returns a column for each name, once.
func newColumns(names []string) (all []column) {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(c column) bool { return c.name == name }) {
			all = append(all, column{name: name})
		}
	}
	return all
}

// claim returns the columns that a name of the file is for. The error is the name alone, when
// the file has it twice.
func claim(columns []column, name string) (which []int, err error) {
	for i := range columns {
		c := &columns[i]
		if !strings.EqualFold(c.name, name) {
			continue
		}
		if c.found {
			return nil, errors.New(name)
		}
		c.found = true
		which = append(which, i)
	}
	return which, nil
}

// setColumns takes the columns that the file has.
func (c *Cloud) setColumns(columns []column) {
	c.Columns = map[string][]float64{}
	for _, k := range columns {
		if k.found {
			c.Columns[k.name] = k.values
		}
	}
}
