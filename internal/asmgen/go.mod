module github.com/zoctree/zoctree/internal/asmgen

go 1.26.0

require golang.org/x/arch v0.32.0
