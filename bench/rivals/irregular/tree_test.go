package irregular_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
)

func TestTree(t *testing.T) {
	for _, cfg := range []irregular.Config{
		{}, {SplitAbove: 2, Straddlers: 0.6}, {SplitAbove: 4, Straddlers: -1}, {SplitAbove: 3, Planes: 1}, {Planes: 2},
	} {
		t.Run(fmt.Sprintf("%+v", cfg), func(t *testing.T) {
			rivaltest.Run(t, func() index.Index { return irregular.New(cfg) })
		})
	}
}

func FuzzTree(f *testing.F) {
	rivaltest.Fuzz(f, func() index.Index { return irregular.New(irregular.Config{SplitAbove: 2}) })
}
