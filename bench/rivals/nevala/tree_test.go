package nevala_test

import (
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/nevala"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
)

func empty() index.Index { return nevala.New(nevala.Config{}) }

func TestTree(t *testing.T) { rivaltest.Run(t, empty) }

func TestSmallCubes(t *testing.T) {
	rivaltest.Run(t, func() index.Index { return nevala.New(nevala.Config{MinSize: 1e-6}) })
}

func FuzzTree(f *testing.F) { rivaltest.Fuzz(f, empty) }
