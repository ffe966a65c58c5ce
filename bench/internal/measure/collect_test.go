package measure

import (
	"math/bits"
	"runtime"
	"testing"
)

// A list of pointers is scanned by the collector, a column of numbers is not.
func TestCollect(t *testing.T) {
	none := Collect(3)
	if !(none.Median > 0 && none.Worst >= none.Median && none.Mark >= 0 && none.Scan > 0) {
		t.Errorf("%+v", none)
	}
	numbers := make([]uint64, 1<<20)
	flat := Collect(3)
	pointers := make([]*int, 1<<20)
	for i := range pointers {
		pointers[i] = new(int)
	}
	deep := Collect(3)
	runtime.KeepAlive(numbers)
	runtime.KeepAlive(pointers)
	if more := flat.Scan - none.Scan; more > 1<<20 {
		t.Errorf("a million numbers add %v bytes to scan", more)
	}
	if more := deep.Scan - flat.Scan; more < bits.UintSize/8*1_000_000 { // of 1,048,576
		t.Errorf("a million pointers add %v bytes to scan", more)
	}
}
