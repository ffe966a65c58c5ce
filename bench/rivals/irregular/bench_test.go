package irregular_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
)

func BenchmarkTree(b *testing.B) {
	for _, straddlers := range []float64{0.1, 0.25, 0.5, 1} {
		b.Run(fmt.Sprintf("straddlers=%v", straddlers), func(b *testing.B) {
			rivaltest.Bench(b, func() index.Index { return irregular.New(irregular.Config{Straddlers: straddlers}) })
		})
	}
}
