package linear

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// The files that the comments in doc.go and in those of the internal packages list exist.
func TestFilesOfDoc(t *testing.T) {
	names, err := filepath.Glob("internal/*/doc.go")
	testkit.Must(t, err)
	n := 0
	for _, doc := range append(names, "doc.go") {
		text, err := os.ReadFile(doc)
		testkit.Must(t, err)
		_, files, _ := strings.Cut(string(text), "// Files of this package.")
		if doc != "doc.go" {
			_, files, _ = strings.Cut(string(text), "// # Files")
		}
		rows := regexp.MustCompile(`(?m)^//\t *([a-z_, ]+?)  `).FindAllStringSubmatch(files, -1)
		n += len(rows)
		for _, row := range rows {
			for name := range strings.SplitSeq(row[1], ", ") {
				if _, err := os.Stat(filepath.Join(filepath.Dir(doc), name+".go")); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if n < 60 {
		t.Errorf("%d rows of files", n)
	}
}
