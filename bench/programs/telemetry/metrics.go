package telemetry

import (
	"context"
	"expvar"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/zoctree/zoctree/linear"
)

// metrics are the figures of a server. The statistics of the tree are taken in the tick, since the tree must not change
// meanwhile; readers get the last ones.
type metrics struct {
	stats   atomic.Pointer[linear.Stats]
	log     *slog.Logger
	reports prometheus.Counter
	ticks   prometheus.Histogram
	tree    []prometheus.Collector
}

// gauges are figures of the tree.
var gauges = []struct {
	name, help string
	value      func(st linear.Stats) float64
}{
	{"vehicles", "Vehicles in the tree.", func(st linear.Stats) float64 { return float64(st.Objects) }},
	{"live_bytes", "Memory of the tree in use.", func(st linear.Stats) float64 { return float64(st.LiveBytes()) }},
	{"version_bytes", "Memory of published versions.", func(st linear.Stats) float64 { return float64(st.VersionBytes) }},
	{"depth", "Nodes on the longest path from the root to a packet.", func(st linear.Stats) float64 { return float64(st.Depth) }},
	{"fill", "Share of lanes in use, of the packets that hold objects.", func(st linear.Stats) float64 { return st.Fill }},
}

func newMetrics() *metrics {
	m := &metrics{
		log:     slog.New(slog.DiscardHandler),
		reports: prometheus.NewCounter(prometheus.CounterOpts{Name: "telemetry_reports_total", Help: "Reports applied."}),
		ticks: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "telemetry_tick_seconds", Help: "Duration of ticks.",
			Buckets: prometheus.ExponentialBuckets(1e-4, 2, 12)}),
	}
	m.stats.Store(new(linear.Stats))
	for _, g := range gauges {
		m.tree = append(m.tree, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "telemetry_" + g.name, Help: g.help},
			func() float64 { return g.value(*m.stats.Load()) }))
	}
	return m
}

// begin starts the clock of a tick. done ends it, with the number of reports and the error.
func (m *metrics) begin() (done func(tree *linear.Tree, reports int, err error)) {
	start := time.Now()
	return func(tree *linear.Tree, reports int, err error) {
		took, stats := time.Since(start), tree.Stats()
		m.stats.Store(&stats)
		m.reports.Add(float64(reports))
		m.ticks.Observe(took.Seconds())
		level := slog.LevelDebug
		if err != nil {
			level = slog.LevelError
		}
		m.log.Log(context.Background(), level, "tick", "took", took, "reports", reports, "tree", stats, "err", err)
	}
}

// Log makes ticks write a record: of level debug with the statistics of the tree as a group, of level error if they
// fail. Call it before the first tick.
func (p *Published) Log(to *slog.Logger) { p.metrics.log = to }

// Collectors returns the metrics for Prometheus: register them once.
//
//	prometheus.MustRegister(server.Collectors()...)
//	http.Handle("/metrics", promhttp.Handler())
func (p *Published) Collectors() []prometheus.Collector {
	return append([]prometheus.Collector{p.metrics.reports, p.metrics.ticks}, p.metrics.tree...)
}

// Var returns the statistics of the tree for package expvar, which serves them as JSON at /debug/vars:
//
//	expvar.Publish("telemetry", server.Var())
func (p *Published) Var() expvar.Var {
	return expvar.Func(func() any { return *p.metrics.stats.Load() })
}
