module github.com/mahabo/mahabo

go 1.26.0

require (
	github.com/alecthomas/kong v1.16.1
	github.com/google/go-cmp v0.7.0
	github.com/vbauerster/mpb/v8 v8.12.0
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/acarl005/stripansi v0.0.0-20180116102854-5a71ef0e047d // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/mattn/go-runewidth v0.0.20 // indirect
)
