package main

import (
	"bufio"
	_ "embed" // of the source
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/must"
)

//go:embed cpp/nanoflann.cpp
var source string

// errAbsent is the error of a rival that this machine lacks.
var errAbsent = errors.New("is not installed")

// compile compiles the driver with the C++ compiler of the environment variable CXX, or c++, into a folder. Its
// floating point operations are not contracted: distances have the same bits as in the library.
func compile(folder string) (binary string, err error) {
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "c++"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return "", fmt.Errorf("a C++ compiler %w: %w", errAbsent, err)
	}
	file := filepath.Join(folder, "nanoflann.cpp")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		return "", err
	}
	binary = filepath.Join(folder, "nanoflann.exe")
	out, err := exec.Command(compiler, "-std=c++17", "-O3", "-DNDEBUG", "-march=native", "-ffp-contract=off", "-o", binary, file).CombinedOutput()
	switch {
	case err == nil:
		return binary, nil
	case strings.Contains(string(out), "nanoflann.hpp"):
		return "", fmt.Errorf("nanoflann.hpp, of the package libnanoflann-dev, %w, or not in CPATH", errAbsent)
	}
	return "", fmt.Errorf("%s: %w\n%s", compiler, err, out)
}

// program is the running driver.
type program struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start runs a driver, in the folder that it is in.
func start(binary string) *program {
	p := &program{cmd: exec.Command(binary)}
	p.cmd.Dir = filepath.Dir(binary)
	p.cmd.Stderr = os.Stderr
	p.in = must.Get(p.cmd.StdinPipe())
	p.out = bufio.NewReaderSize(must.Get(p.cmd.StdoutPipe()), 1<<20)
	must.Do(p.cmd.Start())
	return p
}

// do runs a command and returns its nanoseconds.
func (p *program) do(format string, args ...any) float64 {
	must.Get(fmt.Fprintf(p.in, format+"\n", args...))
	line := must.Get(p.out.ReadString('\n'))
	return float64(must.Get(strconv.ParseInt(strings.TrimSpace(line), 10, 64)))
}

// load hands points and queries to the driver, in files of a folder.
func (p *program) load(folder string, points, queries [][3]float32) {
	for name, list := range map[string][][3]float32{"points": points, "queries": queries} {
		data := must.Get(binary.Append(nil, binary.NativeEndian, list))
		must.Do(os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	p.do("load points queries")
}

// answers returns n squared distances of a command.
func (p *program) answers(n int, command string, k int) []float32 {
	p.do("%s %d", command, k)
	all := make([]float32, n)
	must.Do(binary.Read(p.out, binary.NativeEndian, all))
	return all
}

func (p *program) close() error {
	return errors.Join(p.in.Close(), p.cmd.Wait())
}
