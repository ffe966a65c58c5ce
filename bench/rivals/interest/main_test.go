package main

import (
	"strings"
	"testing"
)

// All forms tell the same, and the table has a row for each.
func TestInterest(t *testing.T) {
	var out, errs strings.Builder
	if code := run([]string{"-n", "2k,5k", "-frames", "3", "-format", "tsv"}, &out, &errs); code != 0 {
		t.Fatalf("exit code %d, %s", code, errs.String())
	}
	for _, f := range forms {
		if n := strings.Count("\n"+out.String(), "\n"+f.name+"\t"); n != 2 {
			t.Errorf("%d rows of %s in\n%s", n, f.name, out.String())
		}
	}
}

// What a form tells otherwise is found.
func TestInterestDiffers(t *testing.T) {
	m, err := newMeadow(2000, 20, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	whole := forms[2].tell
	defer func() { forms[2].tell = whole }()
	forms[2].tell = func(m *meadow) error {
		err := whole(m)
		l := m.lists["sort"]
		l.left[3] = append(l.left[3], 7)
		return err
	}
	if _, err := m.frames(1); err == nil {
		t.Error("nobody has noticed")
	}
}
