package testkit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"sync/atomic"
	"testing"
)

// Operation is a library call with callbacks or a context, for tests of cancellation and of panics
// in callbacks: see [BreakOff].
type Operation struct {
	Name string

	// Of lists the exported names that the operation tests: functions, methods as Type.Method, and
	// fields as Type.Field.
	Of []string

	// Context means that the call takes a context and checks it.
	Context bool

	// Silent means that the call has no callbacks.
	Silent bool

	// Alone means that the call does not depend on the number of workers.
	Alone bool

	// Slow means that a call takes milliseconds, such as a write to a disk.
	Slow bool

	// New returns the call with its receiver and arguments; they are the same for the same number
	// of workers.
	New func(t *testing.T, workers int) Call
}

// Call is an operation that is ready to be called repeatedly.
type Call struct {
	// Do makes the call. All callbacks call back, on the goroutine that they are called on. The
	// answer of a call without an error is the same each time.
	Do func(ctx context.Context, back func()) (answer any, err error)

	// State, unless nil, returns all state of the receiver that an interrupted call must leave
	// unchanged.
	State func() any
}

// Iteration returns an operation with the given name for an iterator over comparable values.
func Iteration[T any](name string, seq iter.Seq[T]) Operation {
	return Operation{Name: name, Of: []string{name}, Alone: true, New: func(*testing.T, int) Call {
		return Call{Do: func(_ context.Context, back func()) (any, error) {
			var list []T
			for x := range seq {
				back()
				list = append(list, x)
			}
			return list, nil
		}}
	}}
}

// Keys returns an iterator over the first value of each pair.
func Keys[K, V any](seq iter.Seq2[K, V]) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range seq {
			if !yield(k) {
				return
			}
		}
	}
}

// broken is the panic value of a callback.
type broken struct{ call int }

// BreakOff tests that operations can be interrupted, with 1, 2 and 4 workers: by a panic in the
// n-th callback, and by a context that ends before, during or after the call. It checks that the
// panic of the callback reaches the goroutine of the caller, that no goroutine leaks, and that the
// receiver is unchanged. It also checks that the next call has the same answer as one without
// interruption. The long form tests every n.
func BreakOff(t *testing.T, operations []Operation) {
	for _, o := range operations {
		counts := Raced([]int{1, 2, 4}, []int{4})
		if o.Slow {
			counts = Budget(t, []int{2}, counts)
		}
		if o.Alone {
			counts = counts[:1]
		}
		for _, workers := range counts {
			t.Run(fmt.Sprintf("%s/workers=%d", o.Name, workers), func(t *testing.T) {
				b := breaker{t: t, call: o.New(t, workers), slow: o.Slow}
				var err error
				if b.want, err = o.New(t, workers).Do(context.Background(), func() {}); err != nil {
					t.Fatal(err)
				}
				if !o.Silent && b.each("callback", b.panics) == 0 {
					t.Error("nothing was called back")
				}
				if o.Context {
					if b.each("look at the context", b.expires) == 0 {
						t.Error("the context was never looked at")
					}
					b.each("callback", b.cancels)
					b.cancelledAfter()
				}
			})
		}
	}
}

type breaker struct {
	t    *testing.T
	call Call
	slow bool
	want any
}

// each interrupts the call at its n-th event, for some or all n, until there are no more events. It
// returns the number of interruptions.
func (b *breaker) each(event string, breakAt func(n int) (done bool)) (times int) {
	b.t.Helper()
	grain := Budget(b.t, 2, 1<<30)
	most := Raced(Budget(b.t, 12, 3000), 4)
	if b.slow {
		grain, most = Budget(b.t, 1, 1<<30), Budget(b.t, 2, 300)
	}
	for n := 0; times < most; n += max(n/grain, 1) {
		before := b.state()
		if breakAt(n) {
			break
		}
		times++
		if left := Workers(); len(left) > 0 {
			b.t.Fatalf("broken off at %s %d: a goroutine is left:\n%s", event, n, left[0])
		}
		if now := b.state(); !reflect.DeepEqual(now, before) {
			b.t.Fatalf("broken off at %s %d: the state is %v, it was %v", event, n, now, before)
		}
		if answer, err := b.call.Do(context.Background(), func() {}); err != nil || !reflect.DeepEqual(answer, b.want) {
			b.t.Fatalf("broken off at %s %d: the next call answers %v, %v, want %v", event, n, answer, err, b.want)
		}
	}
	return times
}

func (b *breaker) state() any {
	if b.call.State == nil {
		return nil
	}
	return b.call.State()
}

// panics interrupts the call with a panic in callback n.
func (b *breaker) panics(n int) (done bool) {
	var calls atomic.Int64
	value := Panic(func() {
		b.call.Do(context.Background(), func() {
			if int(calls.Add(1)) == n+1 {
				panic(broken{n})
			}
		})
	})
	if value == nil && int(calls.Load()) <= n {
		return true
	}
	if value != (broken{n}) {
		b.t.Fatalf("callback %d panicked, the call with %v", n, value)
	}
	return false
}

// expires interrupts the call at check n of the context, which has ended.
func (b *breaker) expires(n int) (done bool) {
	return b.ends(ExpireAfter(n), func() {})
}

// cancels interrupts the call with a callback that cancels the context.
func (b *breaker) cancels(n int) (done bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var calls atomic.Int64
	done = b.ends(ctx, func() {
		if int(calls.Add(1)) == n+1 {
			cancel()
		}
	})
	return done && int(calls.Load()) <= n
}

// ends makes a call whose context may end, and reports whether the call completed.
func (b *breaker) ends(ctx context.Context, back func()) (whole bool) {
	answer, err := b.call.Do(ctx, back)
	if err == nil {
		if !reflect.DeepEqual(answer, b.want) {
			b.t.Fatalf("a call that has not noticed that its context ended answers %v, want %v", answer, b.want)
		}
		return true
	}
	if !errors.Is(err, context.Canceled) {
		b.t.Fatalf("the context was cancelled, the error is %v", err)
	}
	return false
}

// cancelledAfter cancels the context of a call that has returned.
func (b *breaker) cancelledAfter() {
	ctx, cancel := context.WithCancel(context.Background())
	whole := b.ends(ctx, func() {})
	cancel()
	if answer, err := b.call.Do(context.Background(), func() {}); !whole || err != nil || !reflect.DeepEqual(answer, b.want) {
		b.t.Errorf("cancelled after a call, the next one answers %v, %v, want %v", answer, err, b.want)
	}
}
