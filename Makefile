# `make` alone lists what there is to make. Nothing here needs more than Go, git
# and make; what else a target needs it installs, or prints how to.

GO    ?= go
SHELL := /bin/bash
TESTFLAGS ?=

# The packages whose tests run under the race detector: the ones with goroutines.
RACE ?= ./...

# The nested modules that are built, checked and tested with the main one. A program
# that uses Reprise downloads none of them.
MODULES := bench agent/autonomy/lab

.DEFAULT_GOAL := help

## Use it

.PHONY: demo
demo: chrome ## record a sign-in on a built-in site, then play it for another account
	@$(GO) run ./cmd/reprise demo

.PHONY: setup
setup: chrome ## install what everything else needs: Chromium, the Go modules, the linters
	$(GO) mod download
	@$(MAKE) --no-print-directory bin/lint

## Check it

.PHONY: test
test: chrome tools postgres ## run every test, in a real browser and a real Postgres where one is needed
	@status=0; for module in . $(MODULES); do \
		echo "go test in $$module"; $(GO) test -C $$module -p 4 -timeout 60m $(TESTFLAGS) ./... || status=1; \
	done; exit $$status

.PHONY: check
check: fmt-check lint generate-check typecheck mod-check ## everything but the tests: format, linters, generated code, types, modules
	@echo "check: all is well"

.PHONY: attack
attack: chrome ## try every way to a secret of a hostile agent and page, and press every labelled control (some 25 min)
	$(GO) test -count=1 -v -timeout 40m -run 'TestAnAgentS|TestATakeoverShows|TestMostOfWhatAHostilePage' $(TESTFLAGS) ./agent -attack.all
	$(GO) test -count=1 -v -timeout 40m -run 'TestCommitsDoNotSlipThrough' $(TESTFLAGS) ./replayer -controls.all

.PHONY: race
race: chrome postgres ## run the tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -timeout 20m $(TESTFLAGS) $(RACE)
ifeq ($(RACE),./...)
	@for module in $(MODULES); do \
		CGO_ENABLED=1 $(GO) test -C $$module -race -timeout 20m $(TESTFLAGS) ./... || exit 1; \
	done
endif

.PHONY: bench
bench: chrome ## compare the speed of a replay with a bare client's, rod's own, @puppeteer/replay's and Playwright's
	@GO="$(GO)" scripts/bench $(TESTFLAGS)

.PHONY: soak
soak: chrome postgres ## for an hour or so: long recordings, 300 faults while bills are paid, 300 connections cut, 100 drivers and 100 servers killed, 300 browsers opened and killed, 100 sign-ins by a person, 20 visits of two workers with one login, 1,000 replays in a row, 500 queued runs, 1,100 killed writers
	@$(GO) test -count=1 -v -run 'TestEvery' -timeout 30m $(TESTFLAGS) ./recorder -soak
	@$(GO) test -count=1 -v -run 'TestNoBillIsPaidTwice' -timeout 60m $(TESTFLAGS) ./replayer -soak
	@$(GO) test -count=1 -v -run 'TestAKilledWriter|TestTwoProcesses' -timeout 30m $(TESTFLAGS) ./store -soak
	@$(GO) test -count=1 -v -run 'TestEvery' -timeout 30m $(TESTFLAGS) ./browser -soak
	@$(GO) test -count=1 -v -run 'TestARunGoesOnWhereAPersonHasSignedIn' -timeout 30m $(TESTFLAGS) ./handoff -soak
	@$(GO) test -count=1 -v -run 'TestNothingIsLeft' -timeout 30m $(TESTFLAGS) ./browser/providers -soak
	@$(GO) test -count=1 -v -run 'TestARunGoesOnOverAnotherConnection' -timeout 30m $(TESTFLAGS) ./internal/runner -soak
	@$(GO) test -C bench -count=1 -v -run 'TestNothingIsLeftOpenByReplays' -timeout 60m $(TESTFLAGS) . -soak
	@$(GO) test -count=1 -v -run 'TestEveryQueuedRunIsDoneOnce|TestTheJournalOfAKilledServer|TestAPageThatAPersonHas|TestASignInLastsThatIsRenewed' -timeout 60m $(TESTFLAGS) ./internal/cli -soak

# While tuning: make bench-selectors BENCHFLAGS='-set tuning -only Reprise -dump cases.jsonl'
BENCHFLAGS ?= -set held -speed

.PHONY: bench-selectors
bench-selectors: chrome ## measure who finds elements again after a page has changed (needs npm)
	@scripts/bench-selectors $(BENCHFLAGS)

# While working on one: make bench-apps APPSFLAGS='-only dokuwiki -modes strict -dump /tmp/recorded'
APPSFLAGS ?=

.PHONY: bench-apps
bench-apps: chrome ## record flows of real applications, play them for another account, and ask their back ends (Debian, npm)
	@GO="$(GO)" scripts/bench-apps $(APPSFLAGS)

.PHONY: bench-widgets
bench-widgets: chrome ## record and play forms made with libraries of controls, with other values (needs npm)
	@GO="$(GO)" scripts/bench-widgets

.PHONY: bench-guard
bench-guard: ## measure the guard of autonomy on each annotator's answers by weights learnt without them
	$(GO) test -C agent/autonomy/lab -count=1 -v -run 'TestAnnotatorsWhoAreLeftOut|TestTheHeldOutSets' $(TESTFLAGS) . -leave-out

.PHONY: lint
lint: bin/lint ## go vet, staticcheck, and the checks of internal/tools/lint
	@for module in . $(MODULES); do \
		echo "go vet, staticcheck and lint in $$module"; \
		(cd $$module && $(GO) vet ./... && $(CURDIR)/bin/staticcheck ./... && \
			$(GO) vet -vettool=$(CURDIR)/bin/lint -errcheck.exclude=$(CURDIR)/internal/tools/lint/errcheck.txt ./...) || exit 1; \
	done

.PHONY: typecheck
typecheck: ## check the page script's types with the pinned TypeScript (needs node)
	@scripts/typecheck

.PHONY: fmt-check
fmt-check:
	@files=$$(gofmt -s -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$files" ]; then echo "not formatted, run make fmt:"; echo "$$files"; exit 1; fi

# Built from a copy elsewhere, the bundle must come out as it is committed.
.PHONY: generate-check
generate-check:
	$(GO) test -C internal/page/build -count=1 ./...

.PHONY: mod-check
mod-check:
	@for module in . $(MODULES) internal/page/build internal/tools; do \
		echo "go mod tidy -diff, go mod verify in $$module"; \
		$(GO) mod tidy -C $$module -diff && $(GO) mod verify -C $$module >/dev/null || exit 1; \
	done

## Change it

.PHONY: generate
generate: ## make internal/page/bundle.min.js again from internal/page/src
	$(GO) generate ./...

.PHONY: guard-model
guard-model: ## learn the guard's weights again from the corpora in agent/autonomy/lab
	$(GO) test -C agent/autonomy/lab -count=1 -run TestTheWeightsAre . -write-weights

.PHONY: fmt
fmt: ## format the Go code
	gofmt -s -w $$(git ls-files -co --exclude-standard '*.go')

.PHONY: chrome
chrome:
	@scripts/need-chrome

.PHONY: tools
tools:
	@scripts/need-tools

.PHONY: postgres
postgres:
	@scripts/need-postgres

bin/lint: internal/tools/go.mod internal/tools/lint/main.go
	$(GO) build -C internal/tools -o ../../bin/ tool ./lint
	@touch $@

.PHONY: help
help:
	@awk -F ':.*## ' '/^## / { print "\n" substr($$0, 4) } /^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
