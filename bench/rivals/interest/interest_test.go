package interest

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// All forms report the same, and the table has a row for each.
func TestInterest(t *testing.T) {
	out := commandtest.Bench{Command}.Good(t, "interest", "-n", "2k,5k", "-frames", "3", "-format", "tsv")
	for _, f := range forms {
		if n := strings.Count("\n"+out, "\n"+f.name+"\t"); n != 2 {
			t.Errorf("%d rows of %s in\n%s", n, f.name, out)
		}
	}
}

// A differing result of a form is found.
func TestInterestDiffers(t *testing.T) {
	whole := forms[2].update
	defer func() { forms[2].update = whole }()
	forms[2].update = func(m *simulation) {
		whole(m)
		m.lists.left[3] = append(m.lists.left[3], 7)
	}
	if must.Catch(func() { race(2000, 100, &versus.Interest{Frames: 1}) }) == nil {
		t.Error("no error for a wrong digest")
	}
}
