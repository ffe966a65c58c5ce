package lab

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// In no situation do queries visit much more than in a new tree that is cut in space: after one tick, and before it,
// unless many objects move far at once, new ones are pending or the tree is not cut yet.
func TestSituations(t *testing.T) {
	all := Situations()
	for i, x := range all {
		if !testkit.Long(t) && i%14 != 0 && !x.uncut {
			continue
		}
		o := x.Run(testkit.Seed(t), 20_000)
		t.Logf("%s: %.2f before, %.2f after a tick", x.Name, o.Before, o.After)
		if strings.Contains(x.Name, "incremental") {
			continue // it is never rebuilt
		}
		if o.After > 1.5 {
			t.Errorf("%s: %.2f times the visits of a new tree after a tick", x.Name, o.After)
		}
		if x.ticks && !x.uncut && x.Far <= 0.1 && !strings.HasPrefix(x.Name, "stream") && !strings.Contains(x.Name, "refit") && o.Before > 2.2 {
			t.Errorf("%s: %.2f times the visits of a new tree before a tick", x.Name, o.Before)
		}
		if o.Before < 0.9 || o.Time <= 0 || o.Change <= 0 {
			t.Errorf("%s: measured nothing: %+v", x.Name, o)
		}
	}
}
