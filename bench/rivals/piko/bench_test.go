package piko_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/piko"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
)

// The defaults are a good choice among these.
func BenchmarkTree(b *testing.B) {
	for _, cfg := range []piko.Config{
		{}, {SplitAbove: 8}, {SplitAbove: 16}, {SplitAbove: 64},
		{Enlarge: -1}, {Enlarge: 50}, {Enlarge: 100},
		{Middle: true}, {Enlarge: -1, Middle: true},
	} {
		name := fmt.Sprintf("split=%d/enlarge=%v/middle=%v", cfg.SplitAbove, cfg.Enlarge, cfg.Middle)
		b.Run(name, func(b *testing.B) { rivaltest.Bench(b, func() index.Index { return piko.New(cfg) }) })
	}
}
