package prof

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/phase"
)

// Each hint appears if and only if its rule is broken.
func TestHints(t *testing.T) {
	report := func(parts map[phase.Phase]int64) *Report {
		r := &Report{}
		for p := range phase.Count {
			a := Amount{parts[p], parts[p]}
			r.Phases = append(r.Phases, Row{p.String(), a})
			r.Library.add(a)
		}
		r.Total = r.Library
		return r
	}
	even := map[phase.Phase]int64{}
	for p := range phase.Clear { // without the phases of occlusion, which are last
		even[p] = 100
	}
	still := with(with(even, phase.Flush, 0), phase.Refit, 0) // builds that no tick starts
	calm := Facts{Passes: 10, Tier: "avx2", Best: "avx2", Bytes: []Row{{"fill", Amount{1, 9 << 10}}}}
	looped := report(even)
	looped.Calls = []Call{{Name: "f", Caller: "g", Amount: Amount{24, 0}, Size: 64, Entry: 0.2}}
	for _, r := range []*Report{report(even), looped} {
		if got := Hints(r, calm); len(got) != 0 {
			t.Errorf("hints without cause: %v", got)
		}
	}
	for _, c := range []struct {
		want   string
		change func(r *Report, f *Facts)
	}{
		{"tier go (this machine has avx2)", func(r *Report, f *Facts) { f.Tier = "go" }},
		{"collector 10.0 % of all samples (above 5 %)", func(r *Report, f *Facts) { r.Collector.Samples = r.Total.Samples / 10 }},
		{"sort 50.0 %", func(r *Report, f *Facts) { *r = *report(with(still, phase.Sort, 900)) }},
		{"fill 69.0 %", func(r *Report, f *Facts) { *r = *report(with(still, phase.Fill, 2000)) }},
		{"encode, sort, topology and fill 61.9 %", func(r *Report, f *Facts) { *r = *report(with(even, phase.Encode, 1000)) }},
		{"ranges 3", func(r *Report, f *Facts) { *r = *report(with(even, phase.Ranges, 700)) }},
		{"walk nodes 6", func(r *Report, f *Facts) { *r = *report(with(even, phase.Nodes, 2200)) }},
		{"package runtime 25.0 %", func(r *Report, f *Facts) { r.Packages = []Row{{"runtime", Amount{300, 0}}} }},
		{"f 2.0 %", func(r *Report, f *Facts) {
			r.Calls = []Call{{Name: "f", Caller: "g", Amount: Amount{24, 0}, Size: 64, Entry: 0.3}}
		}},
		{"3072 bytes allocated a pass, 2048 of them by fill (1024 or more)", func(r *Report, f *Facts) {
			f.Bytes = []Row{{"sort", Amount{1, 10 << 10}}, {"fill", Amount{1, 20 << 10}}}
		}},
	} {
		r, f := report(even), calm
		c.change(r, &f)
		got := Hints(r, f)
		if len(got) != 1 || !strings.HasPrefix(got[0].String(), c.want) || got[0].Try == "" {
			t.Errorf("hints %v, want %q", got, c.want)
		}
	}
	few := report(map[phase.Phase]int64{phase.Ray: 400})
	if got := Hints(few, calm); len(got) != 1 || !strings.HasPrefix(got[0].String(), "400 samples of the library (fewer than 1000): a share is uncertain by up to 2.5") {
		t.Errorf("hints %v", got)
	}
	if got := Hints(report(nil), calm); len(got) != 1 {
		t.Errorf("hints on nothing: %v", got)
	}
}

func with(parts map[phase.Phase]int64, p phase.Phase, n int64) map[phase.Phase]int64 {
	all := map[phase.Phase]int64{}
	for q, m := range parts {
		all[q] = m
	}
	all[p] = n
	return all
}
