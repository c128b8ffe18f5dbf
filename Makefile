# make test   everything a change has to pass: format, vet, tests with the race
#             detector, on one and two processors, the other platforms' builds, two seconds
#             for every fuzz test, and a minute for every parser of users' files
# make build  the static binary ./mahabo
# make lint   golangci-lint, downloaded on first use
# make attack what broke once under attack: kills, full disks, strangers, links, clocks; for
#             changes of server, queue, worker, store or import. MAHABO_KILLS=1000 kills as
#             many processes instead of 40
# make vulncheck  known holes in the modules that the binary calls; a step before releases
# make bench  speed of the kernels, then a small quality benchmark
# make fuzz   ten seconds for every fuzz test
# make parsers  the minute for the parsers alone: space files, CSV, JSON lines, output
#             of commands

GO       ?= go
LINT     := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0
VULN     := golang.org/x/vuln/cmd/govulncheck@v1.1.4
FUZZTIME ?= 10s
PARSERS  := space/FuzzParse study/FuzzImportCSV study/FuzzImportJSONL command/FuzzResult

.PHONY: test deps fmt vet race procs cross python build lint attack vulncheck bench fuzz parsers clean $(PARSERS:%=fuzz/%)

test: deps fmt vet race procs cross python
	$(MAKE) fuzz FUZZTIME=2s
	$(MAKE) -j4 parsers

# The page of results is tested in a browser, package store on a PostgreSQL server of its
# own, and the Python client with pytest.
deps:
	$(GO) mod download
	@if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then \
		apt-get install -y --no-install-recommends chromium || \
		{ apt-get update && apt-get install -y --no-install-recommends chromium; } || \
		echo "Chromium could not be installed: the browser test will fail without it"; fi
	@if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then \
		apt-get install -y --no-install-recommends postgresql || \
		{ apt-get update && apt-get install -y --no-install-recommends postgresql; } || \
		echo "PostgreSQL could not be installed: the tests of package store will fail without it"; fi
	@if ! python3 -m pytest --version >/dev/null 2>&1; then \
		python3 -m pip install pytest >/dev/null 2>&1 || \
		apt-get install -y --no-install-recommends python3-pytest || \
		{ apt-get update && apt-get install -y --no-install-recommends python3-pytest; } || \
		echo "pytest could not be installed: the tests of the Python client will fail without it"; fi

fmt:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then \
		echo "not formatted, run gofmt -w:"; echo "$$unformatted"; exit 1; fi

vet:
	$(GO) vet ./...

# The race detector needs cgo, hence a C compiler, and is slow on a busy machine.
race:
	CGO_ENABLED=1 $(GO) test -race -timeout 30m ./...

# Results must not depend on the number of processors: race has all of them, this has
# one. -count=1: the test cache does not know GOMAXPROCS.
procs:
	GOMAXPROCS=1 $(GO) test -count=1 -timeout 30m ./...

cross:
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) vet ./...

# The Python client against a server of its own.
python: build
	MAHABO=./mahabo python3 -m pytest -q client/python

build:
	CGO_ENABLED=0 $(GO) build -buildvcs=auto -trimpath -ldflags=-s -o mahabo ./cmd/mahabo

lint:
	$(GO) run $(LINT) run ./...

# The packages that talk to strangers or keep what they say, and the whole programs.
ATTACKED := ./command ./internal/queue ./internal/token ./server ./store/... ./study ./worker
PROGRAMS := Kills|Faults|DatabaseAway|Descriptors|Private|ReadOnly|Link|Worker|Serve|Import|Export

attack:
	$(GO) test -count=1 -timeout 10m $(ATTACKED)
	$(GO) test -count=1 -timeout 60m -run '$(PROGRAMS)' ./cmd/mahabo

vulncheck:
	$(GO) run $(VULN) ./...

bench: build
	$(GO) test -run '^$$' -bench . -benchtime 200ms ./...
	./mahabo bench run --suite smoke --jobs 2 --out results/smoke
	./mahabo bench table results/smoke

fuzz:
	@for package in $$($(GO) list ./...); do \
		for name in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$name"; \
			GO=$(GO) .ci/fuzz $$package $$name -fuzztime $(FUZZTIME) || exit 1; \
		done; \
	done

# All at once with -j4, hence one process each; it is to find new inputs, not to shorten
# interesting ones.
parsers: $(PARSERS:%=fuzz/%)

$(PARSERS:%=fuzz/%): fuzz/%:
	GO=$(GO) .ci/fuzz ./$(dir $*) $(notdir $*) -fuzztime 60s -fuzzminimizetime 1s -parallel 1

clean:
	rm -f mahabo
