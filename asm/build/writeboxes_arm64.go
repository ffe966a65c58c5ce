//go:build arm64 && !purego

package build

import (
	"math"

	"github.com/zoctree/zoctree/internal/cpu"
)

//go:noinline
func (w *writeArgs) write() (written, away uint32) {
	if cpu.Active == cpu.NEON && w.limit > 0 && w.limit <= math.MaxUint32 {
		return writeBoxesNEON(w)
	}
	return w.writeGo()
}

//go:noescape
func writeBoxesNEON(w *writeArgs) (written, away uint32)
