package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Rules about numbers: a text with a measured number states the command that measures it.

// timed matches a time or a bandwidth, timedProse also a factor or a share.
var (
	timed      = regexp.MustCompile(`\d ?(ns|µs|us|ms|nanoseconds|microseconds|milliseconds|[GM]B/s)\b|\d s\b`)
	timedProse = regexp.MustCompile(`\d ?(ns|µs|us|ms|seconds|[GM]B/s|B/object)\b|\d ?(%|times\b)`)
	commanded  = regexp.MustCompile("go (run|test|build|tool) |\\.ci/[a-z]+|bench [a-z]+|`?Benchmark[A-Z]\\w*")
	benchName  = regexp.MustCompile(`\bBenchmark[A-Z]\w*\b`)
)

// A paragraph of a Markdown file with a measured number names the command that prints it, or stands next to
// the output of one.
func TestProseNumbers(t *testing.T) {
	for _, prose := range []string{"takes 12 ns", "it is 3.5 times as fast", "gives 20 GB/s", "in 2 seconds", "saves 15 % of"} {
		if !timedProse.MatchString(prose) {
			t.Errorf("%q counts as a measured number", prose)
		}
	}
	for _, name := range []string{"README.md", results} {
		text, _ := markdown(t, name)
		blocks := strings.Split(fenced.ReplaceAllStringFunc(text, func(f string) string {
			return "\n" + strings.ReplaceAll(f, "\n\n", "\n") + "\n"
		}), "\n\n")
		measured := func(i int) bool {
			return i >= 0 && i < len(blocks) && strings.HasPrefix(strings.TrimSpace(blocks[i]), "```console")
		}
		for i, block := range blocks {
			block = strings.TrimSpace(block)
			if strings.HasPrefix(block, "```") || strings.HasPrefix(block, "| ns, and times ours ") || !timedProse.MatchString(block) {
				continue
			}
			if !commanded.MatchString(block) && !measured(i-1) && !measured(i+1) {
				t.Errorf("%s states a number without a command that prints it:\n%s", name, block)
			}
		}
	}
}

// comments calls f for each group of comments in the sources, tests left out,
// and returns the names of all benchmarks.
func comments(t *testing.T, f func(position, text string)) (benchmarks map[string]bool) {
	t.Helper()
	benchmarks = make(map[string]bool)
	declared := regexp.MustCompile(`(?m)^func (Benchmark\w+)\(`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "..":
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range declared.FindAllSubmatch(source, -1) {
				benchmarks[string(m[1])] = true
			}
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			f(files.Position(group.Pos()).String(), group.Text())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return benchmarks
}

// A comment with a time or a bandwidth does so too; the named benchmarks exist.
func TestCommentNumbers(t *testing.T) {
	found := 0
	named := make(map[string]string)
	benchmarks := comments(t, func(position, text string) {
		for _, name := range benchName.FindAllString(text, -1) {
			named[name] = position
		}
		if !timed.MatchString(text) {
			return
		}
		found++
		if !commanded.MatchString(text) {
			t.Errorf("%s states a time without a command or a benchmark that prints it:\n%s", position, text)
		}
	})
	if found == 0 || len(benchmarks) == 0 {
		t.Errorf("%d comments with times, %d benchmarks: the patterns are wrong", found, len(benchmarks))
	}
	for name, position := range named {
		if !benchmarks[name] {
			t.Errorf("%s names %s, which does not exist", position, name)
		}
	}
}
