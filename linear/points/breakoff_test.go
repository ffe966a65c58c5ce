package points

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// TestBreakOff cancels readers by Progress, by the context and by an error of the underlying reader.
func TestBreakOff(t *testing.T) {
	var file strings.Builder
	file.WriteString("x,y,z\n")
	for file.Len() < testkit.Budget(t, 150_000, 300_000) {
		file.WriteString("1.25,2.5,-3\n")
	}
	var operations []testkit.Operation
	for _, text := range []string{file.String(), zip(file.String())} {
		operations = append(operations, testkit.Operation{
			Name: "Read", Of: []string{"Read", "Options.Progress"}, Context: true, Alone: true,
			New: func(*testing.T, int) testkit.Call {
				return testkit.Call{Do: func(ctx context.Context, back func()) (any, error) {
					return Read(ctx, strings.NewReader(text), "file.csv", Options{Progress: func(int64, int64) { back() }})
				}}
			},
		}, testkit.Operation{
			Name: "Read of a reader that panics", Of: []string{"Read"}, Alone: true,
			New: func(*testing.T, int) testkit.Call {
				return testkit.Call{Do: func(ctx context.Context, back func()) (any, error) {
					r := strings.NewReader(text)
					return Read(ctx, reads(func(p []byte) (int, error) { back(); return r.Read(p) }), "file.csv", Options{})
				}}
			},
		}, testkit.Operation{
			Name: "Open", Of: []string{"Open", "Options.Progress"}, Context: true, Alone: true,
			New: func(t *testing.T, _ int) testkit.Call {
				path := filepath.Join(t.TempDir(), "file.csv")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return testkit.Call{Do: func(ctx context.Context, back func()) (any, error) {
					return Open(ctx, path, Options{Progress: func(int64, int64) { back() }})
				}}
			},
		}, testkit.Operation{
			Name: "Chunks", Of: []string{"Chunks", "Options.Progress"}, Context: true, Alone: true,
			New: func(t *testing.T, _ int) testkit.Call {
				path := filepath.Join(t.TempDir(), "file.csv")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return testkit.Call{Do: func(ctx context.Context, back func()) (any, error) {
					n := 0
					for c, err := range Chunks(ctx, path, Options{Progress: func(int64, int64) { back() }}) {
						if err != nil {
							return nil, err
						}
						back()
						n += len(c.Points)
					}
					return n, nil
				}}
			},
		})
	}
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}

type reads func(p []byte) (int, error)

func (r reads) Read(p []byte) (int, error) { return r(p) }
