package piko_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/piko"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
)

func TestTree(t *testing.T) {
	for _, cfg := range []piko.Config{
		{},
		{SplitAbove: 4, Enlarge: -1, OutsideAbove: -1},
		{SplitAbove: 8, MergeBelow: 8, Enlarge: 20, OutsideAbove: 2, OutsideShare: 0.05, Middle: true},
		{SplitAbove: 1, MergeBelow: 1, Enlarge: 100},
	} {
		t.Run(fmt.Sprintf("%+v", cfg), func(t *testing.T) {
			rivaltest.Run(t, func() index.Index { return piko.New(cfg) })
		})
	}
}

func FuzzTree(f *testing.F) {
	rivaltest.Fuzz(f, func() index.Index { return piko.New(piko.Config{SplitAbove: 3, OutsideAbove: 2}) })
}
