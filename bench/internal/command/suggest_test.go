package command

import "testing"

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"same", "same", 0}, {"camera", "cameras", 1}, {"sceen", "scene", 1},
		{"pictrue", "picture", 1}, {"run", "sun", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"n", "in", "run", "cameras", "cpuprofile", "scene", "scale pebble", "scale parquet"}
	for name, want := range map[string]string{
		"camera": "cameras", "CAMERAS": "cameras", "cpu": "cpuprofile", "sceen": "scene", "rum": "run", "scale": "", // of two
		"x": "", "": "", "entirely": "", "m": "", "im": "in",
	} {
		if got := near(name, names); got != want {
			t.Errorf("near(%q) = %q, want %q", name, got, want)
		}
	}
}
