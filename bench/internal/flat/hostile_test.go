package flat

import (
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
)

// zeros is a reader of a number of zero bytes that samples the heap now and then.
type zeros struct {
	left, read int64
	live       uint64 // most bytes at a time
}

func (z *zeros) Read(p []byte) (int, error) {
	n := min(int64(len(p)), z.left)
	if n == 0 {
		return 0, io.EOF
	}
	if z.read>>23 != (z.read+n)>>23 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		z.live = max(z.live, stats.HeapAlloc)
	}
	z.left, z.read = z.left-n, z.read+n
	clear(p[:n])
	return int(n), nil
}

// Records of 64 KiB with 12 bytes that are kept, and fewer records than the header says.
func TestHostilePadding(t *testing.T) {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	const records = 1000
	z := &zeros{left: records * MaxStride}
	_, err := ReadPoints(io.MultiReader(strings.NewReader(string(file(Points, math.MaxUint32, MaxStride, 0, 0))), z), "file")
	if err == nil || !strings.Contains(err.Error(), "file ends in record 1000 of 4294967295") {
		t.Errorf("error %v", err)
	}
	if z.live == 0 || z.live > stats.HeapAlloc+2<<20 {
		t.Errorf("%d bytes allocated, %d before", z.live, stats.HeapAlloc)
	}
}
