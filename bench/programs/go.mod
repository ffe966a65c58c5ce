module github.com/zoctree/zoctree/bench/programs

go 1.26.0

require (
	github.com/paulmach/orb v0.14.0
	github.com/zoctree/zoctree v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/prometheus/client_model v0.6.2 // indirect
	github.com/prometheus/common v0.70.1 // indirect
	github.com/prometheus/procfs v0.21.1 // indirect
	github.com/tidwall/geoindex v1.7.0 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)

require (
	github.com/prometheus/client_golang v1.24.1
	github.com/tidwall/rtree v1.10.0
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/zoctree/zoctree => ../..
