package walk_test

import (
	"math"

	"github.com/zoctree/zoctree/internal/testkit/trees"
)

var (
	plant    = trees.Plant
	infinity = float32(math.Inf(1))
)
