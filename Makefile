# Two commands set everything up on a fresh machine with Go 1.26:
# make demo, make test.
GO ?= go
FILE ?= testdata/cases/open.jsonl
# Tools live outside the tree. goreleaser is pinned because later ones either
# have a dependency that cannot be had or want a newer Go.
TOOLS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/desfecho-tools
LINT = $(TOOLS)/golangci-lint-2.11.0
RELEASER = $(TOOLS)/goreleaser-2.14.3
# Packages whose tests work on big data: the race detector would make them take
# minutes and find nothing that it does not find in the others.
BIG = desfecho/internal/world/generate

.PHONY: build demo test cases lint fuzz long release-check clean

build:
	$(GO) build -trimpath -o bin/desfecho ./cmd/desfecho

demo: build
	@bin/desfecho demo

test:
	$(GO) vet ./...
	$(GO) test -race -shuffle=on $$($(GO) list ./... | grep -v '^$(BIG)')
	$(GO) test ./...

# One line per case of a file of the form that testdata/cases holds.
cases:
	@$(GO) run ./internal/cases/run $(FILE)

lint: $(LINT)
	$(LINT) fmt --diff
	$(LINT) run ./...
	if command -v shellcheck >/dev/null; then shellcheck .ci/run scripts/*.sh; fi

fuzz:
	scripts/fuzz.sh

# What CI has no time for: more worlds, longer fuzzing.
long:
	DESFECHO_LONG=1 $(GO) test -count=1 -timeout 2h ./...
	FUZZTIME=5m scripts/fuzz.sh

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

clean:
	rm -rf bin build dist
