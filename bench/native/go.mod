module github.com/zoctree/zoctree/bench/native

go 1.26.0

require github.com/zoctree/zoctree v0.0.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/zoctree/zoctree => ../..
