package command

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/input"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

// Source selects the objects: a scene or a file.
type Source struct {
	Scene string
	N     int
	Seed  uint64
	File  string
}

func (s *Source) Declare(flags *flag.FlagSet) {
	flags.StringVar(&s.Scene, "scene", "uniform", "make the objects of `NAME`: "+SceneNames())
	count.Objects(flags, &s.N, "n", 1_000_000, 1, "`number` of objects of the scene")
	flags.Uint64Var(&s.Seed, "seed", 1, "seed of scene and cameras")
	flags.StringVar(&s.File, "in", "", "read the objects from `FILE` instead: LAS, PLY, PCD, OBJ, CSV or a snapshot that bench save wrote, also gzipped")
}

func SceneNames() string {
	var names []string
	for _, s := range scene.All() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// Load returns the objects, at least one, and a line that describes them. An error ends the command.
func (s *Source) Load(p *Progress) (about string, objects []soa.Object) {
	about, objects, err := s.LoadContext(context.Background(), p)
	must.Do(err)
	return about, objects
}

// LoadContext is Load with a context, whose error it returns once the context is done.
func (s *Source) LoadContext(ctx context.Context, p *Progress) (about string, objects []soa.Object, err error) {
	if s.File != "" {
		return s.read(ctx, p)
	}
	make, ok := scene.ByName(s.Scene)
	if !ok {
		return "", nil, Usagef("unknown scene %q: want one of %s", s.Scene, SceneNames())
	}
	p.Begin("making %s of scene %s", count.Of(s.N, "object"), s.Scene)
	objects = make.Make(s.N, s.Seed)
	p.End()
	return fmt.Sprintf("%s, %s, seed %d", s.Scene, count.Of(s.N, "object"), s.Seed), objects, ctx.Err()
}

func (s *Source) read(ctx context.Context, p *Progress) (about string, objects []soa.Object, err error) {
	p.Begin("reading %s", s.File)
	data, err := input.Read(s.File, input.Options{Context: ctx, Progress: func(done, total int64) {
		if total > 0 {
			p.Done(float64(done) / float64(total))
		}
	}})
	p.End()
	if err != nil {
		return "", nil, err
	}
	if len(data.Objects) == 0 {
		return "", nil, fmt.Errorf("%s: no objects in it", s.File)
	}
	return fmt.Sprintf("%s, %v", s.File, data), data.Objects, nil
}

// TierFlag is the flag that selects the tier.
type TierFlag struct{ Name string }

func (t *TierFlag) Declare(flags *flag.FlagSet) {
	flags.StringVar(&t.Name, "tier", "", "run the kernels of tier `NAME`: go, neon, avx2 or avx512 (default: the best of this machine, or ZOCTREE_TIER)")
}

// Use activates the tier and returns a function that restores the former one. An error ends the command.
func (t *TierFlag) Use() (restore func()) {
	if t.Name == "" {
		return func() {}
	}
	tier, err := asm.ParseTier(t.Name)
	if err != nil {
		must.Do(Usage(err))
	}
	former := must.Get(asm.SetTier(tier))
	return func() { asm.SetTier(former) }
}
