package prof

import (
	"runtime"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
)

func TestCalls(t *testing.T) {
	m := newMaker("cpu", "nanoseconds")
	run := "build.go lib/linear/internal/octree.(*job).run"
	m.add(50, "", "home.go lib/linear.(*Tree).tiny@1003", run, mainFrame)
	m.add(10, "", "home.go lib/linear.(*Tree).tiny@1100", run, mainFrame)
	m.add(20, "", "preempt.go runtime.asyncPreempt@99", "home.go lib/linear.(*Tree).tiny@1100", run, mainFrame)
	m.add(20, "", "home.go lib/linear.(*Tree).tiny@1100", collect, mainFrame)
	m.add(200, "", "home.go lib/linear.(*Tree).long@5000", run, mainFrame)                              // too long
	m.add(60, "", "home.go lib/linear.(*Tree).busy@3000", run, mainFrame)                               // half of it is in its callees
	m.add(60, "", nodesKernel+"@9000", "home.go lib/linear.(*Tree).busy@3000", run, mainFrame)          // a kernel cannot be inlined
	m.add(90, "", "home.go lib/linear.inlined <- home.go lib/linear.(*Tree).long@5004", run, mainFrame) // is inlined
	m.add(4, "", "home.go lib/linear.seldom@7000", run, mainFrame)                                      // below 1 %
	m.add(90, "", "motion.go lib/bench.small@8000", mainFrame)                                          // not the library's
	size := func(address uint64) (uint64, int) {
		start := address / 1000 * 1000
		if start == 5000 {
			return start, 900
		}
		return start, 120
	}
	r := must.Get(Read(m.p, size))
	want := []Call{{
		Name: module + "linear.(*Tree).tiny", Caller: module + "linear/internal/octree.(*job).run", Amount: Amount{100, 1000}, Size: 120, Entry: 0.5,
	}}
	if !slices.Equal(r.Calls, want) {
		t.Errorf("calls %+v, want %+v", r.Calls, want)
	}
}

func TestRuntimeSize(t *testing.T) {
	pc, _, _, _ := runtime.Caller(0)
	entry, size := RuntimeSize(uint64(pc))
	if entry >= uint64(pc) || entry+uint64(size) <= uint64(pc) || size < 16 {
		t.Errorf("%d bytes from %#x on do not hold %#x", size, entry, pc)
	}
	if e, n := RuntimeSize(entry); e != entry || n != size {
		t.Errorf("%d bytes from %#x on, and %d from %#x on", size, entry, n, e)
	}
	if _, n := RuntimeSize(1); n != 0 {
		t.Errorf("%d bytes where there is no function", n)
	}
}
