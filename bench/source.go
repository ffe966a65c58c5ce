package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/input"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

// source says where objects come from: a scene, or a file.
type source struct {
	scene string
	n     int
	seed  uint64
	file  string
}

func (s *source) declare(flags *flag.FlagSet) {
	flags.StringVar(&s.scene, "scene", "uniform", "make the objects of `NAME`: "+sceneNames())
	flags.IntVar(&s.n, "n", 1_000_000, "number of objects of the scene")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of scene and cameras")
	flags.StringVar(&s.file, "in", "", "read the objects from `FILE` instead: PLY, PCD, OBJ or CSV, also gzipped")
}

func sceneNames() string {
	var names []string
	for _, s := range scene.All() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// load returns the objects, at least one, and a line that describes them.
func (s *source) load(p *progress) (about string, objects []soa.Object, err error) {
	if s.file != "" {
		return s.read(p)
	}
	make, ok := scene.ByName(s.scene)
	if !ok {
		return "", nil, usagef("unknown scene %q: want one of %s", s.scene, sceneNames())
	}
	if s.n < 1 {
		return "", nil, usagef("-n %d: want 1 or more objects", s.n)
	}
	p.begin("making %d objects of scene %s", s.n, s.scene)
	objects = make.Make(s.n, s.seed)
	p.end()
	return fmt.Sprintf("%s, %d objects, seed %d", s.scene, s.n, s.seed), objects, nil
}

func (s *source) read(p *progress) (about string, objects []soa.Object, err error) {
	p.begin("reading %s", s.file)
	data, err := input.Read(s.file, input.Options{Progress: func(done, total int64) {
		if total > 0 {
			p.done(float64(done) / float64(total))
		}
	}})
	p.end()
	if err != nil {
		return "", nil, err
	}
	if len(data.Objects) == 0 {
		return "", nil, fmt.Errorf("%s: no objects in it", s.file)
	}
	return fmt.Sprintf("%s, %v", s.file, data), data.Objects, nil
}

// tierFlag is the flag that chooses the tier.
type tierFlag struct{ name string }

func (t *tierFlag) declare(flags *flag.FlagSet) {
	flags.StringVar(&t.name, "tier", "", "run the kernels of tier `NAME`: go, neon, avx2 or avx512 (default: the best of this machine, or ZOCTREE_TIER)")
}

// use makes the tier active and returns what makes the former one active again.
func (t *tierFlag) use() (restore func(), err error) {
	if t.name == "" {
		return func() {}, nil
	}
	tier, err := asm.ParseTier(t.name)
	if err != nil {
		return nil, usageError{err}
	}
	former, err := asm.SetTier(tier)
	if err != nil {
		return nil, err
	}
	return func() { asm.SetTier(former) }, nil
}
