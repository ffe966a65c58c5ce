//go:build arm64 && !purego

package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/depth"
)

// Kernels load a lens as 24 words.
var (
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.Lo) - 4*3]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.X) - 4*6]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.Y) - 4*9]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.W) - 4*12]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.T) - 4*15]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.W1) - 4*18]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.EX) - 4*19]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.Least) - 4*23]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(depth.PictureLevel{}) - 32]struct{}{}
)
