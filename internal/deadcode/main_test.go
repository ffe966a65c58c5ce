package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// dead has a declaration of each kind without a use, beside ones that are used.
const dead = `package main

const unusedConst = 1

const usedConst = 2

var unusedVar int

type unusedType struct{}

type shape interface{ area() int }

type square struct{ side, unusedField int }

func (s square) area() int       { return s.side * usedConst }
func (s square) unusedMethod() {}

func unusedFunc() { unusedFunc() }

func UnusedExported() {}

func onlyTested() {}

func main() { println(shape(square{side: usedConst}).area()) }
`

// live has none.
const live = `package main

func onlyTested() {}

func main() {}
`

const test = `package main

import "testing"

func TestMain(t *testing.M) { onlyTested(); main() }
`

// The command prints the declarations without a use, and fails; without them it prints nothing.
func TestUnused(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "tool")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	module := filepath.Join(dir, "module")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(module, 0o777); err != nil {
		t.Fatal(err)
	}
	write("go.mod", "module example.org/module\n\ngo 1.26\n")
	write("main_test.go", test)
	for _, c := range []struct {
		source, files, want string
		fails               bool
	}{
		{dead, "", `main.go:13:27: field unusedField is unused
main.go:16:17: func square.unusedMethod is unused
main.go:16:17: unreachable func: unusedMethod
main.go:18:6: func unusedFunc is unused
main.go:18:6: unreachable func: unusedFunc
main.go:20:6: unreachable func: UnusedExported
main.go:3:7: const unusedConst is unused
main.go:7:5: var unusedVar is unused
main.go:9:6: type unusedType is unused
`, true},
		{strings.ReplaceAll(live, "onlyTested() {}", "onlyTested() {}\n\nfunc Unused() {}"), "other.go", "", false},
		{live, "", "", false},
	} {
		write("main.go", c.source)
		cmd := exec.Command(tool, "-files", c.files, "./...")
		cmd.Dir = module
		out, err := cmd.CombinedOutput()
		if string(out) != c.want || (err != nil) != c.fails {
			t.Errorf("-files %q: %v, output\n%swant\n%s", c.files, err, out, c.want)
		}
	}
}
