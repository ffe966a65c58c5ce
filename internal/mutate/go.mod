module github.com/zoctree/zoctree/internal/mutate

go 1.26.0
