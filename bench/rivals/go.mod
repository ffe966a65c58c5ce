module github.com/zoctree/zoctree/bench/rivals

go 1.26.0

require (
	github.com/RoaringBitmap/roaring/v2 v2.30.0
	github.com/dhconnelly/rtreego v1.2.0
	github.com/kyroy/kdtree v0.0.0-20200419114247-70830f883f1d
	github.com/tidwall/rtree v1.10.0
	github.com/zoctree/zoctree v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/kyroy/priority-queue v0.0.0-20180327160706-6e21825e7e0c // indirect
	github.com/mschoch/smat v0.2.0 // indirect
	github.com/tidwall/geoindex v1.7.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/zoctree/zoctree => ../..
