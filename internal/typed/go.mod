module github.com/zoctree/zoctree/internal/typed

go 1.26.0
