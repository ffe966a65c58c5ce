package measure

import (
	"fmt"
	"time"

	"github.com/zoctree/zoctree/asm"
)

// Fixed work, timed at the start of each round: if its time spreads, so do all other times. The arithmetic
// depends only on the core, the stream on shared resources.
const (
	controlSteps = 1 << 18 // multiplications, each dependent on the previous one
	controlWords = 2 << 20 // 16 MiB
)

// Thresholds of [Noise.Loud], as shares of the median.
const (
	loudArithmetic = 0.05
	loudStream     = 0.10
	fewRounds      = 5
)

// control is the fixed work and its times since the last call of ListenAnew.
var control struct {
	words              [controlWords]uint64
	arithmetic, stream Series
}

// NoiseRule describes when a machine is too noisy.
const NoiseRule = `Each round also times two pieces of fixed work, a chain of multiplications and
a read of 16 MiB. When over all rounds the interquartile range of the first is
more than 5 % of its median, or that of the second more than 10 %, the machine
is too noisy for small differences, and the output has a note. Fewer than five
rounds are not judged.`

// ListenAnew resets the noise.
func ListenAnew() { control.arithmetic, control.stream = nil, nil }

// Listen runs and times the fixed work once. [Interleave] calls it before each round; commands that measure rounds
// themselves call it before theirs.
func Listen() {
	if control.words[0] == 0 { // unwritten pages would all map to the zero page
		for i := range control.words {
			control.words[i] = uint64(i) + 1
		}
	}
	start := time.Now()
	x := sink | 1
	for range controlSteps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	middle := time.Now()
	sink += x + asm.ReadSum(control.words[:])
	control.arithmetic = append(control.arithmetic, float64(middle.Sub(start).Nanoseconds()))
	control.stream = append(control.stream, float64(time.Since(middle).Nanoseconds()))
}

// Noise is the spread of the time of fixed work: interquartile ranges over medians.
type Noise struct {
	Rounds             int
	Arithmetic, Stream float64
}

// Heard returns the noise in all rounds since [ListenAnew].
func Heard() Noise {
	share := func(s Series) float64 {
		if m := s.Median(); m > 0 {
			return s.Spread() / m
		}
		return 0
	}
	return Noise{len(control.arithmetic), share(control.arithmetic), share(control.stream)}
}

// Loud reports whether the noise hides small differences, by the rule of [NoiseRule].
func (n Noise) Loud() bool {
	return n.Rounds >= fewRounds && (n.Arithmetic > loudArithmetic || n.Stream > loudStream)
}

// String returns one line.
func (n Noise) String() string {
	s := fmt.Sprintf("fixed work spreads by %.1f %% (arithmetic) and %.1f %% (stream) over %d rounds", 100*n.Arithmetic, 100*n.Stream, n.Rounds)
	switch {
	case n.Rounds < fewRounds:
		return s + ": too few to judge"
	case n.Loud():
		return s + fmt.Sprintf(": TOO NOISY for differences below %.0f %%", 100*max(n.Arithmetic, n.Stream))
	}
	return s
}
