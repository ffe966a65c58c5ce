package linear

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The files that the comment in doc.go lists exist.
func TestFilesOfDoc(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, files, _ := strings.Cut(string(text), "// Files of this package.")
	rows := regexp.MustCompile(`(?m)^//\t *([a-z_, ]+?)  `).FindAllStringSubmatch(files, -1)
	for _, row := range rows {
		for name := range strings.SplitSeq(row[1], ", ") {
			if _, err := os.Stat(name + ".go"); err != nil {
				t.Error(err)
			}
		}
	}
	if len(rows) < 40 {
		t.Errorf("%d rows of files", len(rows))
	}
}
