package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	entry   = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	pointer = regexp.MustCompile(`\[[^\]]+\]\(([^)]+)\)`)
	comment = regexp.MustCompile(`\s+(// ?)?`)
)

// The words of the glossary are in order, and in the files named for them.
func TestGlossary(t *testing.T) {
	text, _ := markdown(t, "linear/GLOSSARY.md")
	var words []string
	for _, m := range entry.FindAllStringSubmatch(text, -1) {
		word := m[1]
		if word == "word" || word == "---" {
			continue
		}
		words = append(words, strings.ToLower(word))
		files := pointer.FindAllStringSubmatch(m[3], -1)
		if len(files) == 0 {
			t.Errorf("no row for %s", word)
		}
		for _, f := range files {
			explains, err := os.ReadFile(filepath.Join("../linear", f[1]))
			if err != nil {
				t.Errorf("%s: %v", word, err)
			} else if !strings.Contains(comment.ReplaceAllString(strings.ToLower(string(explains)), " "), strings.ToLower(word)) {
				t.Errorf("%s does not contain %s", f[1], word)
			}
		}
	}
	if len(words) < 40 || !slices.IsSorted(words) || len(slices.Compact(words)) < len(words) {
		t.Errorf("%d words, want 40 or more, each once, in their order: %q", len(words), words)
	}
}

// Each recipe is a function that compiles.
func TestRecipes(t *testing.T) {
	text, fences := markdown(t, "query/RECIPES.md")
	recipes := of(t, fences, "go")
	if headings := strings.Count(text, "\n## "); headings != len(recipes) || headings < 15 {
		t.Errorf("%d headings and %d recipes", headings, len(recipes))
	}
	imports := []string{"context", "fmt", "math", "net/http"}
	for _, path := range []string{
		"linear", "linear/points", "query", "query/collide", "query/interest", "query/occlude", "query/scene", "query/show",
	} {
		imports = append(imports, "github.com/zoctree/zoctree/"+path)
	}
	compile(t, imports, recipes...)
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join("../query", m[2])); err != nil {
			t.Error(err)
		}
	}
}
