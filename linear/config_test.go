package linear_test

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/linear"
)

// Off and every other negative number turn a feature off, and 0 means the default, which Tree.Config returns.
func TestConfigOff(t *testing.T) {
	for name, field := range map[string]struct {
		of    func(c *linear.Config) *int
		zero  int
		wrong int
	}{
		"GrowShare":   {func(c *linear.Config) *int { return &c.GrowShare }, 16, 1},
		"ShrinkShare": {func(c *linear.Config) *int { return &c.ShrinkShare }, 4, 1},
		"Lifespan":    {func(c *linear.Config) *int { return &c.Lifespan }, 8, 65},
		"Slack":       {func(c *linear.Config) *int { return &c.Slack }, linear.DefaultSlack, 101},
	} {
		for given, want := range map[int]int{0: field.zero, linear.Off: linear.Off, -7: linear.Off, 2: 2} {
			var cfg linear.Config
			*field.of(&cfg) = given
			tree, err := linear.New(cfg)
			must(t, err)
			got := tree.Config()
			if n := *field.of(&got); n != want {
				t.Errorf("%s %d is %d, want %d", name, given, n, want)
			}
		}
		var cfg linear.Config
		*field.of(&cfg) = field.wrong
		if _, err := linear.New(cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s %d: %v, want an error", name, field.wrong, err)
		}
	}
}
