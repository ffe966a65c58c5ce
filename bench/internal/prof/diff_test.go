package prof

import (
	"math"
	"testing"
)

func TestDiff(t *testing.T) {
	old := []Row{{"same", Amount{Samples: 500}}, {"grown", Amount{Samples: 300}}, {"gone", Amount{Samples: 100}}, {"noise", Amount{Samples: 100}}}
	now := []Row{{"same", Amount{Samples: 1000}}, {"grown", Amount{Samples: 780}}, {"noise", Amount{Samples: 220}}}
	list := Diff(old, now, Amount{Samples: 1000}, Amount{Samples: 2000}, 10, 20)
	real := map[string]bool{"grown": true, "gone": true}
	for _, c := range list {
		if c.Moved() != real[c.Name] {
			t.Errorf("%+v: real %v", c, c.Moved())
		}
	}
	if len(list) != 4 || list[0].Name != "same" || list[3].Name != "gone" || list[0].Share != 0 || list[0].Time != 0 {
		t.Errorf("%+v", list)
	}
	// 0.39 against 0.30 with the pooled share 0.36.
	if want := 0.09 / math.Sqrt(0.36*0.64*(1.0/1000+1.0/2000)); math.Abs(list[1].Share-want) > 1e-9 {
		t.Errorf("z of shares %v, want %v", list[1].Share, want)
	}
	// 39 against 30 a pass, 36 in the mean.
	if want := 9 / math.Sqrt(36*(1.0/10+1.0/20)); math.Abs(list[1].Time-want) > 1e-9 {
		t.Errorf("z of rates %v, want %v", list[1].Time, want)
	}
	if list = Diff(old, now, Amount{Samples: 1000}, Amount{}, 0, 5); list[1].Share != 0 || !math.IsNaN(list[1].Time) || list[1].Moved() {
		t.Errorf("nothing to compare: %+v", list[1])
	}
	if kept := Most(Diff(old, now, Amount{Samples: 1000}, Amount{Samples: 2000}, 0, 0), 2); len(kept) != 2 || kept[0].Name != "grown" || kept[1].Name != "gone" {
		t.Errorf("kept %+v", kept)
	}
}
