// Package nested implements the commands of the nested modules of bench, which depend on third-party libraries:
// it builds a module and runs it.
package nested

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/command"
)

// options are the flags of a command, which its module declares, too.
type options interface {
	Declare(flags *flag.FlagSet)
	Check() error
}

// setup returns the Setup of a command of a module: it checks the flags and passes them on after a name.
func setup(module, name string, fresh func() options) func(flags *flag.FlagSet) func(e *command.Env) error {
	return func(flags *flag.FlagSet) func(e *command.Env) error {
		o := fresh()
		o.Declare(flags)
		return func(e *command.Env) error {
			if err := o.Check(); err != nil {
				return command.Usage(err)
			}
			args := []string{name}
			flags.Visit(func(f *flag.Flag) { args = append(args, "-"+f.Name+"="+f.Value.String()) })
			return Run(module, args, e.Out, e.Errs)
		}
	}
}

// Run builds a module, a folder of bench, and runs it. The output of go build is written to stderr, too. The
// error repeats the last line that the module wrote to stderr.
func Run(module string, args []string, stdout, stderr io.Writer) error {
	folder, err := source(module)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", module)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)

	binary := filepath.Join(temp, module+".exe") // a name that is executable on every system
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir, build.Stderr = folder, stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("cannot build %s, which takes the go command and, the first time, a module proxy: %w", folder, err)
	}
	run := exec.Command(binary, args...)
	output := &lineWriter{to: stderr}
	run.Stdout, run.Stderr = stdout, output
	if err := run.Run(); err != nil {
		return fmt.Errorf("the command in %s failed: %w%s", folder, err, output)
	}
	return nil
}

// lineWriter forwards the output of a program and keeps the last line.
type lineWriter struct {
	to   io.Writer
	last []byte
}

func (t *lineWriter) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	if i := bytes.LastIndexByte(bytes.TrimRight(t.last, "\n"), '\n'); i >= 0 {
		t.last = t.last[i+1:]
	}
	return t.to.Write(p)
}

// String returns the last line after a comma, if there is one.
func (t *lineWriter) String() string {
	if line := strings.TrimSpace(string(t.last)); line != "" {
		return ", " + line
	}
	return ""
}

// source returns the directory of a nested module in the checkout that contains the working directory.
func source(module string) (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		folder := filepath.Join(dir, "bench", module)
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			return folder, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no bench/%s/go.mod in %s or above it: run this in a checkout of the repository", module, start)
		}
	}
}
