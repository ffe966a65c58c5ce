package show_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/show"
)

// TestBreakOff interrupts pages while the view is acquired or released: the next request is served.
func TestBreakOff(t *testing.T) {
	tree := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(300, 1), false)
	operations := []testkit.Operation{{Name: "Handler", Of: []string{"Handler"}, Alone: true, New: func(*testing.T, int) testkit.Call {
		var back func()
		h := show.Handler(func() (linear.View, func()) {
			back()
			return tree.View(), func() { back() }
		})
		return testkit.Call{Do: func(ctx context.Context, b func()) (any, error) {
			back = b
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/picture", nil).WithContext(ctx))
			return w.Body.String(), nil
		}}
	}}}
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}
