# make check  for daily work: format, vet, lint and the short tests, under two minutes
# make test   everything a change has to pass: it installs what the tests need, checks format
#             and vet, runs all tests, those of concurrent packages with the race detector too,
#             and the Python package's
# make build  the static binary ./mahabo
# make cross  the other platforms' builds
# make arm64  vet and the tests of kernels, models and `adaptive` for arm64, under qemu-user
#             where the machine has another processor; it says nothing about speed
# make picture  the picture of a study in README.md
# make wheels the Python wheels of all platforms, in dist/
# make integrations  the Python package with Optuna, scikit-learn, Ray, Hydra and MLflow, in a
#             virtual environment of its own
# make echarts  the script library of charts, from npm; only after a change of what charts need
# make lint   golangci-lint, downloaded on first use
# make attack what broke once under attack: kills, full disks, strangers, links, clocks; for
#             changes of server, queue, worker, store or import. MAHABO_KILLS=1000 kills as
#             many processes instead of 40
# make vulncheck  known holes in the modules that the binary calls; a step before releases
# make bench  speed of the kernels, then a small quality benchmark
# make fuzz   ten seconds for every fuzz test; make -j4 parsers a minute for the parsers of
#             users' files
# make peers  virtual environments with other optimisers and with the benchmark's problems
#             in Python, bench/peers and bench/problems: Python 3.11, about 18 GB
# make coco   a virtual environment with COCO's test functions, bench/coco

GO       ?= go
LINT     := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0
VULN     := golang.org/x/vuln/cmd/govulncheck@v1.1.4
FUZZTIME ?= 10s
PARSERS  := space/FuzzParse internal/table/FuzzImportCSV internal/table/FuzzImportJSONL internal/table/FuzzImportParquet command/FuzzResult

.PHONY: check test deps fmt vet short full race cross arm64 python picture wheels integrations build echarts lint attack vulncheck bench peers coco fuzz parsers clean $(PARSERS:%=fuzz/%)

check: fmt vet lint short

# The Python tests wait for most of their time, beside those with the race detector.
test: deps fmt vet full
	$(MAKE) -j2 race python

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

short:
	$(GO) test -short ./...

# Tests change the number of processors where results must not depend on it. Those that look at
# pages keep what they see in dist/screenshots. What make vet has looked at is not looked at again.
full:
	MAHABO_SCREENSHOTS=$(CURDIR)/dist/screenshots $(GO) test -vet=off -timeout 20m ./...

# Where several goroutines meet: in the tests of some packages but those that only compute or read, in few of
# others. The race detector needs cgo, hence a C compiler, and makes computing ten times as long.
CONCURRENT := . ./evaluate ./command ./study ./store/... ./server ./worker ./internal/queue ./internal/token ./internal/parallel
ALONE      := TestFeasibilityIsLearned|TestCostAware|TestFormerStudy|TestNote|TestTurboResizesWithAllKinds|TestHeartbeatsOfLongTrialsAreFew|TestManyReportsStayCheap|TestLargeStudyIsLight|TestOldPointsArePacked|TestOldSQLiteFileContinues|TestOldPostgreSQLDumpContinues
THREADED   := ./internal/problem ./internal/linalg ./internal/method/paper/turbo ./internal/bench ./internal/web
MEETINGS   := TestLargeOrders|TestFactorGrows|TestTurboReplay|TestCandidates|TestProblemsAreShared|TestValuesDoNotDependOnThreads|TestInterruptedRunContinues|TestOneFailureDoesNotStopTheOthers|TestReplay|TestRunCrews|TestOneWriterAtATime|TestBrowser
race:
	CGO_ENABLED=1 $(GO) test -race -vet=off -short -timeout 20m -skip '^($(ALONE))$$' $(CONCURRENT)
	CGO_ENABLED=1 $(GO) test -race -vet=off -short -timeout 20m -run '^($(MEETINGS))$$' $(THREADED)

cross:
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) vet ./...

# The packages whose numbers come from the NEON kernels. On an arm64 machine all their short tests run;
# an emulated processor is so much slower that those of ADAPTIVE which search longest are left out.
ARM64    := ./internal/linalg ./internal/gp ./internal/rng
ADAPTIVE := ./internal/method/adaptive
LONGEST  := TestAscent|TestOpposite|TestFallback|TestCancelledFit|TestFirstDescents|TestManyReplay|TestManySeeAll|TestKnownNoise|TestAdaptiveTrusts|TestRelevanceLeaves|TestRelevanceOfMany
EMULATOR ?= $(if $(filter aarch64 arm64,$(shell uname -m)),,qemu-aarch64)
arm64:
	@if [ -n "$(EMULATOR)" ] && ! command -v $(EMULATOR) >/dev/null; then \
		apt-get install -y --no-install-recommends qemu-user || \
		{ apt-get update && apt-get install -y --no-install-recommends qemu-user; } || \
		{ echo "qemu-user could not be installed: set EMULATOR to a program that runs arm64 binaries"; exit 1; }; fi
	CGO_ENABLED=0 GOARCH=arm64 $(GO) vet ./...
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -short -timeout 60m $(EMULATOR:%=-exec %) $(ARM64)
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -short -timeout 60m $(EMULATOR:%=-exec % -skip '$(LONGEST)') $(ADAPTIVE)

# The Python client against a server of its own.
python: build
	MAHABO=./mahabo python3 -m pytest -q client/python

picture: build
	docs/picture.sh

wheels:
	python3 client/python/wheels.py --out dist

# The versions are those of requirements.txt.
integrations: build
	python3 -m venv .integrations
	.integrations/bin/python -m pip install --quiet --requirement client/python/integrations/requirements.txt
	MAHABO=./mahabo .integrations/bin/python -m pytest -q client/python/integrations

build:
	CGO_ENABLED=0 $(GO) build -v -buildvcs=auto -trimpath -ldflags=-s -o mahabo ./cmd/mahabo

# The part of ECharts that charts need, embedded in the binary; needs npm.
ECHARTS := 6.1.0
echarts:
	dir=$$(mktemp -d) && cp internal/chart/build/entry.js $$dir && cd $$dir && npm install --silent echarts@$(ECHARTS) esbuild@0.28.2 && \
		npx esbuild entry.js --bundle --minify --legal-comments=none --target=es2020 --format=iife '--define:process.env.NODE_ENV="production"' --outfile=out.js && \
		gzip -9 -n -c out.js > $(CURDIR)/internal/chart/assets/echarts-$(ECHARTS).min.js.gz; rm -rf $$dir

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

# Not part of make test. Installed again when a list of versions changes.
PYTHON311 ?= python3.11
peers: bench/peers/.venv/installed bench/peers/.venv-hebo/installed bench/peers/.venv-ax/installed bench/problems/.venv/installed

bench/peers/.venv/installed: bench/peers/requirements.txt
bench/peers/.venv-hebo/installed: bench/peers/requirements-hebo.txt
bench/peers/.venv-ax/installed: bench/peers/requirements-ax.txt
bench/problems/.venv/installed: bench/problems/requirements.txt
bench/coco/.venv/installed: bench/coco/requirements.txt

coco: bench/coco/.venv/installed

bench/%/installed:
	$(PYTHON311) -m venv $(@D)
	$(@D)/bin/pip install --quiet 'setuptools<81' wheel
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

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
	rm -rf mahabo dist .integrations
