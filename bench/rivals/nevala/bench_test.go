package nevala_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/nevala"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
)

func BenchmarkTree(b *testing.B) {
	for _, min := range []float32{0.25, 1, 4} {
		b.Run(fmt.Sprintf("min=%v", min), func(b *testing.B) {
			rivaltest.Bench(b, func() index.Index { return nevala.New(nevala.Config{MinSize: min}) })
		})
	}
}
