package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
)

// fence is a block of a Markdown file between two lines of three backquotes.
type fence struct{ kind, text string }

var fenced = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// markdown reads a file, whose name is from the root.
func markdown(t *testing.T, name string) (text string, fences []fence) {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join("..", name)))
	for _, m := range fenced.FindAllStringSubmatch(string(b), -1) {
		fences = append(fences, fence{m[1], m[2]})
	}
	return string(b), fences
}

func readme(t *testing.T) (text string, fences []fence) { return markdown(t, "README.md") }

// of returns the blocks in a language.
func of(t *testing.T, fences []fence, kind string) (texts []string) {
	t.Helper()
	for _, f := range fences {
		if f.kind == kind {
			texts = append(texts, f.text)
		}
	}
	if len(texts) == 0 {
		t.Fatalf("no block of %s", kind)
	}
	return texts
}

// The front page is short.
func TestReadmeSize(t *testing.T) {
	text, _ := readme(t)
	if lines := strings.Count(text, "\n"); lines > 170 || len(text) > 12_000 {
		t.Errorf("README.md has %d lines and %d bytes, want at most 170 and 12000", lines, len(text))
	}
}

// source writes a program and returns its file, for the go command. A file elsewhere is compiled as a package of the
// module all the same. The long form checks the file with go vet.
func source(t *testing.T, program string) (file string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to compile the program with")
	}
	file = filepath.Join(t.TempDir(), "main.go")
	must.Do(os.WriteFile(file, []byte(program), 0o666))
	if testkit.Long(t) {
		goDo(t, "vet", file)
	}
	return file
}

// goDo runs the go command, which must succeed, and returns its output.
func goDo(t *testing.T, command, file string) string {
	t.Helper()
	out, err := exec.Command("go", command, file).CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s\n%s", command, err, out, must.Get(os.ReadFile(file)))
	}
	return string(out)
}

// compile compiles functions after a list of imports. They are no program, so that nothing is linked.
func compile(t *testing.T, imports []string, functions ...string) {
	t.Helper()
	text := "package recipes\n\nimport (\n"
	for _, path := range imports {
		text += "\t\"" + path + "\"\n"
	}
	goDo(t, "build", source(t, text+")\n\n"+strings.Join(functions, "\n")))
}

// The first program compiles, runs, and prints the output stated below it.
func TestReadmeProgram(t *testing.T) {
	_, fences := readme(t)
	program, want := of(t, fences, "go")[0], of(t, fences, "text")[0]
	lines := 0
	for line := range strings.Lines(program) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if lines > 15 {
		t.Errorf("the program has %d lines, want at most 15", lines)
	}
	if out := goDo(t, "run", source(t, program)); out != want {
		t.Errorf("go run:\n%s\nwant\n%s", out, want)
	}
}

// The recipes are functions that compile, and import no package of the module except two.
func TestReadmeRecipes(t *testing.T) {
	_, fences := readme(t)
	recipes := of(t, fences, "go")[1:]
	if len(recipes) != 3 {
		t.Errorf("%d recipes, want 3", len(recipes))
	}
	compile(t, []string{"errors", "fmt", "github.com/zoctree/zoctree/linear", "github.com/zoctree/zoctree/query"}, recipes...)
}

var link = regexp.MustCompile(`\[([^\]]*)\]\(([^):#]+)\)`)

// The targets of links of the front page exist, and its examples are in the named files.
func TestReadmeLinks(t *testing.T) {
	text, _ := readme(t)
	examples := 0
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		target, err := os.ReadFile(filepath.Join("..", m[2]))
		if err != nil {
			t.Errorf("%s: %v", m[0], err)
			continue
		}
		if strings.HasPrefix(m[1], "Example") {
			examples++
			if !strings.Contains(string(target), "func "+m[1]+"() {") {
				t.Errorf("%s: no such example there", m[0])
			}
		}
	}
	if examples < 8 {
		t.Errorf("%d examples are linked to", examples)
	}
}

// .ci/run runs the test command that the README names.
func TestReadmeChecks(t *testing.T) {
	_, fences := readme(t)
	script := must.Get(os.ReadFile("../.ci/run"))
	const test = "go test ./..."
	if !slices.Contains(strings.Split(strings.Join(of(t, fences, "sh"), ""), "\n"), test) {
		t.Errorf("README.md does not name %q", test)
	}
	_, body, _ := strings.Cut(string(script), "\nrun_test() {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	if !slices.Contains(strings.Split(body, "\n"), "\t"+test) {
		t.Errorf(".ci/run does not run %q", test)
	}
}

// The table of packages is complete, and the tiers and the variables match the code.
func TestReadmeNames(t *testing.T) {
	text, _ := readme(t)
	for _, name := range []string{cpu.EnvTier, testkit.EnvData, testkit.EnvSeed, testkit.EnvLong, testkit.EnvCount, testkit.EnvArtifacts} {
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
	var rows []string
	want := publicPackages(t)
	for _, m := range row.FindAllStringSubmatch(packages, -1) {
		rows = append(rows, m[1])
		if m[2] != "" {
			rows = append(rows, m[2])
		}
		if m[3] != "" { // a row of several packages
			want = slices.DeleteFunc(want, func(name string) bool { return strings.HasPrefix(name, m[1]+"/") })
		}
	}
	slices.Sort(rows)
	if !slices.Equal(rows, want) {
		t.Errorf("README.md has rows for the packages\n%q, want\n%q", rows, want)
	}
}

var row = regexp.MustCompile("(?m)^\\| `([a-z/]+)`(?:, `([a-z/]+)`)?( and below)? \\|")

// publicPackages returns the packages that other modules can import, and the command, by folder.
func publicPackages(t *testing.T) (names []string) {
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || name == "." {
			return err
		}
		if _, err := os.Stat(filepath.Join("..", name, "go.mod")); err == nil || d.Name()[0] == '.' || d.Name() == "internal" || d.Name() == "testdata" {
			return fs.SkipDir
		}
		files, err := filepath.Glob(filepath.Join("..", name, "*.go"))
		if slices.ContainsFunc(files, func(f string) bool { return !strings.HasSuffix(f, "_test.go") }) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}
