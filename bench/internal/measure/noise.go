package measure

import (
	"fmt"
	"time"

	"github.com/zoctree/zoctree/asm"
)

// Work that never changes, timed at the start of each round: when its time
// spreads, so does that of everything else. The arithmetic depends on the core
// alone, the stream on what it shares with others.
const (
	controlSteps = 1 << 18 // multiplications, each of which waits for the one before
	controlWords = 2 << 20 // 16 MiB
)

// The rule of [Noise.Loud], as shares of the median.
const (
	loudArithmetic = 0.05
	loudStream     = 0.10
	fewRounds      = 5
)

// control is the work and its times since the last call of ListenAnew.
var control struct {
	words              [controlWords]uint64
	arithmetic, stream Series
}

// NoiseRule says in words when a machine is too noisy.
const NoiseRule = `Each round also times two pieces of fixed work, a chain of multiplications and
a read of 16 MiB. When over all rounds the interquartile range of the first is
more than 5 % of its median, or that of the second more than 10 %, the machine
is too noisy to tell small differences, and the output says so. Fewer than five
rounds tell nothing.`

// ListenAnew forgets the noise so far.
func ListenAnew() { control.arithmetic, control.stream = nil, nil }

// listen times the fixed work once.
func listen() {
	if control.words[0] == 0 { // pages that nobody wrote would all be one page of zeros
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

// Noise is how much the time of fixed work spreads: interquartile ranges over
// medians.
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

// Loud reports whether the noise hides small differences, by [NoiseRule].
func (n Noise) Loud() bool {
	return n.Rounds >= fewRounds && (n.Arithmetic > loudArithmetic || n.Stream > loudStream)
}

// String returns one line.
func (n Noise) String() string {
	s := fmt.Sprintf("fixed work spreads by %.1f %% (arithmetic) and %.1f %% (stream) over %d rounds", 100*n.Arithmetic, 100*n.Stream, n.Rounds)
	switch {
	case n.Rounds < fewRounds:
		return s + ": too few to tell"
	case n.Loud():
		return s + fmt.Sprintf(": TOO NOISY to tell differences below %.0f %%", 100*max(n.Arithmetic, n.Stream))
	}
	return s
}
