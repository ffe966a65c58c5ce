// Package nested runs the commands of the nested modules bench/rivals and bench/scale, which depend on
// third-party libraries.
package nested

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Run builds and runs a command of a module. module is a folder of bench, and name the command, or a dot for
// the one at its root. The output of go build is written to stderr, too. The error repeats the last line that
// the command wrote to stderr.
func Run(module, name string, args []string, stdout, stderr io.Writer) error {
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
	build := exec.Command("go", "build", "-o", binary, "./"+name)
	build.Dir, build.Stderr = folder, stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("cannot build %s, which takes the go command and, the first time, a module proxy: %w", folder, err)
	}
	run := exec.Command(binary, args...)
	said := &teller{to: stderr}
	run.Stdout, run.Stderr = stdout, said
	if err := run.Run(); err != nil {
		return fmt.Errorf("the command in %s failed: %w%s", filepath.Join(folder, name), err, said)
	}
	return nil
}

// teller forwards the output of a program and keeps the last line.
type teller struct {
	to   io.Writer
	last []byte
}

func (t *teller) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	if i := bytes.LastIndexByte(bytes.TrimRight(t.last, "\n"), '\n'); i >= 0 {
		t.last = t.last[i+1:]
	}
	return t.to.Write(p)
}

// String returns the last line after a comma, if there is one.
func (t *teller) String() string {
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
