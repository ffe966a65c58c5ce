package query

import (
	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/query/internal/exact"
)

// Relation is the position of a box relative to a volume: the result of the test of a [Func].
type Relation uint8

// The relations of a box.
const (
	Outside = Relation(exact.Outside) // no point of the box is in the volume
	Partly  = Relation(exact.Partly)  // it crosses the border, or the test does not decide
	Inside  = Relation(exact.Inside)  // every point of the box is in the volume
)

// String returns "outside", "partly" or "inside".
func (r Relation) String() string { return enum.Name(uint8(r), "outside", "partly", "inside") }

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (r Relation) MarshalText() ([]byte, error) { return enum.Marshal("query", r) }

// UnmarshalText reads a text of MarshalText. Another text is an error, and the value is unchanged.
func (r *Relation) UnmarshalText(text []byte) error { return enum.Unmarshal("query", r, text) }
