package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
)

// fence is a block of README.md between two lines of three backquotes.
type fence struct{ kind, text string }

var fenced = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func readme(t *testing.T) (text string, fences []fence) {
	t.Helper()
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fenced.FindAllStringSubmatch(string(b), -1) {
		fences = append(fences, fence{m[1], m[2]})
	}
	return string(b), fences
}

// first returns the first block of a kind.
func first(t *testing.T, fences []fence, kind string) string {
	t.Helper()
	i := slices.IndexFunc(fences, func(f fence) bool { return f.kind == kind })
	if i < 0 {
		t.Fatalf("README.md has no block of %s", kind)
	}
	return fences[i].text
}

// The program compiles, runs, and prints what stands below it.
func TestReadmeProgram(t *testing.T) {
	_, fences := readme(t)
	program, want := first(t, fences, "go"), first(t, fences, "text")
	lines := 0
	for line := range strings.Lines(program) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if lines > 15 {
		t.Errorf("the program has %d lines, want at most 15", lines)
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to run the program with")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	// A file elsewhere is compiled as a package of the module all the same.
	for _, c := range []struct{ verb, want string }{{"vet", ""}, {"run", want}} {
		out, err := exec.Command("go", c.verb, file).CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("go %s: %v\n%s\nwant\n%s", c.verb, err, out, c.want)
		}
	}
}

// .ci/run runs the test command that the README names.
func TestReadmeChecks(t *testing.T) {
	_, fences := readme(t)
	script, err := os.ReadFile("../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	commands := strings.Split(strings.TrimSpace(first(t, fences, "sh")), "\n")
	test := commands[len(commands)-1]
	if !strings.Contains(string(script), "run_test() { "+test+"; }\n") {
		t.Errorf(".ci/run does not run %q", test)
	}
}

// The package map, the tiers and the variables are those of the code.
func TestReadmeNames(t *testing.T) {
	text, fences := readme(t)
	for _, name := range []string{cpu.EnvTier, testkit.EnvData, testkit.EnvSeed} {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("README.md does not name %s", name)
		}
	}
	for _, tier := range []cpu.Tier{cpu.Go, cpu.NEON, cpu.AVX2, cpu.AVX512} {
		if !strings.Contains(text, "`"+tier.String()+"`") {
			t.Errorf("README.md does not name the tier %v", tier)
		}
	}
	_, packages, _ := strings.Cut(text, "## Packages")
	for _, name := range []string{"linear", "query", "soa", "morton", "asm", "bench"} {
		if _, err := os.Stat(filepath.Join("..", name)); err != nil || !strings.Contains(packages, "| `"+name+"` |") {
			t.Errorf("package %s: %v, or not in the table", name, err)
		}
	}
	for _, f := range fences {
		if f.kind == "console" && !regexp.MustCompile(`(?m)^machine .*\n(.*\n)*tier `).MatchString(f.text) {
			line, _, _ := strings.Cut(f.text, "\n")
			t.Errorf("%s: no output below it, or none that names the machine: run .ci/readme", line)
		}
	}
}
