package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/soa"
)

var exportCommand = command{
	name:  "export",
	short: "write objects and queries to flat files for replay",
	long: `
Writes the boxes of a scene, or of a file that another program wrote, to
scene.bin, and cameras that see about 1, 10 and 50 % of them to frusta-1.bin,
frusta-10.bin and frusta-50.bin. It prints the command that replays them.`,
	setup: func(flags *flag.FlagSet) func(e *env) error {
		var x export
		x.source.declare(flags)
		flags.StringVar(&x.folder, "out", "", "write into folder `DIR` (required)")
		flags.IntVar(&x.cameras, "cameras", 200, "number of cameras of each share")
		return x.run
	},
}

// export is one run of the command.
type export struct {
	source  source
	folder  string
	cameras int
}

func (x *export) run(e *env) error {
	if x.folder == "" || x.cameras < 1 {
		return usagef("-out %q, -cameras %d: want a folder and 1 or more cameras", x.folder, x.cameras)
	}
	p := &progress{out: e.errs}
	_, objects, err := x.source.load(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(x.folder, 0o777); err != nil {
		return err
	}
	boxes := make([]soa.AABB, len(objects))
	for i := range objects {
		boxes[i] = objects[i].Box
	}
	path := filepath.Join(x.folder, "scene.bin")
	if err := writeFile(path, boxes, flat.WriteScene); err != nil {
		return err
	}
	words := []string{"go run ./bench replay -scene", path}
	for _, percent := range []int{1, 10, 50} {
		p.begin("%d cameras at %d %%", x.cameras, percent)
		var planes [][6][4]float32
		for _, c := range scene.Cameras(objects, float64(percent)/100, x.cameras, x.source.seed) {
			planes = append(planes, c.Planes())
		}
		p.end()
		path := filepath.Join(x.folder, fmt.Sprintf("frusta-%d.bin", percent))
		if err := writeFile(path, planes, flat.WriteFrusta); err != nil {
			return err
		}
		words = append(words, "-frusta", path)
	}
	fmt.Fprintln(e.out, strings.Join(words, " "))
	return nil
}

// writeFile writes a list to a new file.
func writeFile[T any](path string, list T, write func(w io.Writer, list T) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f, list), f.Close())
}
