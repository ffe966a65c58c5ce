package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	inline    = regexp.MustCompile("`((?:go |benchstat |\\.ci/)[^`\n]*)`")
	commented = regexp.MustCompile(`(?m)^//\t((?:go |benchstat |\.ci/).*)$`)
)

// shown returns the commands that a Markdown file or a package comment shows.
func shown(t *testing.T, name string) (lines []string) {
	t.Helper()
	text, fences := markdown(t, name)
	for _, f := range fences {
		switch f.kind {
		case "sh":
			lines = append(lines, strings.Split(strings.TrimSpace(f.text), "\n")...)
		case "console":
			line, _, _ := strings.Cut(f.text, "\n")
			lines = append(lines, strings.TrimPrefix(line, "$ "))
		}
	}
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		lines = append(lines, m[1])
	}
	for _, m := range commented.FindAllStringSubmatch(text, -1) {
		line, _, _ := strings.Cut(m[1], "  ") // the description
		lines = append(lines, line)
	}
	return lines
}

// The commands shown in the documentation exist, and so do their flags.
func TestShownCommands(t *testing.T) {
	for name, least := range map[string]int{"README.md": 5, results: 7, "bench/doc.go": 20} {
		lines := shown(t, name)
		if len(lines) < least {
			t.Errorf("%s shows %d commands, want %d: the pattern is wrong", name, len(lines), least)
		}
		for _, line := range lines {
			line, _, _ = strings.Cut(line, "#")
			line, _, _ = strings.Cut(line, " >")
			if err := parseLine(words(strings.TrimSpace(line))); err != nil {
				t.Errorf("%s has the command %q: %v", name, line, err)
			}
		}
	}
}

// The check finds errors.
func TestShownCommandsWrong(t *testing.T) {
	for _, line := range []string{
		"go run ./bench rum", "go run ./bench -bogus", "go run ./bench help rum", "go run ./bench run extra", "go run ./bench save inspect", "go run ./bench save inspect x -check some",
		"go run ./elsewhere", "go test ./nowhere", "go test ./query -bogus", "go test ./query -bench NoSuchThing",
		"go test ./query -run NoSuchThing", ".ci/nothing", ".ci/run nothing", "go get example.org/zoctree", "go fly", "rm -r .",
	} {
		if parseLine(words(line)) == nil {
			t.Errorf("no error for %q", line)
		}
	}
	for _, line := range []string{
		"go run ./bench help run", "go run ./bench save inspect -check full x -format tsv", "go run ./bench ratios -only \"a b\" -count 3", "go test ./query -run '^$' -bench StopTheWorld",
		"go test ./...", "go test -race ./linear", ".ci/run test race", "go build -pgo=default.pgo", "go tool pprof -top x",
	} {
		if err := parseLine(words(line)); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// words splits a command line at blanks outside quotes.
func words(line string) (all []string) {
	for i, part := range strings.Split(strings.ReplaceAll(line, "'", `"`), `"`) {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

// parseLine checks a command line without running it.
func parseLine(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "go" && args[1] == "run" && args[2] == "./bench":
		return commands.Check(args[3:])
	case len(args) >= 3 && args[0] == "go" && args[1] == "test":
		return parseTest(args[2:])
	case len(args) == 3 && args[0] == "go" && args[1] == "get":
		return parseGet(args[2])
	case len(args) >= 2 && args[0] == "go" && (args[1] == "build" || len(args) > 2 && args[1] == "tool" && args[2] == "pprof"):
		return nil // of the user's own program
	case len(args) > 0 && args[0] == "benchstat":
		return nil
	case len(args) > 0 && strings.HasPrefix(args[0], ".ci/"):
		return parseScript(args[0], args[1:])
	}
	return fmt.Errorf("a command that nothing checks")
}

// parseGet compares a module with the library's.
func parseGet(module string) error {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(text), "module "+module+"\n") {
		return fmt.Errorf("go.mod does not declare module %s", module)
	}
	return nil
}

// parseTest reads the flags of go test, and checks that the packages, tests and benchmarks exist.
func parseTest(args []string) error {
	flags := flag.NewFlagSet("go test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, name := range []string{"race", "short", "v", "benchmem", "update"} {
		flags.Bool(name, false, "")
	}
	for _, name := range []string{"tags", "benchtime", "count", "fuzz", "fuzztime", "cpuprofile", "timeout"} {
		flags.String(name, "", "")
	}
	run, bench := flags.String("run", "", ""), flags.String("bench", "", "")
	var packages []string
	for len(args) > 0 { // packages and flags in any order
		if err := flags.Parse(args); err != nil {
			return err
		}
		args = flags.Args()
		if len(args) > 0 {
			packages, args = append(packages, args[0]), args[1:]
		}
	}
	source := ""
	for _, p := range packages {
		if p == "./..." {
			continue
		}
		var files []string
		for depth := ""; len(depth) < 6; depth += "*/" {
			dir, all := strings.CutSuffix(p, "...")
			more, _ := filepath.Glob(filepath.Join("..", dir, depth, "*_test.go"))
			if files = append(files, more...); !all {
				break
			}
		}
		if len(files) == 0 {
			return fmt.Errorf("%s has no tests", p)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			source += string(text)
		}
	}
	if len(packages) == 0 {
		return fmt.Errorf("no package")
	}
	for _, x := range []struct{ pattern, kind string }{{*run, "Test|Example|Fuzz"}, {*bench, "Benchmark"}} {
		top, _, _ := strings.Cut(x.pattern, "/")
		re, err := regexp.Compile(top)
		if err != nil {
			return err
		}
		if top == "" || top == "^$" || top == "." || source == "" {
			continue
		}
		found := false
		for _, m := range regexp.MustCompile(`(?m)^func ((?:`+x.kind+`)\w*)\(`).FindAllStringSubmatch(source, -1) {
			found = found || re.MatchString(m[1])
		}
		if !found {
			return fmt.Errorf("%q matches nothing in %q", x.pattern, packages)
		}
	}
	return nil
}

// parseScript checks that a script exists, and for .ci/run its sections.
func parseScript(script string, args []string) error {
	path := filepath.Join("..", script)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode()&0o100 == 0 {
		return fmt.Errorf("%s cannot be executed", script)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if script != ".ci/run" {
		return nil
	}
	sections := regexp.MustCompile(`(?m)^sections="(.*)"$`).FindStringSubmatch(string(text))
	for _, a := range args {
		if len(sections) == 0 || !slices.Contains(strings.Fields(sections[1]), a) {
			return fmt.Errorf("%s has no section %s", script, a)
		}
	}
	return nil
}
