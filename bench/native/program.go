package main

import (
	"bufio"
	_ "embed" // of the sources
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/must"
)

// rival is a native library, with the source of its driver.
type rival struct {
	name, about, source string
	header, pack        string   // the file that its source includes, and the package of Debian that has it
	flags               []string // of the compiler
	can                 []string // operations
	moved               string   // command that queries its boxes after moves
}

//go:embed cpp/driver.hpp
var driverHeader string

//go:embed cpp/embree.cpp
var embreeSource string

//go:embed cpp/boost.cpp
var boostSource string

//go:embed cpp/bullet.cpp
var bulletSource string

//go:embed cpp/nanoflann.cpp
var nanoflannSource string

var (
	embree = rival{"embree", "Embree: boxes as user geometry; moves refit; nearest boxes by rtcPointQuery, pairs by rtcCollide", embreeSource,
		"embree3/rtcore.h", "libembree-dev", []string{"-lembree3"},
		[]string{"build", "move", "first", "near", "pairs", "instances"}, "first"}
	boost = rival{"boost", "Boost.Geometry: rtree, packed; insertion and moves with quadratic<16>, moves of all pack again; pairs by a query for each box", boostSource,
		"boost/geometry.hpp", "libboost-dev", nil,
		[]string{"build", "insert", "remove", "move", "boxes", "rays", "near", "pairs"}, "find boxes"}
	bullet = rival{"bullet", "Bullet: btDbvt, built by insertions and optimizeTopDown; moves and frames in btDbvtBroadphase; the first hit is the least of all", bulletSource,
		"BulletCollision/BroadphaseCollision/btDbvtBroadphase.h", "libbullet-dev", []string{"-I/usr/include/bullet", "-lBulletCollision", "-lLinearMath"},
		[]string{"build", "insert", "remove", "move", "boxes", "frusta", "rays", "first", "pairs", "frame"}, "look boxes"}
	nanoflann = rival{"nanoflann", "nanoflann: k-d trees of the lower corners of the boxes, static and dynamic, leaves of 10", nanoflannSource,
		"nanoflann.hpp", "libnanoflann-dev", nil, []string{"points"}, ""}

	rivals = []rival{embree, boost, bullet, nanoflann}
)

// does reports whether the library has an operation.
func (r *rival) does(operation string) bool { return slices.Contains(r.can, operation) }

// errAbsent is the error of a rival that this machine lacks.
var errAbsent = errors.New("is not installed")

// optimize is the compiler's flag for the level of optimization. Tests lower it.
var optimize = "-O3"

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
	if err := errors.Join(os.WriteFile(file, []byte(r.source), 0o600), os.WriteFile(filepath.Join(folder, "driver.hpp"), []byte(driverHeader), 0o600)); err != nil {
		return "", err
	}
	binary = filepath.Join(folder, r.name+".exe")
	args := append([]string{"-std=c++17", optimize, "-DNDEBUG", "-march=native", "-ffp-contract=off", "-o", binary, file}, r.flags...)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	switch {
	case err == nil:
		return binary, nil
	case strings.Contains(string(out), r.header+": No such file"), strings.Contains(string(out), "'"+r.header+"' file not found"): // GCC, Clang
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

// start runs a driver in a folder, which its files are written to.
func start(binary, folder string) *program {
	p := &program{cmd: exec.Command(binary)}
	p.cmd.Dir = folder
	p.cmd.Stderr = os.Stderr
	p.in = must.Get(p.cmd.StdinPipe())
	p.out = bufio.NewReaderSize(must.Get(p.cmd.StdoutPipe()), 1<<20)
	must.Do(p.cmd.Start())
	return p
}

// do runs a command and returns its nanoseconds, and the words of its results.
func (p *program) do(command string) (ns float64, words []uint32) {
	must.Get(fmt.Fprintln(p.in, command))
	var n int
	must.Get(fmt.Sscan(must.Get(p.out.ReadString('\n')), &ns, &n))
	words = make([]uint32, n)
	must.Do(binary.Read(p.out, binary.NativeEndian, words))
	return ns, words
}

// give writes a list to a file of the driver's folder, and runs the command that reads it.
func give[T any](p *program, command string, list []T) {
	data := must.Get(binary.Append(nil, binary.NativeEndian, list))
	must.Do(os.WriteFile(filepath.Join(p.cmd.Dir, command), data, 0o600))
	p.do(command + " " + command)
}

// answers returns the results of each of n queries of a command.
func (p *program) answers(n int, command string) (each [][]uint32) {
	_, words := p.do("answers " + command)
	for len(words) > 0 {
		end := 1 + int(words[0])
		each = append(each, words[1:end])
		words = words[end:]
	}
	if len(each) != n {
		must.Fail("%s: %d answers to %d queries", command, len(each), n)
	}
	return each
}

func (p *program) close() error {
	return errors.Join(p.in.Close(), p.cmd.Wait())
}
