package linear_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// digestStory is a tree under random changes that are the same on every machine.
type digestStory struct {
	name    string
	cfg     linear.Config
	n       int // approximate number of objects
	rounds  int
	steps   int  // operations of a round
	leaving bool // whether every fourth round removes nearly all objects
}

func digestStories() (stories []digestStory) {
	for i, cfg := range modelConfigs {
		stories = append(stories,
			digestStory{fmt.Sprintf("config %d small", i), cfg, 30, 4, 60, false},
			digestStory{fmt.Sprintf("config %d medium", i), cfg, 400, 4, 60, false})
	}
	loose := linear.Config{PendingMin: 50, PendingShare: 1 << 20}
	refined := linear.Config{PendingMin: 50, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, Slack: 20, SplitAbove: 12}
	still := linear.Config{Policy: linear.PolicyIncremental}
	for name, cfg := range map[string]linear.Config{"default": {}, "late": loose, "refined": refined, "incremental": still} {
		stories = append(stories, digestStory{name + " large", cfg, 5000, 8, 40, true})
	}
	return stories
}

// tell runs the story and calls look after each round.
func (d *digestStory) tell(t testing.TB, look func(round int, tree *linear.Tree)) {
	m := newModel(t, d.cfg, uint64(d.n), 300)
	for round := range d.rounds {
		if d.leaving && round%4 == 3 {
			for len(m.ids) > d.n/20 {
				id := m.pick()
				must(t, m.tree.Remove(id))
				m.forget(id)
			}
			tick(t, m.tree)
		}
		for range d.steps {
			m.step(t, d.n)
		}
		look(round, m.tree)
	}
}

// formerNames gives the counts of Work the names that they had when the digests were written.
var formerNames = strings.NewReplacer("Placed:", "Homed:", "Views:", "Looked:", "RemovedOutside:", "Departed:")

// digests is a line for each round of each story: sizes, to locate a difference, and a hash of all stored data
// and of the work of the last tick.
func digests(t testing.TB) map[string]string {
	lines := map[string]string{}
	for _, d := range digestStories() {
		d.tell(t, func(round int, tree *linear.Tree) {
			v, h := tree.View(), fnv.New64a()
			fmt.Fprint(h, dump(tree, v.Store()))
			work := formerNames.Replace(fmt.Sprintf("%+v", tree.Work()))
			fmt.Fprint(h, strings.Replace(work, " Departed:0", "", 1)) // the file predates the field
			st := tree.Stats()
			lines[fmt.Sprintf("%s %d", d.name, round)] = fmt.Sprintf("objects %d pending %d nodes %d packets %d hash %016x",
				st.Objects, st.Pending, st.Nodes, st.Packets, h.Sum64())
		})
	}
	return lines
}

// A tree is a function of its calls alone. These trees equal the trees in the file, on every machine. Any
// change of a decision about the layout is deliberate, made with -update, since it would break replicas that
// replay calls.
func TestDigests(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("one goroutine, told without the race detector, too")
	}
	golden(t, "testdata/digests.txt", digests(t), true)
}

// golden compares named lines, all or some, with the lines of a file, or writes the file.
func golden(t *testing.T, file string, lines map[string]string, all bool) {
	t.Helper()
	if *update && all {
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(&text, "%s: %s\n", name, lines[name])
		}
		must(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	text, err := os.ReadFile(file)
	must(t, err)
	seen := 0
	for line := range strings.Lines(string(text)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
		got, told := lines[name]
		if told {
			seen++
		}
		if (told || all) && got != want {
			t.Errorf("%s: %s, it was %s", name, got, want)
		}
	}
	if seen != len(lines) {
		t.Errorf("%d lines in %s, %d trees", seen, file, len(lines))
	}
}
