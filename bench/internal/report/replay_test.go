package report

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// A report replayed from JSON equals the report itself, except for the machine, which stays that of the
// report, and the order of notes and tables.
func TestReplay(t *testing.T) {
	document := []byte(sample(t, JSON))
	for f, want := range map[Format]string{
		Text: `tree     one line
         and another
tier     go
noise    none

what    us
a|b   1.50
c       20

n
7
`,
		TSV: sample(t, TSV),
		Go:  "BenchmarkOdd 1 NaN x\n",
	} {
		var b strings.Builder
		r := New(&b, f, "other")
		must.Do(r.Replay(document))
		must.Do(r.Close())
		if got := b.String(); f == Go && !strings.HasSuffix(got, want) || f != Go && got != want {
			t.Errorf("%v:\n%s\nwant\n%s", f, got, want)
		}
	}
}

// A document that is replayed into JSON keeps tables and measures.
func TestReplayJSON(t *testing.T) {
	var b strings.Builder
	r := New(&b, JSON, "run")
	r.Machine(z80)
	must.Do(r.Replay([]byte(sample(t, JSON))))
	must.Do(r.Close())
	if got, want := b.String(), sample(t, JSON); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestReplayBad(t *testing.T) {
	for _, text := range []string{"", "[]", `{"schema": 99}`} {
		var b strings.Builder
		r := New(&b, Text, "run")
		r.Table("t", table.Column{Title: "x"})
		if err := r.Replay([]byte(text)); err == nil {
			t.Errorf("%q is replayed", text)
		}
	}
}
