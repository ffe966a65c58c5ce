package points

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// column is a column of numbers to keep for every point.
type column struct {
	name   string  // in the options
	found  bool    // the file has the column
	now    float64 // value of the current point
	values []float64
}

// textColumn is a column of text to keep for every record of a CSV file.
type textColumn struct {
	name   string // in the options
	found  bool
	now    []byte
	values []string
}

// newColumns returns a column for each distinct name.
func newColumns(names []string) (all []column) {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(c column) bool { return c.name == name }) {
			all = append(all, column{name: name})
		}
	}
	return all
}

// newTexts returns a column of text for each distinct name.
func newTexts(names []string) (all []textColumn) {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(c textColumn) bool { return c.name == name }) {
			all = append(all, textColumn{name: name})
		}
	}
	return all
}

// claim returns the columns for a name of the file. If the file has the name twice, the error is the name alone.
func (k *collector) claim(name string) (which []int, err error) {
	for i := range k.columns {
		c := &k.columns[i]
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

// keepTexts appends the texts of a record that is kept.
func (k *collector) keepTexts() error {
	for i := range k.texts {
		c := &k.texts[i]
		if !c.found {
			continue
		}
		if k.textBytes += len(c.now); k.textBytes/textPerPoint > k.max {
			return fmt.Errorf("more than %d bytes of text, %d times Options.MaxPoints: raise that, or keep fewer Texts", textPerPoint*uint64(k.max), textPerPoint)
		}
		c.values = append(c.values, string(c.now))
	}
	return nil
}
