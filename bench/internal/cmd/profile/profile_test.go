package profile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/cmd/replay"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/prof"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/testkit"
)

var bench = commandtest.Bench{Command, Tree, replay.Export}

// Every workload runs, prints its tables, and leaves labels off.
func TestProfile(t *testing.T) {
	for _, c := range workloads {
		out := bench.Good(t, "profile", "-workload", c.name, "-n", "500", "-instances", "25", "-seconds", "0.03", "-workers", "2")
		for _, word := range []string{"machine ", "workload " + c.name, "samples ", "phase  ", "sum  ", "hint  "} {
			if !strings.Contains(out, word) {
				t.Errorf("%s: no %q in\n%s", c.name, word, out)
			}
		}
	}
	if phase.Enable(false) {
		t.Error("labels are still on")
	}
}

// A scene reports the queries' use of instances, and the visits of each part; without instances it is
// rejected.
func TestProfileScene(t *testing.T) {
	out := bench.Good(t, "profile", "-workload", "scene", "-n", "2000", "-instances", "50", "-seconds", "0.03")
	for _, pattern := range []string{
		`instances, 2000 objects in 50 instances of 20 parts, seed 1`,
		`(?m)^frustum +16 +[1-9]`, `(?m)^box +100 +[0-9.]+ +`, `(?m)^ray +100 +[1-9]`,
		`(?m)^boxes +1 +50 +[1-9]`, `(?m)^20 +[1-9]\d* +60 +\d+ +\d+$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(out) {
			t.Errorf("no %s in\n%s", pattern, out)
		}
	}
	for _, args := range [][]string{{"-instances", "0"}, {"-n", "9", "-instances", "10"}} {
		if o := bench.Do(append([]string{"profile", "-workload", "scene"}, args...)...); o.Code != 2 || !strings.Contains(o.Errs, "-instances") {
			t.Errorf("%v: exit code %d, errors %q", args, o.Code, o.Errs)
		}
	}
}

// A saved profile can be read again: by far the most samples have a label, the phases add up to the
// library, and a profile does not differ from itself.
func TestProfileFile(t *testing.T) {
	if testing.Short() {
		t.Skip("profiles for a second")
	}
	dir := t.TempDir()
	cpu, heap := filepath.Join(dir, "cpu.pb.gz"), filepath.Join(dir, "heap.pb.gz")
	out := bench.Good(t, "profile", "-workload", "build", "-n", "30000", "-seconds", "1", "-workers", "2", "-o", cpu, "-heap", heap)
	p := must.Get(prof.Load(cpu))
	if run := originOf(p.Comments); run.workload != "build" || run.passes == 0 || run.workers != 2 || !run.same(run) {
		t.Errorf("comments %q: %+v", p.Comments, run)
	}
	r := must.Get(prof.Read(p, nil))
	if r.Library.Samples == 0 {
		t.Skip("this system records no samples")
	}
	sum, labelled := int64(0), int64(0)
	for _, row := range r.Phases {
		if _, ok := phase.Named(row.Name); ok {
			sum += row.Samples
		}
	}
	for _, s := range p.Sample {
		if l := s.Label[phase.Key]; len(l) > 0 {
			labelled += s.Value[0]
			if p, ok := phase.Named(l[0]); !ok || len(s.Label[phase.OpKey]) != 1 || s.Label[phase.OpKey][0] != p.Op() {
				t.Errorf("a sample with the labels %v", s.Label)
			}
		}
	}
	// One sample is the resolution of one per cent of few.
	if off := r.Library.Samples - sum; off > 1+r.Library.Samples/100 || off < 0 {
		t.Errorf("the phases have %d of %d samples of the library", sum, r.Library.Samples)
	}
	if labelled*10 < r.Library.Samples*8 {
		t.Errorf("%d of %d samples have a label", labelled, r.Library.Samples)
	}
	if !regexp.MustCompile(`(?m)^work +build [0-9.]+ %`).MatchString(out) {
		t.Errorf("no share of the operation build:\n%s", out)
	}
	if !regexp.MustCompile(`(?m)^fill +[0-9.]+ % +[0-9.]+ +[0-9]+ +[1-9][0-9]{4,}$`).MatchString(out) {
		t.Errorf("no bytes in the phase fill:\n%s", out)
	}
	if !testkit.Long(t) {
		t.Log("go tool pprof, which the go command compiles first, reads the profile in the long form only")
	} else if out, err := exec.Command("go", "tool", "pprof", "-top", "-tagfocus=phase=fill", cpu).CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		t.Log("no go command to open the profile with")
	} else if err != nil || !strings.Contains(string(out), "octree.(*job).fill") {
		t.Errorf("go tool pprof: %v\n%s", err, out)
	}
	h := must.Get(prof.Load(heap))
	if _, bytes, err := prof.Bytes(h); err != nil || bytes.Value < 1<<20 {
		t.Errorf("heap profile: %+v, %v", bytes, err)
	}

	out = bench.Good(t, "profile", "-workload", "motion", "-n", "300", "-seconds", "0.03", "-base", cpu)
	if !strings.Contains(out, "not the same work") || !strings.Contains(out, "verdict") {
		t.Errorf("another workload:\n%s", out)
	}
}

func TestProfileBase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "base.pb.gz")
	args := []string{"profile", "-workload", "pairs", "-n", "2000", "-seconds", "0.05"}
	bench.Good(t, append(args, "-o", file)...)
	out := bench.Good(t, append(args, "-base", file)...)
	if !strings.Contains(out, "against  "+file+": pairs") || strings.Contains(out, "not the same work") {
		t.Errorf("the same workload:\n%s", out)
	}
	must.Do(os.WriteFile(file, []byte("no profile"), 0o666))
	for _, args := range [][]string{{"profile", "-base", file}, {"profile", "-base", file + "x"}, {"profile", "-n", "9", "-seconds", "0.01", "-o", filepath.Join(file, "x")}} {
		if o := bench.Do(args...); o.Code != 1 || !strings.Contains(o.Errs, file) {
			t.Errorf("bench %v: exit code %d, errors %q", args, o.Code, o.Errs)
		}
	}
}

func TestOrigin(t *testing.T) {
	o := origin{"frame", "uniform, 7 objects, seed 1", "go", 2, 30}
	if got := originOf(o.comments()); got != o {
		t.Errorf("%+v, want %+v", got, o)
	}
	if got := originOf([]string{"", "passes", "passes -3", "from elsewhere"}); got != (origin{}) {
		t.Errorf("%+v without comments", got)
	}
	p := o
	p.tier, p.passes = "avx2", 4
	if !o.same(p) {
		t.Error("runs on different tiers count as different workloads")
	}
	if p.passes = 0; o.same(p) {
		t.Error("runs without passes can be compared")
	}
}

// The verdicts match the counts.
func TestCompareVerdicts(t *testing.T) {
	var out strings.Builder
	r := &profiler{report: report.New(&out, report.Text, "profile"), base: "old"}
	part := func(name string, n int64) prof.Row {
		return prof.Row{Name: name, Amount: prof.Amount{Samples: n, Value: n * 1e7}}
	}
	now := &prof.Report{Library: part("", 2000).Amount, Phases: []prof.Row{part("sort", 1000), part("fill", 1000)}, Packages: []prof.Row{part("linear", 2000)}}
	run := origin{"build", "x", "go", 1, 100}
	old := func(sort, fill int64) *prof.Report {
		all := part("", sort+fill).Amount
		return &prof.Report{Library: all, Phases: []prof.Row{part("sort", sort), part("fill", fill)}, Packages: []prof.Row{{Name: "linear", Amount: all}}}
	}
	r.compare(now, old(1010, 700), run, run)
	for name, verdict := range map[string]string{"sort": "real", "fill": "real", "library": "real"} {
		if !regexp.MustCompile(`(?m)^` + name + ` .* ` + verdict + `$`).MatchString(out.String()) {
			t.Errorf("%s is not %s in\n%s", name, verdict, out.String())
		}
	}
	out.Reset()
	r.compare(now, old(990, 1020), run, run)
	if strings.Contains(out.String(), "real") || strings.Count(out.String(), "chance") < 3 {
		t.Errorf("noise is reported as a change in\n%s", out.String())
	}
}
