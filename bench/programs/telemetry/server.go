// Package telemetry is a server of the positions of vehicles, in two ways: Locked is the server that such programs
// begin with, a map under a lock; Published is the same server moved over to a tree, whose readers block no one and
// scan nothing. Handler serves either over HTTP.
//
// Published also shows metrics: for Prometheus, expvar and slog.
package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// Server is what both do. Report and Leave take effect at the next Tick of a Published, and at once otherwise.
type Server interface {
	Report(name string, at [3]float32) error                // a new vehicle, or a new position
	Leave(name string)                                      // removes a vehicle, if there is one
	Near(at [3]float32, radius float32) ([]Sighting, error) // nearest first
	Len() int
}

// Sighting is a vehicle and its distance.
type Sighting struct {
	Name string  `json:"name"`
	Dist float32 `json:"dist"`
}

// Handler serves
//
//	POST /report {"name": "bus 7", "at": [1, 2, 0]}
//	GET  /near?x=1&y=2&z=0&r=100
func Handler(s Server) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		var report struct {
			Name string
			At   [3]float32
		}
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<12)).Decode(&report)
		if err == nil && report.Name == "" {
			err = errors.New("no name")
		}
		if err == nil {
			err = s.Report(report.Name, report.At)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	mux.HandleFunc("GET /near", func(w http.ResponseWriter, r *http.Request) {
		var numbers [4]float32
		for i, key := range []string{"x", "y", "z", "r"} {
			x, err := strconv.ParseFloat(r.FormValue(key), 32)
			if err != nil {
				http.Error(w, fmt.Sprintf("%s: %v", key, err), http.StatusBadRequest)
				return
			}
			numbers[i] = float32(x)
		}
		seen, err := s.Near([3]float32(numbers[:3]), numbers[3])
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(seen)
	})
	return mux
}
