package prof

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/phase"
)

// maker makes profiles by hand.
type maker struct {
	p         *profile.Profile
	functions map[string]*profile.Function
	locations map[string]*profile.Location
}

func newMaker(kind, unit string) *maker {
	return &maker{&profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: kind, Unit: unit}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:     1e7,
	}, map[string]*profile.Function{}, map[string]*profile.Location{}}
}

// function returns the function of "path/file.go function", whose name begins
// with lib/ for the module.
func (m *maker) function(spec string) *profile.Function {
	if f := m.functions[spec]; f != nil {
		return f
	}
	file, name, _ := strings.Cut(spec, " ")
	f := &profile.Function{
		ID: uint64(len(m.p.Function) + 1), Name: strings.Replace(name, "lib/", module, 1), SystemName: name, Filename: "/src/" + file,
	}
	m.functions[spec] = f
	m.p.Function = append(m.p.Function, f)
	return f
}

// add adds samples with a stack, innermost first; a frame "a <- b" is a inlined
// into b; "@16" after a frame puts it at an address.
func (m *maker) add(samples int64, label string, stack ...string) {
	s := &profile.Sample{Value: []int64{samples, samples * 10}}
	if label != "" {
		s.Label = map[string][]string{phase.Key: {label}}
	}
	for _, spec := range stack {
		l := m.locations[spec]
		if l == nil {
			l = &profile.Location{ID: uint64(len(m.p.Location) + 1)}
			calls, at, _ := strings.Cut(spec, "@")
			for _, c := range at {
				l.Address = 10*l.Address + uint64(c-'0')
			}
			for _, one := range strings.Split(calls, " <- ") {
				l.Line = append(l.Line, profile.Line{Function: m.function(one), Line: 1})
			}
			m.locations[spec] = l
			m.p.Location = append(m.p.Location, l)
		}
		s.Location = append(s.Location, l)
	}
	m.p.Sample = append(m.p.Sample, s)
}

const (
	mainFrame   = "main.go main.main"
	collect     = "walk.go lib/query/internal/walk.(*Walk).Collect"
	nodesKernel = "volume_frustum_amd64.s lib/asm/cull.volumeNodesFrustumAVX512.abi0"
	nodesCall   = "volume.go lib/asm/cull.(*Volume).Nodes"
)

// known is a profile of 1,000 samples whose parts are known.
func known() *profile.Profile {
	m := newMaker("cpu", "nanoseconds")
	m.add(300, "walk nodes", nodesKernel, nodesCall+" <- "+collect, mainFrame)
	m.add(200, "walk packets", "volume_frustum_amd64.s lib/asm/cull.volumePacketsFrustumAVX512.abi0", collect, mainFrame)
	m.add(60, "sort", "pass.go lib/internal/radix.scatter", "build.go lib/linear/internal/octree.(*job).run", mainFrame)
	m.add(40, "sort", "preempt_amd64.s runtime.asyncPreempt", "pass.go lib/internal/radix.scatter", "build.go lib/linear/internal/octree.(*job).run", mainFrame)
	m.add(50, "fill", "mbarrier.go runtime.gcAssistAlloc", "malloc.go runtime.mallocgc", "build.go lib/linear/internal/octree.(*job).fill", mainFrame)
	m.add(30, "", "emit.go lib/asm/cull.EmitIDs", "walk.go lib/query/internal/walk.(*Walk).Append", mainFrame) // no label: by its stack
	m.add(20, "", "stats.go lib/linear.(*Tree).Stats", mainFrame)
	m.add(0, "ray", "raywalk.go lib/query/internal/walk.(*Cast).testPacket", mainFrame)
	m.add(250, "", "mgc.go runtime.gcDrain", "mgc.go runtime.gcBgMarkWorker")
	m.add(40, "", "motion.go lib/bench/internal/prof.busy", mainFrame)
	m.add(10, "", "testkit.go lib/internal/testkit.Seed", mainFrame)
	return m.p
}

// The shares of a profile whose parts are known are reported exactly.
func TestKnown(t *testing.T) {
	r := must.Get(Read(known(), nil))
	for _, c := range []struct {
		what      string
		got, want Amount
	}{
		{"total", r.Total, Amount{1000, 10000}},
		{"library", r.Library, Amount{700, 7000}},
		{"collector", r.Collector, Amount{300, 3000}},
		{"assist", r.Assist, Amount{50, 500}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, c.got, c.want)
		}
	}
	want := map[string]int64{"walk nodes": 300, "walk packets": 200, "sort": 100, "fill": 50, "ranges": 30, other: 20}
	sum := int64(0)
	for _, row := range r.Phases {
		if row.Samples != want[row.Name] || row.Value != 10*want[row.Name] {
			t.Errorf("phase %s: %+v, want %d", row.Name, row.Amount, want[row.Name])
		}
		sum += row.Samples
	}
	if len(r.Phases) != int(phase.Count)+1 || sum != r.Library.Samples {
		t.Errorf("%d phases have %d samples of %d", len(r.Phases), sum, r.Library.Samples)
	}
	if want := []Row{{"volumeNodesFrustumAVX512", Amount{300, 3000}}, {"volumePacketsFrustumAVX512", Amount{200, 2000}}}; !slices.Equal(r.Kernels, want) {
		t.Errorf("kernels %+v, want %+v", r.Kernels, want)
	}
	if want := []Row{
		{"asm/cull", Amount{530, 5300}}, {"internal/radix", Amount{100, 1000}}, {"runtime", Amount{50, 500}}, {"linear", Amount{20, 200}},
		{"query/internal/walk", Amount{}},
	}; !slices.Equal(r.Packages, want) {
		t.Errorf("packages %+v, want %+v", r.Packages, want)
	}
}

// A profile is written and read without a change of the report.
func TestReadWritten(t *testing.T) {
	var file strings.Builder
	p := known()
	must.Do(p.Write(&file))
	q := must.Get(profile.Parse(strings.NewReader(file.String())))
	a := must.Get(Read(p, nil))
	b := must.Get(Read(q, nil))
	if a.Total != b.Total || !slices.Equal(a.Phases, b.Phases) || !slices.Equal(a.Kernels, b.Kernels) || !slices.Equal(a.Packages, b.Packages) {
		t.Errorf("%+v before, %+v after", a, b)
	}
}

func TestReadWrongKind(t *testing.T) {
	if _, err := Read(newMaker("alloc_space", "bytes").p, nil); err == nil {
		t.Error("a heap profile is read as a CPU profile")
	}
	if _, _, err := Bytes(known()); err == nil {
		t.Error("a CPU profile is read as a heap profile")
	}
}

func TestBytes(t *testing.T) {
	m := newMaker("alloc_space", "bytes")
	m.add(7, "", "mem.go lib/internal/mem.Make[...]", "scratch.go lib/internal/radix.grow", "build.go lib/linear/internal/octree.(*job).run", mainFrame)
	m.add(5, "", "column.go lib/soa.Fresh[go.shape.uint64]", "build.go lib/linear/internal/octree.(*job).encode", mainFrame)
	m.add(3, "", "column.go lib/soa.Fresh[...]", "build.go lib/linear/internal/octree.(*job).fill", mainFrame)
	m.add(9, "", mainFrame)
	before := m.p.Copy()
	m.add(2, "", "mask.go lib/asm.MaskLanes", nodesCall, collect, mainFrame)
	m.add(1, "", "mask.go lib/asm.MaskLanes", "volume.go lib/asm/cull.(*Volume).Packets", collect, mainFrame)

	rows, sum, err := Bytes(m.p)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"sort": 7, "encode": 5, "fill": 3, "walk nodes": 2, "walk packets": 1}
	for _, r := range rows {
		if r.Samples != want[r.Name] {
			t.Errorf("%s: %d, want %d", r.Name, r.Samples, want[r.Name])
		}
	}
	if sum != (Amount{18, 180}) {
		t.Errorf("sum %+v", sum)
	}

	late := must.Get(Since(before, m.p))
	if _, sum, err = Bytes(late); err != nil || sum != (Amount{3, 30}) {
		t.Errorf("since: %+v, %v", sum, err)
	}
}
