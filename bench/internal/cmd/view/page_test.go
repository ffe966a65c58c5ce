package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/cmd/view/demo"
)

// shown is what the page has asked and been told.
type shown struct {
	Question demo.Question
	Answer   demo.Answer
	State    struct {
		Scene string
		N     int
		Seed  uint64
	}
	Drawn int // frames
}

// show gives the page a state, by its address, and waits until it has an answer.
func (d *driver) show(state string) (s shown) {
	d.t.Helper()
	d.wait("window.page && page.timed")
	d.run(nil, "page.timed = false; location.hash = arguments[0]", state)
	d.wait("window.page && page.question && page.timed && page.stage.drawn && !page.stage.pending")
	var text string
	d.run(&text, "return JSON.stringify({...page, order: 0, drawn: page.stage.drawn, stage: 0})")
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		d.t.Fatal(err)
	}
	return s
}

// counts are the numbers that do not depend on the clock.
func counts(a demo.Answer) (list []any) {
	for _, n := range a.Numbers {
		list = append(list, n)
	}
	for _, b := range a.Bars {
		if b.Unit != "µs" {
			list = append(list, b)
		}
	}
	return append(list, a.Boxes, a.Lines, a.Equal)
}

// same asks the same of the library here.
func (s *shown) same(t *testing.T) {
	t.Helper()
	stage, err := demo.NewStage(s.State.Scene, s.State.N, s.State.Seed)
	if err != nil {
		t.Fatal(err)
	}
	for frame := range s.Question.Frame { // as the page came there
		q := s.Question
		q.Frame = frame
		if _, err := stage.Ask(q); err != nil {
			t.Fatal(err)
		}
	}
	want, err := stage.Ask(s.Question)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := counts(s.Answer), counts(want); !reflect.DeepEqual(got, want) || !s.Answer.Equal {
		t.Errorf("%s: the page has\n%v\nand Go\n%v", s.Question.Mode, got, want)
	}
}

// blank tells whether a part of a picture is nearly of one colour.
func blank(t *testing.T, shot []byte, part image.Rectangle) bool {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	other, first := 0, img.At(part.Min.X+1, part.Min.Y+1)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if img.At(x, y) != first {
				other++
			}
		}
	}
	return other < part.Dx()*part.Dy()/50
}

// In a browser every mode shows the numbers that Go has, draws something, and complains
// of nothing.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	d := browse(t)
	files, err := site(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(files)
	defer server.Close()
	d.size(800, 500)
	d.open(server.URL + "/#n=1000")
	for i, mode := range []string{demo.Camera, demo.Occlusion, demo.Ray, demo.Nearest, demo.Pairs, demo.Tree, demo.Curve, demo.Motion, demo.Interest} {
		scene, n := []string{"city", "uniform"}[i%2], 4000
		if mode == demo.Motion || mode == demo.Interest {
			scene, n = demo.Moving, 2000+i
		}
		s := d.show(fmt.Sprintf("mode=%s&scene=%s&n=%d&seed=3&frame=4&k=50", mode, scene, n))
		if s.Question.Mode != mode || s.State.Scene != scene || s.State.N != n || s.Drawn == 0 {
			t.Errorf("mode %s of %s: the question is %+v, the state %+v", mode, scene, s.Question, s.State)
		}
		s.same(t)
		if blank(t, d.screenshot(), image.Rect(0, 0, 390, 460)) {
			t.Errorf("mode %s of %s: the picture is blank", mode, scene)
		}
		if lines := d.console(); len(lines) > 0 {
			t.Errorf("mode %s of %s: the console has %q", mode, scene, lines)
		}
	}
}
