// Package save implements the command bench save, which writes a snapshot of a tree, and save inspect, which
// lists and checks one.
package save

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Command is bench save.
var Command = command.Command{
	Name:  "save",
	Short: "build a tree or a scene and write a snapshot of it, which programs map",
	Long: `
Builds a tree of a scene, or of a file, and writes a snapshot of it, as Tree.Save
does. The file is replaced atomically: an older one stays until the new one is
complete. An interrupt ends the command and leaves no partial file.

The ID of an object is its number in the scene or in the file. A program queries
the file by linear.OpenMapped; save inspect lists its contents; and all commands that
read objects by -in read it, too.

With -instances P it builds a scene instead, as Scene.Save writes it: -n objects in all, as
20 parts in P instances, the same ones as those of replay export; -scene and -in do not count. The
ID of an instance is its number. A program queries the file by linear.OpenSceneMapped, and
replay reads it by -instances; to commands that read objects it is an error.

  go run ./bench save -scene city -n 100000 -frozen -o city.zoc
  go run ./bench save inspect city.zoc
  go run ./bench -in city.zoc`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var s saver
		s.source.Declare(flags)
		flags.StringVar(&s.out, "o", "", "write the snapshot to `FILE` (required)")
		count.Objects(flags, &s.instances, "instances", 0, 0, "save a scene of -n objects as a `number` of instances of parts")
		flags.BoolVar(&s.frozen, "frozen", false, "build frozen trees: packed densely, for static data")
		count.Var(flags, &s.workers, "workers", 0, 0, "`number` of goroutines of the build (default GOMAXPROCS)")
		s.output.DeclareFormat(flags)
		return func(e *command.Env) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			context.AfterFunc(ctx, stop) // a second interrupt ends the process
			err := must.Catch(func() { s.run(ctx, e) })
			if err != nil && ctx.Err() != nil {
				return fmt.Errorf("interrupted: %w", err)
			}
			return err
		}
	},
}

// saver is one run of the command.
type saver struct {
	source    command.Source
	output    command.Output
	out       string
	instances int
	frozen    bool
	workers   int

	p *command.Progress
}

func (s *saver) run(ctx context.Context, e *command.Env) {
	switch {
	case s.out == "":
		must.Do(command.Usagef("no -o: want a file to write to"))
	case s.workers == 0:
		s.workers = runtime.GOMAXPROCS(0)
	}
	s.p = &command.Progress{Out: e.Errs}
	made := s.make(ctx)
	s.p.Begin("saving %s", s.out)
	err := made.save(ctx, s.out, linear.SnapshotOptions{Progress: s.p.Done})
	s.p.End()
	must.Do(err)
	info := must.Get(os.Stat(s.out))
	r := s.output.Begin(e, "save")
	r.Note("objects", made.about)
	r.Note(made.what, made.stats)
	r.Note("file", fmt.Sprintf("%s, %d bytes, %.1f an object", s.out, info.Size(), float64(info.Size())/float64(made.objects)))
	must.Do(r.Close())
}

// made is the tree or scene to save, with its description.
type made struct {
	save               func(ctx context.Context, path string, opt linear.SnapshotOptions) error
	what, about, stats string
	objects            uint64
}

// make builds a tree or a scene.
func (s *saver) make(ctx context.Context) made {
	if s.instances != 0 {
		return s.makeScene(ctx)
	}
	about, objects, err := s.source.LoadContext(ctx, s.p)
	must.Do(err)
	tree := s.build(ctx, objects)
	return made{tree.Save, "tree", about, tree.Stats().String(), uint64(len(objects))}
}

// build builds the tree, with progress.
func (s *saver) build(ctx context.Context, objects []soa.Object) *linear.Tree {
	s.p.Begin("building a tree of %s", count.Of(len(objects), "object"))
	defer s.p.End()
	return s.plant(ctx, objects, s.p.Done)
}

// plant builds a tree. The insertion cannot be interrupted by the context. Freezing the tree stops when the
// context is done, and calls done with its progress.
func (s *saver) plant(ctx context.Context, objects []soa.Object, done func(share float64)) *linear.Tree {
	tree := must.Get(linear.New(linear.Config{Workers: s.workers}))
	must.Get(tree.InsertBatch(make([]uint32, 0, len(objects)), objects))
	if s.frozen {
		must.Do(tree.Rebuild(ctx, linear.RebuildOptions{Frozen: true, Progress: func(p linear.Phase, share float64) {
			done((float64(p) + share) / (float64(linear.PhaseFill) + 1))
		}}))
	}
	return tree
}

// makeScene builds a scene of instanced parts, as export -instances writes it.
func (s *saver) makeScene(ctx context.Context) made {
	if s.instances < 1 || s.source.N < s.instances {
		must.Do(command.Usagef("-n %d, -instances %d: want 1 instance or more, and no more than objects", s.source.N, s.instances))
	}
	s.p.Begin("building a scene of %s", count.Of(s.instances, "instance"))
	defer s.p.End()
	objects, where := lab.InstancedParts(s.instances, s.source.N, s.source.Seed)
	parts := make([]*linear.Tree, len(objects))
	for k := range objects {
		parts[k] = s.plant(ctx, objects[k], func(x float64) { s.p.Done((float64(k) + x) / float64(len(objects))) })
		must.Do(ctx.Err())
	}
	scene := must.Get(linear.NewScene(linear.Config{Workers: s.workers}))
	for i := range where {
		must.Within(func() {
			transform := must.Get(linear.NewTransform(where[i].Rows))
			must.Get(scene.AddInstance(parts[where[i].Part], transform, linear.InstanceOptions{}))
		}, "instance %d", i)
	}
	must.Do(scene.Tick())
	st := scene.Stats()
	about := fmt.Sprintf("%d objects in %d instances of %d parts, seed %d", st.Total, s.instances, st.Parts, s.source.Seed)
	return made{scene.Save, "scene", about, st.String(), st.Total}
}
