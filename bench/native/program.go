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

// rival is a native library, with the source of its driver.
type rival struct {
	name, title, source string
	header, pack        string   // the file that its source includes, and the package of Debian that has it
	libraries           []string // linked
}

//go:embed cpp/nanoflann.cpp
var nanoflannSource string

//go:embed cpp/embree.cpp
var embreeSource string

var (
	nanoflann = rival{"nanoflann", "Nearest points, nanoflann", nanoflannSource, "nanoflann.hpp", "libnanoflann-dev", nil}
	embree    = rival{"embree", "Rays and nearest boxes, Embree", embreeSource, "embree3/rtcore.h", "libembree-dev", []string{"-lembree3"}}
)

// errAbsent is the error of a rival that this machine lacks.
var errAbsent = errors.New("is not installed")

// compile compiles the driver with the C++ compiler of the environment variable CXX, or c++, into a folder. Its
// floating point operations are not contracted: distances of points have the same bits as in the library.
func (r *rival) compile(folder string) (binary string, err error) {
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "c++"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return "", fmt.Errorf("a C++ compiler %w: %w", errAbsent, err)
	}
	file := filepath.Join(folder, r.name+".cpp")
	if err := os.WriteFile(file, []byte(r.source), 0o600); err != nil {
		return "", err
	}
	binary = filepath.Join(folder, r.name+".exe")
	args := append([]string{"-std=c++17", "-O3", "-DNDEBUG", "-march=native", "-ffp-contract=off", "-o", binary, file}, r.libraries...)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	switch {
	case err == nil:
		return binary, nil
	case strings.Contains(string(out), r.header):
		return "", fmt.Errorf("%s, of the package %s, %w, or not in CPATH", r.header, r.pack, errAbsent)
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

// give writes a list to a file of the driver's folder, and returns its name.
func give[T any](p *program, name string, list []T) string {
	data := must.Get(binary.Append(nil, binary.NativeEndian, list))
	must.Do(os.WriteFile(filepath.Join(p.cmd.Dir, name), data, 0o600))
	return name
}

// answers returns n numbers that a command writes.
func (p *program) answers(n int, format string, args ...any) []float32 {
	p.do(format, args...)
	all := make([]float32, n)
	must.Do(binary.Read(p.out, binary.NativeEndian, all))
	return all
}

func (p *program) close() error {
	return errors.Join(p.in.Close(), p.cmd.Wait())
}
