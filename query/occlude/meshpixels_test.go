package occlude_test

import (
	"testing"

	"github.com/zoctree/zoctree/query/occlude"
)

// A point touches the columns whose squares are at most GridOff away from it.
func TestTouchedPixels(t *testing.T) {
	for x := int32(-1000); x <= 1000; x++ {
		x0, x1 := occlude.Touched(x)
		for n := int32(-6); n <= 6; n++ {
			left, right := n*occlude.GridSteps-occlude.GridOff, (n+1)*occlude.GridSteps+occlude.GridOff
			if want := left <= x && x <= right; want != (x0 <= n && n <= x1) {
				t.Fatalf("step %d touches columns %d to %d; column %d: %v", x, x0, x1, n, want)
			}
		}
	}
}
