module github.com/zoctree/zoctree/bench/rivals

go 1.26.0

replace github.com/zoctree/zoctree => ../..
