package walk_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit/trees"
)

var (
	plant    = trees.Plant
	infinity = float32(math.Inf(1))
)

func failed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
