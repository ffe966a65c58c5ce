// Package nested runs the commands of the module bench/rivals, which has the
// libraries that others wrote.
package nested

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Run builds a command of the module and runs it: its name, or a dot for the one
// at the top. What go build says goes to stderr, too.
func Run(name string, args []string, stdout, stderr io.Writer) error {
	folder, err := source()
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
	build.Dir, build.Stderr = folder, stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("cannot build %s, which takes the go command and, the first time, a module proxy: %w", folder, err)
	}
	run := exec.Command(binary, args...)
	run.Stdout, run.Stderr = stdout, stderr
	if err := run.Run(); err != nil {
		return fmt.Errorf("the command in %s failed: %w", filepath.Join(folder, name), err)
	}
	return nil
}

// source returns the directory of the nested module: that of the checkout
// which holds the working directory.
func source() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		folder := filepath.Join(dir, "bench", "rivals")
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			return folder, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no bench/rivals/go.mod in %s or above it: run this in a checkout of the repository", start)
		}
	}
}
