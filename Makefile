# Targets for people. On a fresh machine with Go, run and test do all their set-up.
GO          ?= go
GOTESTFLAGS ?=

.PHONY: run test build lint bench clean setup

## Build ucas and launch the tour in tmux.
run: setup build
	PATH="$(CURDIR)/bin:$$PATH" ucas run tour

## Run all tests; GOTESTFLAGS=-race and the like are passed on.
test: setup
	$(GO) test $(GOTESTFLAGS) ./...

## Build ./bin/ucas, one static file.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o bin/ucas ./cmd/ucas

## Check format, vet, staticcheck and go.mod.
lint:
	@unformatted=$$(gofmt -l cmd engine layers starlib testdata); \
	  test -z "$$unformatted" || { echo "run gofmt -w on: $$unformatted"; exit 1; }
	$(GO) vet ./... ./testdata/bench/...
	GOOS=darwin $(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./... ./testdata/bench/...
	$(GO) mod tidy -diff

## Measure start-up against the floor, as ratios.
bench:
	$(GO) run ./testdata/bench

clean:
	rm -rf bin

setup:
	@.ci/setup tmux
