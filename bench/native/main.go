// Command native compares the library with native libraries: Embree, Boost.Geometry, Bullet and nanoflann. The command
// bench native builds and runs it, and its help has the rows.
//
// The driver of a library, a C++ program, is compiled at run time. The two processes work in turns: one waits for the
// other. Results are compared before they are timed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/cmd/replay"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/internal/machine"
	"github.com/zoctree/zoctree/soa"
)

var commands = command.Set{{Name: "native", Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
	var o versus.Native
	o.Declare(flags)
	return func(e *command.Env) error {
		if err := o.Check(); err != nil {
			return command.Usage(err)
		}
		return run(o, e)
	}
}}}

func main() { os.Exit(commands.Run(os.Args[1:], os.Stdout, os.Stderr)) }

// session is one run: the options, the drivers, and the contents of the report.
type session struct {
	versus.Native
	folder   string // temporary
	rivals   []rival
	binaries []string // their drivers
	progress command.Progress
	fields   []*field
	rows     []string // names, in their order
	results  []result
	notes    []string // on results that differ
}

// field holds the objects and the queries of a folder.
type field struct {
	name, scene string
	n           int // objects
	folder      string

	boxes     []soa.AABB // of scene.bin, or the boxes around all instanced objects
	instances *instances // or nil
	points    [][3]float32
	rays      [][7]float32
	windows   map[int][]soa.AABB      // by their number of results
	frusta    map[int][][6][4]float32 // by the percentage of visible objects
	radius    float32                 // of a sphere of 550 results
}

// Numbers of results of boxes, and percentages of objects in frusta.
var (
	windowSizes    = []int{8, 450}
	frustumPercent = []int{1, 10, 50}
)

// minObjects is the smallest number of objects.
const minObjects = 1000

func run(o versus.Native, e *command.Env) error {
	s := &session{Native: o, progress: command.Progress{Out: e.Errs}}
	s.folder = must.Get(os.MkdirTemp("", "native"))
	defer os.RemoveAll(s.folder)
	skipped := s.compile()
	if len(s.rivals) == 0 {
		for _, note := range skipped {
			fmt.Fprintln(e.Out, note)
		}
		return nil
	}
	measure.ListenAnew()
	out := report.New(e.Out, o.Format, "native")
	out.Machine(machine.Here())
	command.TierNote(out)
	for _, note := range skipped {
		out.Note("skipped", note)
	}
	s.writeHead(out)
	visit := func(f *field) {
		s.visit(f)
		s.writeField(out, f)
	}
	if o.Folder != "" {
		visit(load(o.Folder))
	} else {
		for _, n := range must.Get(o.Counts()) {
			for _, scene := range strings.Split(o.Scenes, ",") {
				visit(s.make(scene, n, e.Errs))
			}
		}
	}
	s.writeEnd(out)
	return out.Close()
}

// compileDriver compiles the driver of a library. Tests replace it, to compile each once.
var compileDriver = (*rival).compile

// compile compiles the drivers, and returns a note for each library that is missing.
func (s *session) compile() (skipped []string) {
	for _, r := range rivals {
		if !s.Admits(r.name) {
			continue
		}
		s.progress.Begin("compiling the driver of %s", r.name)
		binary, err := compileDriver(&r, s.folder)
		s.progress.End()
		if errors.Is(err, errAbsent) {
			skipped = append(skipped, fmt.Sprintf("%s: skipped: %v", r.name, err))
			continue
		}
		must.Do(err)
		s.rivals, s.binaries = append(s.rivals, r), append(s.binaries, binary)
	}
	return skipped
}

// make writes the files of a scene to a temporary folder, and loads them.
func (s *session) make(scene string, n int, errs io.Writer) *field {
	folder := must.Get(os.MkdirTemp(s.folder, "files"))
	args := []string{"replay", "export", "-o", folder, "-n", fmt.Sprint(n), "-seed", fmt.Sprint(s.Seed), "-queries", "2000", "-steps", "1"}
	name := fmt.Sprintf("%s, %d objects", scene, n)
	if scene == versus.Instances {
		args = append(args, "-instances", fmt.Sprint(n/100))
		name = fmt.Sprintf("%d objects in %d instances", n, n/100)
	} else {
		args = append(args, "-scene", scene)
	}
	if code := (command.Set{replay.Export}).Run(args, io.Discard, errs); code != 0 {
		must.Fail("the files of scene %s cannot be written", scene)
	}
	f := load(folder)
	f.name, f.scene = name, scene
	must.Do(os.RemoveAll(folder))
	return f
}

// load reads the files of a folder.
func load(folder string) *field {
	base := filepath.Base(folder)
	f := &field{name: base, scene: base, folder: folder, windows: map[int][]soa.AABB{}, frusta: map[int][][6][4]float32{}}
	f.points = must.Get(flat.Load(f.path("points.bin"), flat.ReadPoints))
	f.rays = must.Get(flat.Load(f.path("rays.bin"), flat.ReadRays))
	if len(f.points) == 0 || len(f.rays) == 0 {
		must.Fail("%s: %d points and %d rays, want one of each", folder, len(f.points), len(f.rays))
	}
	if _, err := os.Stat(f.path("instances.bin")); err == nil {
		f.loadInstances()
		return f
	}
	f.boxes = must.Get(flat.Load(f.path("scene.bin"), flat.ReadScene))
	f.n = len(f.boxes)
	if f.n < minObjects {
		must.Fail("%s: %d objects, want %d", folder, f.n, minObjects)
	}
	for _, size := range windowSizes {
		f.windows[size] = must.Get(flat.Load(f.path(fmt.Sprintf("boxes-%d.bin", size)), flat.ReadBoxes))
	}
	for _, percent := range frustumPercent {
		f.frusta[percent] = must.Get(flat.Load(f.path(fmt.Sprintf("frusta-%d.bin", percent)), flat.ReadFrusta))
	}
	for _, sphere := range must.Get(flat.Load(f.path("spheres-550.bin"), flat.ReadSpheres)) {
		f.radius = sphere[3]
	}
	return f
}

// path returns the path of a file of the folder.
func (f *field) path(name string) string { return filepath.Join(f.folder, name) }

// visit runs all contests of a field.
func (s *session) visit(f *field) {
	s.fields = append(s.fields, f)
	for i := range s.rivals {
		c := &contest{session: s, field: f, rival: &s.rivals[i]}
		c.native = start(s.binaries[i], s.folder)
		c.still()
		c.moving()
		c.inScene()
		c.cloud()
		must.Do(c.native.close())
	}
	*f = field{name: f.name, scene: f.scene, n: f.n} // frees its lists
}
