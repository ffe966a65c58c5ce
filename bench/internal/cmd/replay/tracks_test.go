package replay

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
)

// Three tracks: 1 overlaps 0 twice, is away for an instant, and overlaps 5, which starts late.
const threeTracks = `t_s,flight,x_m,y_m,z_m
0,0,0,0,0
0,1,8,0,0
10,0,0,0,0
10,1,0,10,0
20,0,0,0,0
30,0,0,0,0
30,1,50,50,50
30,5,56,58,50
`

func tracksFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tracks.csv")
	must.Do(os.WriteFile(path, []byte(text), 0o666))
	return path
}

func TestTracks(t *testing.T) {
	path := tracksFile(t, threeTracks)
	out := strings.Join(strings.Fields(bench.Good(t, "replay", "tracks", "-in", path, "-half", "5", "-repeat", "2")), " ")
	for _, want := range []string{
		"8 positions of 6 tracks at 4 instants",
		"objects objects 2.00 3.00 8.00", "moved objects 1.00 2.00 4.00", "inserted objects 1.00 2.00 4.00",
		"removed objects 0.00 1.00 1.00", "pairs of boxes pairs 1.00 1.00 3.00",
		"near 3 pairs within 10 m at the same instant, of 2 pairs of tracks",
		"closest tracks 0 and 1, 8.0 m apart",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	// All tracks at once: 5 starts with the others, and far from them.
	out = bench.Good(t, "replay", "tracks", "-in", path, "-half", "5", "-repeat", "1", "-together")
	if want := "2 pairs within 10 m at the same instant, of 1 pairs of tracks"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	for _, bad := range []struct{ text, want string }{
		{"t_s,flight,x_m,y_m,z_m\n0,-1,0,0,0\n", "row 0: flight -1"},
		{"t_s,flight,x_m,y_m,z_m\n0,1.5,0,0,0\n", "row 0: flight 1.5"},
		{"t_s,flight,x_m,y_m,z_m\n0,1,0,0,0\n0,1,0,0,0\n", "row 1: flight 1 is twice at 0 s"},
		{"t_s,x_m,y_m,z_m\n0,0,0,0\n", "no column flight"},
	} {
		if o := bench.Do("replay", "tracks", "-in", tracksFile(t, bad.text)); o.Code != 1 || !strings.Contains(o.Errs, bad.want) {
			t.Errorf("%q: exit code %d, errors %q, want %q", bad.text, o.Code, o.Errs, bad.want)
		}
	}
	if o := bench.Do("replay", "tracks"); o.Code != 2 {
		t.Errorf("no file: exit code %d", o.Code)
	}
}

// Pairs at one instant, counted by double loops.
func (t *tracks) nearPairs(within float64) (pairs int, nearTracks map[[2]int]bool, closest float64) {
	nearTracks, closest = map[[2]int]bool{}, math.Inf(1)
	for _, positions := range t.instants {
		for i, a := range positions {
			for _, b := range positions[i+1:] {
				d := math.Sqrt((a.at[0]-b.at[0])*(a.at[0]-b.at[0]) + (a.at[1]-b.at[1])*(a.at[1]-b.at[1]) + (a.at[2]-b.at[2])*(a.at[2]-b.at[2]))
				if d <= within {
					pairs++
					nearTracks[[2]int{a.track, b.track}] = true
					closest = min(closest, d)
				}
			}
		}
	}
	return pairs, nearTracks, closest
}

// The aircraft of a day: published counts, and with all flights in the air at once the counts of double
// loops.
func TestDataAircraftPairs(t *testing.T) {
	path := testkit.Data(t, "adsb_switzerland_20180801.csv.gz")
	const half = 5000
	for _, together := range []bool{false, true} {
		if together && testing.Short() {
			continue
		}
		list := readTracks(path, together)
		pairs, flights, distance := 9078, 1325, 352.5
		if together {
			var nearTracks map[[2]int]bool
			pairs, nearTracks, distance = list.nearPairs(2 * half)
			flights = len(nearTracks)
		}
		if list.positions != 139_098 || list.count != 1243 || !together && len(list.instants) != 6120 {
			t.Errorf("%d positions of %d tracks at %d instants", list.positions, list.count, len(list.instants))
		}
		testkit.EachTier(t, func(t *testing.T) {
			s := replayTracks(list, half, 1)
			near, objects := 0.0, 0.0
			for i := range s.near {
				near += s.near[i]
				objects = max(objects, s.objects[i])
			}
			if int(near) != pairs || len(s.pairs) != flights || math.Abs(s.distance-distance) > 0.05 || !together && objects != 47 {
				t.Errorf("together %v: %v pairs of %d pairs of tracks, the closest %v m apart, up to %v at once; want %d, %d, %v, 47",
					together, near, len(s.pairs), s.distance, objects, pairs, flights, distance)
			}
		})
	}
}
