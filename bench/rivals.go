package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/zoctree/zoctree/bench/internal/versus"
)

var rivalsCommand = command{
	name:  "rivals",
	short: "the same scenes and queries on other Go libraries and classic octrees",
	long: `
Asks this library and its rivals the same questions about the same scenes, and
prints a table of each scene: the time of builds, queries, moves and pairs, the
memory, and what a collection costs while the structure is live. Answers are
compared before they are timed. Everything runs on one goroutine. At the end it
lists the rows in which a rival leads.

The rivals are the libraries that a Go program would otherwise use, three octrees
after their publications, and a slice that is searched from end to end. They are
in a module of their own, bench/rivals, which this command builds and runs: that
takes the source tree, the go command, and once the network or a module proxy.

  go run ./bench rivals
  go run ./bench rivals -n 1M
  go run ./bench rivals -n 100k -scenes city -only tidwall,piko -rows box,ray
  go run ./bench rivals -format markdown` + aboutOutput,
	setup: func(flags *flag.FlagSet) func(e *env) error {
		var o versus.Options
		o.Declare(flags)
		return func(e *env) error {
			if err := o.Check(); err != nil {
				return usageError{err}
			}
			var args []string
			flags.Visit(func(f *flag.Flag) { args = append(args, "-"+f.Name+"="+f.Value.String()) })
			return runRivals(e, ".", args, e.out)
		}
	},
}

// runRivals builds a command of the nested module and runs it: its name, or a
// dot for the one at the top.
func runRivals(e *env, name string, args []string, stdout io.Writer) error {
	source, err := rivalsSource()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "rivals")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)

	binary := filepath.Join(temp, "rivals.exe") // the name that runs everywhere
	build := exec.Command("go", "build", "-o", binary, "./"+name)
	build.Dir, build.Stderr = source, e.errs
	if err := build.Run(); err != nil {
		return fmt.Errorf("cannot build %s, which takes the go command and, the first time, a module proxy: %w", source, err)
	}
	run := exec.Command(binary, args...)
	run.Stdout, run.Stderr = stdout, e.errs
	if err := run.Run(); err != nil {
		return fmt.Errorf("the command in %s failed: %w", filepath.Join(source, name), err)
	}
	return nil
}

// rivalsSource returns the directory of the nested module: that of the checkout
// which holds the working directory.
func rivalsSource() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		source := filepath.Join(dir, "bench", "rivals")
		_, err := os.Stat(filepath.Join(source, "go.mod"))
		if err == nil {
			return source, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no bench/rivals/go.mod in %s or above it: run this in a checkout of the repository", start)
		}
	}
}
