package versus

import (
	"flag"
	"io"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
)

func parse(t *testing.T, args ...string) Options {
	t.Helper()
	var o Options
	flags := flag.NewFlagSet("versus", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.Declare(flags)
	must.Do(flags.Parse(args))
	return o
}

func TestDefaults(t *testing.T) {
	o := parse(t)
	must.Do(o.Check())
	counts, _ := o.Counts()
	datasets, _ := o.Datasets()
	if !slices.Equal(counts, []int{10_000, 100_000}) || len(datasets) != 3 {
		t.Errorf("%v, %d scenes", counts, len(datasets))
	}
	if p := datasets[2]; !p.Points || p.Scene.Name != "uniform" {
		t.Errorf("third scene %+v", p)
	}
	if !o.Admits("anything") {
		t.Error("no rival is admitted by default")
	}
}

func TestOnly(t *testing.T) {
	o := parse(t, "-only", "rtree,slice", "-rows", "box,ray", "-n", "1M,2")
	for name, want := range map[string]bool{"tidwall/rtree": true, "slice": true, "piko": false} {
		if o.Admits(name) != want {
			t.Errorf("Admits(%q) = %v", name, !want)
		}
	}
	if !o.Wants("nearest", "box of 8") || o.Wants("nearest") {
		t.Error("rows other than those named")
	}
	if counts, err := o.Counts(); err != nil || !slices.Equal(counts, []int{1_000_000, 2}) {
		t.Errorf("counts %v, %v", counts, err)
	}
}

func TestBad(t *testing.T) {
	for _, args := range [][]string{
		{"-n", ""}, {"-n", "1"}, {"-n", "11M"}, {"-n", "10k,x"}, {"-n", "-5k"},
		{"-scenes", "nowhere"}, {"-scenes", ""},
	} {
		o := parse(t, args...)
		if o.Check() == nil {
			t.Errorf("%v pass", args)
		}
	}
}

// The flags of native allow scenes of instances, and the empty folder.
func TestNative(t *testing.T) {
	parsed := func(args ...string) (o Native) {
		flags := flag.NewFlagSet("native", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		o.Declare(flags)
		must.Do(flags.Parse(args))
		return o
	}
	o := parsed()
	must.Do(o.Check())
	counts, _ := o.Counts()
	if near, _ := o.Neighbors(); !slices.Equal(counts, []int{100_000}) || !slices.Equal(near, []int{1, 8}) || !o.Admits("embree") || !o.Wants("build") {
		t.Errorf("%+v", o)
	}
	if o := parsed("-only", "boost,bullet", "-rows", "box"); o.Admits("embree") || !o.Admits("bullet") || !o.Wants("box of 8") || o.Wants("build") {
		t.Errorf("%+v", o)
	}
	for _, args := range [][]string{{"-n", "999"}, {"-n", "11M"}, {"-scenes", "nowhere"}, {"-k", "1001"}} {
		o := parsed(args...)
		if o.Check() == nil {
			t.Errorf("%v pass", args)
		}
	}
}
