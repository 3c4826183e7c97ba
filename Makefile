# Two commands set everything up on a fresh machine with Go 1.26:
# make demo, make test.
GO ?= go
FILE ?= testdata/cases/open.jsonl
# Tools live outside the tree. goreleaser is pinned because later ones either
# have a dependency that cannot be had or want a newer Go.
TOOLS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/desfecho-tools
LINT = $(TOOLS)/golangci-lint-2.11.0
RELEASER = $(TOOLS)/goreleaser-2.14.3
STRIPE_MOCK_VERSION = v0.203.0
DUCKDB_VERSION = 1.5.6-r.1
STRIPE_MOCK = $(TOOLS)/stripe-mock-$(STRIPE_MOCK_VERSION)

.PHONY: build demo test test-pages cases lint fuzz planted long published bench bench-database bench-pull release-check clean

build:
	$(GO) build -trimpath -o bin/desfecho ./cmd/desfecho

demo: build
	@rm -rf build/desfecho-demo
	@bin/desfecho demo --dir build/desfecho-demo

# Tests on big data leave themselves out under the race detector, and run in the
# second pass.
test:
	$(GO) vet ./...
	$(GO) test -race -shuffle=on -timeout 40m ./...
	$(GO) test -timeout 40m ./...

# Opens reports in a headless Chromium and uses their filter, and sheets in
# LibreOffice; what is not installed is left out and named.
test-pages:
	$(GO) test -count=1 -v ./report -run 'Chromium|LibreOffice'

# One line per case of a file of the form that testdata/cases holds. With
# DATABASE=sqlite, or the URL of an empty PostgreSQL database, through the
# program over that database.
cases: $(if $(DATABASE),build)
	@$(GO) run ./internal/cases/run $(if $(DATABASE),-database $(DATABASE)) $(FILE)

lint: $(LINT)
	$(LINT) fmt --diff
	$(LINT) run ./...
	if command -v shellcheck >/dev/null; then shellcheck .ci/run scripts/*.sh; fi

fuzz:
	scripts/fuzz.sh

# Breaks the code at one place after the other, and fails where no two tests
# notice (docs/testing.md).
planted:
	$(GO) run ./internal/planted/run -o docs/testing.md

# What CI has no time for: more worlds, more days of shops, more kills and lost
# commits, longer fuzzing.
long: planted
	$(GO) test -count=1 -timeout 2h ./reconcile -worlds 1000000
	$(GO) test -count=1 -timeout 2h ./internal/shop -run 'Twin|Settling' -seeds 3000 -settled-seeds 20000
	$(GO) test -count=1 -timeout 2h ./internal/store/postgres -run 'OfNine|ALostReply|KilledSettling' -race-rounds 2000 -lost-rounds 1000 -kill-rounds 100
	$(GO) test -count=1 -timeout 2h ./cmd -run 'TestAKilled|TestALostReply' -rounds 20
	$(GO) test -count=1 -timeout 2h ./cmd -run 'TestAShop|TestTheTruth' -market-seeds 500
	FUZZTIME=1000000x scripts/fuzz.sh

# The built program beside DuckDB, PostgreSQL and sort and join, over pairs of
# CSV files of 100,000 to 10,000,000 rows each, whose answers must be the true
# one: docs/performance.md has the last run. Needs Node, 3 GB of disk and half an
# hour.
bench: $(TOOLS)/duckdb/duckdb.mjs
	DESFECHO_DUCKDB=$(TOOLS)/duckdb $(GO) test ./cmd -run '^$$' -bench Files -benchtime 3x -timeout 2h

# The built program over a month in PostgreSQL, of 100,000 and of 1,000,000
# attempts: seconds, rows a second, most memory and its growth.
bench-database:
	$(GO) test ./cmd -run '^$$' -bench Database -benchtime 3x -timeout 1h

# The program over a provider of 50 ms a page, into PostgreSQL, of 100,000 and
# of 1,000,000 lines: lines a second, for how long of a line the program, the
# server and the provider had a processor, most memory and its growth.
bench-pull:
	$(GO) test ./cmd -run '^$$' -bench '^BenchmarkPull$$' -benchtime 3x -timeout 1h

# Holds what is asked of Stripe and Pix in tests, and what our servers answer
# there, against what Stripe and Banco Central publish: Stripe's own stripe-mock
# and its OpenAPI description, and, where it is named, Banco Central's:
# PIX_OPENAPI=openapi.yaml of github.com/bacen/pix-api.
published: $(STRIPE_MOCK)
	$(GO) test -count=1 ./providers/stripe -stripe-mock $(STRIPE_MOCK) -openapi "$$($(GO) mod download -json \
		github.com/stripe/stripe-mock@$(STRIPE_MOCK_VERSION) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')/embedded/openapi/spec3.json"
	$(if $(PIX_OPENAPI),$(GO) test -count=1 ./providers/pix -openapi $(abspath $(PIX_OPENAPI)))

release-check: $(RELEASER)
	$(GO) mod verify
	$(RELEASER) check
	$(RELEASER) build --single-target --snapshot --clean

$(LINT):
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.11.0
	mv $(TOOLS)/golangci-lint $@

$(RELEASER):
	GOBIN=$(TOOLS) $(GO) install github.com/goreleaser/goreleaser/v2@v2.14.3
	mv $(TOOLS)/goreleaser $@

$(STRIPE_MOCK):
	GOBIN=$(TOOLS) $(GO) install github.com/stripe/stripe-mock@$(STRIPE_MOCK_VERSION)
	mv $(TOOLS)/stripe-mock $@

$(TOOLS)/duckdb/duckdb.mjs: scripts/bench/duckdb.mjs
	npm install --silent --no-fund --no-audit --prefix $(TOOLS)/duckdb @duckdb/node-api@$(DUCKDB_VERSION)
	cp $< $@

clean:
	rm -rf bin build dist
